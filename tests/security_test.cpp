// security_test.cpp - what docs/security.md says of the socket, claim by claim: who is believed, who is answered, and what
// a flood does.
#include <gmock/gmock.h>

#include <algorithm>
#include <ap_json/client.hpp>
#include <atomic>
#include <chrono>
#include <thread>

#include "fake_autopilot.hpp"

namespace {

using namespace std::chrono_literals;
using ap_json::Client;
using ap_json::ClientOptions;
using ap_json::FrameKind;
using ap_json::State;

ClientOptions any_port() {
    ClientOptions options;
    options.port = 0;
    return options;
}

State at(double time) {
    State state;
    state.timestamp = time;
    return state;
}

TEST(Security, ListensOnLoopbackUnlessTold) {
    EXPECT_EQ(ClientOptions().address, "127.0.0.1");
    Client client;
    ASSERT_FALSE(client.open(any_port()));
    ap_json::UdpSocket elsewhere;
    // Any other address of the machine is free for another socket on the same port: 0.0.0.0 is not taken.
    const auto error = elsewhere.open({ap_json::loopback_address + 1, client.port()});
    if (error.code() == ap_json::ErrorCode::address_unavailable)
        GTEST_SKIP() << "this system has no 127.0.0.2";
    EXPECT_FALSE(error) << error.message();
}

TEST(Security, NobodyCanShareThePort) {
    Client client;
    ASSERT_FALSE(client.open(any_port()));
    ap_json::UdpSocket second;
    EXPECT_EQ(second.open({ap_json::loopback_address, client.port()}).code(), ap_json::ErrorCode::port_busy);
    EXPECT_EQ(second.open({0, client.port()}).code(), ap_json::ErrorCode::port_busy);
}

TEST(Security, OnePacketWithCount0TakesTheLinkOver) {
    Client client;
    ASSERT_FALSE(client.open(any_port()));
    FakeAutopilot sitl(client.port()), attacker(client.port());
    for (std::uint32_t count = 0; count < 5; ++count) {
        sitl.send_packet(count);
        ASSERT_TRUE(client.receive(1s));
        ASSERT_FALSE(client.send(at(0.1 * count)));
        ASSERT_TRUE(sitl.receive());
    }
    attacker.send_packet(0, 16, 2000);
    const auto frame = client.receive(1s);
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->kind, FrameKind::restarted);
    EXPECT_EQ(frame->servos.servo(1), 2000);
    ASSERT_FALSE(client.send(at(0)));
    EXPECT_TRUE(attacker.receive());
    EXPECT_FALSE(sitl.receive(0ms));
}

TEST(Security, TheTrueSitlComesBackByInsisting) {
    ClientOptions options = any_port();
    options.link_loss_time = 300ms;  // else the attacker has to be silent for 3 s
    Client client;
    ASSERT_FALSE(client.open(options));
    FakeAutopilot sitl(client.port()), attacker(client.port());
    sitl.send_packet(700);
    ASSERT_TRUE(client.receive(1s));
    attacker.send_packet(0);
    ASSERT_TRUE(client.receive(1s));
    int asked = 0;
    do {
        ASSERT_LT(asked, 1000);
        sitl.send_packet(700);
        ++asked;
    } while (!client.receive(100ms));
    EXPECT_GT(asked, ap_json::FrameTracker::most_stale_in_row);
    EXPECT_EQ(client.autopilot(), sitl.name());
}

TEST(Security, AnotherAddressThanTheOneAllowedIsNeitherBelievedNorAnswered) {
    ClientOptions options = any_port();
    options.autopilot_address = "127.0.0.1";
    Client client;
    ASSERT_FALSE(client.open(options));
    FakeAutopilot sitl(client.port()), attacker(client.port(), "127.0.0.2");
    if (!attacker.opened()) GTEST_SKIP() << "this system has no 127.0.0.2";
    sitl.send_packet(0);
    ASSERT_TRUE(client.receive(1s));
    attacker.send_packet(0);
    EXPECT_FALSE(client.receive(50ms));
    EXPECT_EQ(client.statistics().rejected_sender, 1U);
    ASSERT_FALSE(client.send(at(0)));
    EXPECT_TRUE(sitl.receive());
    EXPECT_FALSE(attacker.receive(0ms));
}

TEST(Security, OneAnswerForOnePacketAndNoneForAnythingElse) {
    Client client;
    ASSERT_FALSE(client.open(any_port()));
    FakeAutopilot stranger(client.port());
    for (const std::size_t size : {0U, 1U, 39U, 41U, 71U, 73U, 1500U, 60000U})
        stranger.send(std::vector<unsigned char>(size, '{'));
    EXPECT_FALSE(client.receive(50ms));
    EXPECT_TRUE(client.send(at(0)));  // an error: nobody to answer
    EXPECT_FALSE(stranger.receive(0ms));
    EXPECT_EQ(client.statistics().rejected_length, 8U);

    for (int i = 0; i < 6; ++i) stranger.send_packet(0);
    ASSERT_TRUE(client.receive(1s));
    EXPECT_FALSE(client.send(at(0)));
    EXPECT_TRUE(client.send(at(1)));  // an error: answered already
    EXPECT_TRUE(stranger.receive());
    EXPECT_FALSE(stranger.receive(0ms));
}

TEST(Security, AFloodNeitherHoldsACallUpNorFillsTheLog) {
    int lines = 0;
    ClientOptions options = any_port();
    options.log = [&lines](std::string_view) { ++lines; };
    Client client;
    ASSERT_FALSE(client.open(options));
    std::atomic<bool> flooding{true};
    std::thread flood([&] {
        FakeAutopilot attacker(client.port());
        const std::vector<unsigned char> junk(40, 0);
        while (flooding) attacker.send(junk);
    });
    FakeAutopilot sitl(client.port());
    std::chrono::nanoseconds longest{0};
    for (int call = 0; call < 50; ++call) {
        const auto start = std::chrono::steady_clock::now();
        static_cast<void>(client.receive(10ms));
        longest = std::max<std::chrono::nanoseconds>(longest, std::chrono::steady_clock::now() - start);
    }
    flooding = false;
    flood.join();
    EXPECT_LT(longest, 2s);  // 10 ms, on a machine that does nothing else
    EXPECT_GT(client.statistics().rejected_magic, 100U);
    EXPECT_LE(lines, 2);  // that it listens, and that something arrived

    while (client.wait(0ms)) static_cast<void>(client.receive(0ms));
    sitl.send_packet(0);
    EXPECT_TRUE(client.receive(1s)) << "and the link works when it is over";
}

}  // namespace
