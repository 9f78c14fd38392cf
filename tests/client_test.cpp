// client_test.cpp - the link: who is answered, what is refused, what the status says, what the counters add
// up to.
#include <gmock/gmock.h>

#include <algorithm>
#include <ap_json/client.hpp>
#include <ap_json/state_json.hpp>
#include <ap_json/thread_pin.hpp>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <random>
#include <thread>
#include <vector>
#if !defined(_WIN32)
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#endif

#include "fake_autopilot.hpp"
#include "wine.hpp"

namespace {

using namespace std::chrono_literals;
using ap_json::Client;
using ap_json::ClientOptions;
using ap_json::ErrorCode;
using ap_json::FrameKind;
using ap_json::LinkStatus;
using ap_json::State;
using testing::HasSubstr;

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

/// An open client and an autopilot that talks to it.
class ClientTest : public testing::Test {
  protected:
    explicit ClientTest(const ClientOptions& options = any_port())
        : opened_(client_.open(options)), sitl_(client_.port()) {
        EXPECT_FALSE(opened_) << opened_.message();
    }

    ap_json::Frame receive() {
        const auto frame = client_.receive(1s);
        EXPECT_TRUE(frame);
        return frame.value_or(ap_json::Frame{});
    }

    /// One whole exchange; the answer's line.
    std::string exchange(std::uint32_t count, double time) {
        sitl_.send_packet(count);
        receive();
        const auto error = client_.send(at(time));
        EXPECT_FALSE(error) << error.message();
        return sitl_.receive().value_or("");
    }

    Client client_;
    ap_json::Error opened_;
    FakeAutopilot sitl_;
};

// ---- open

TEST(Open, ABusyPortIsAnErrorThatSaysWhich) {
    Client first;
    ASSERT_FALSE(first.open(any_port()));
    Client second;
    ClientOptions same;
    same.port = first.port();
    const auto error = second.open(same);
    EXPECT_EQ(error.code(), ErrorCode::port_busy);
    EXPECT_THAT(error.message(), HasSubstr("127.0.0.1:" + std::to_string(first.port())));
    EXPECT_FALSE(second.is_open());
    same.address = "0.0.0.0";
    EXPECT_EQ(second.open(same).code(), ErrorCode::port_busy) << "not even on all addresses";
    first.close();
    EXPECT_FALSE(second.open(same)) << "free again";
}

TEST(Open, AnAddressThatIsNotOurs) {
    if (in_wine()) GTEST_SKIP() << "Wine binds to any address";
    ClientOptions options = any_port();
    options.address = "192.0.2.1";
    const auto error = Client().open(options);
    EXPECT_EQ(error.code(), ErrorCode::address_unavailable);
    EXPECT_THAT(error.message(), HasSubstr("192.0.2.1"));
}

TEST(Open, WhatIsNotAnAddress) {
    for (const char* text :
         {"", "localhost", "127.0.0", "127.0.0.1.", "127.0.0.256", "1.2.3.4.5", " 127.0.0.1", "::1",
          "127.0.0.1 ", "127..0.1", "0127.0.0.1", "-1.0.0.1", "127.0.0.1:9002"}) {
        ClientOptions options = any_port();
        options.address = text;
        auto error = Client().open(options);
        EXPECT_EQ(error.code(), ErrorCode::bad_option) << text;
        EXPECT_THAT(error.message(), HasSubstr("\"" + std::string(text) + "\""));
        options.address = "127.0.0.1";
        options.autopilot_address = text;
        error = Client().open(options);
        EXPECT_EQ(error.code(), *text == '\0' ? ErrorCode::ok : ErrorCode::bad_option) << text;
    }
}

TEST(Open, InstancesCountInTens) {
    Client client;
    ClientOptions options;
    for (int instance : {-1, 5654, 1 << 30, -(1 << 30)}) {
        options.instance = instance;
        const auto error = client.open(options);
        EXPECT_EQ(error.code(), ErrorCode::bad_option) << instance;
        EXPECT_THAT(error.message(), HasSubstr("instance " + std::to_string(instance)));
    }
    Client free;
    ASSERT_FALSE(free.open(any_port()));
    const std::uint16_t port = free.port();
    free.close();
    options.instance = 3;
    options.port = static_cast<std::uint16_t>(port - 30);
    ASSERT_FALSE(client.open(options)) << client.open(options).message();
    EXPECT_EQ(client.port(), port);
}

TEST(Open, AnyPortWhateverTheInstance) {
    ClientOptions options = any_port();
    options.instance = 6553;  // 65530 is no port that a system gives by itself
    Client client;
    ASSERT_FALSE(client.open(options));
    EXPECT_NE(client.port(), 65530);
    options.instance = 1000000;
    EXPECT_FALSE(client.open(options));
}

/// The first and the last port are ports, whether or not this process may have them.
TEST(Open, ThePortsAtTheEnds) {
    ClientOptions options;
    for (const auto& [port, instance, result] : {std::tuple{1, 0, 1}, {65535, 0, 65535}, {65525, 1, 65535}}) {
        options.port = static_cast<std::uint16_t>(port);
        options.instance = instance;
        Client client;
        const auto error = client.open(options);
        EXPECT_NE(error.code(), ErrorCode::bad_option) << error.message();
        EXPECT_TRUE(error || client.port() == result);
    }
    options.port = 65526;
    EXPECT_THAT(Client().open(options).message(), HasSubstr("65526 + 10 x 1 = 65536"));
}

TEST(Open, ALossTimeOfNothing) {
    ClientOptions options = any_port();
    for (const auto time : {0ms, -1ms}) {
        options.link_loss_time = time;
        const auto error = Client().open(options);
        EXPECT_EQ(error.code(), ErrorCode::bad_option);
        EXPECT_THAT(error.message(), HasSubstr(std::to_string(time.count()) + " ms"));
    }
    options.link_loss_time = 1ms;
    EXPECT_FALSE(Client().open(options));
}

TEST(Open, ALossTimeWithoutEnd) {
    ClientOptions options = any_port();
    options.link_loss_time = std::chrono::milliseconds::max();
    Client client;
    ASSERT_FALSE(client.open(options));
    FakeAutopilot sitl(client.port());
    sitl.send_packet(0);
    ASSERT_TRUE(client.receive(1s));
    EXPECT_FALSE(client.receive(2ms));
    EXPECT_EQ(client.status(), LinkStatus::online);
}

/// Whatever is wrong with the options, afterwards the client is closed, not still on its old port.
TEST(Open, ClosesWhatWasOpenAlsoWhenItFails) {
    ClientOptions bad[4];
    for (auto& options : bad) options.port = 0;
    bad[0].address = "nowhere";
    bad[1].autopilot_address = "nowhere";
    bad[2].spin_time = -1us;
    bad[3].address = "192.0.2.1";
    for (const auto& options : bad) {
        Client client;
        ASSERT_FALSE(client.open(any_port()));
        ClientOptions same;
        same.port = client.port();
        EXPECT_TRUE(client.open(options));
        EXPECT_FALSE(client.is_open());
        EXPECT_EQ(client.status(), LinkStatus::closed);
        EXPECT_FALSE(Client().open(same)) << "the port is free";
    }
}

TEST(Open, AgainOnTheSamePort) {
    Client client;
    ASSERT_FALSE(client.open(any_port()));
    ClientOptions same;
    same.port = client.port();
    EXPECT_FALSE(client.open(same));
    EXPECT_EQ(client.port(), same.port);
}

TEST(Open, NothingWorksBeforeAndNothingHangs) {
    Client client;
    EXPECT_EQ(client.status(), LinkStatus::closed);
    EXPECT_EQ(client.port(), 0);
    EXPECT_EQ(client.native_handle(), -1);
    EXPECT_EQ(client.autopilot(), "");
    EXPECT_EQ(client.statistics().received, 0U);
    EXPECT_FALSE(client.receive(0s));
    EXPECT_FALSE(client.wait(1ms));
    EXPECT_EQ(client.send(State{}).code(), ErrorCode::not_open);
    client.cancel();
    client.allow_time_reset();
    client.close();
    const auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE(client.receive(20ms));
    EXPECT_FALSE(client.wait(20ms));
    EXPECT_GE(std::chrono::steady_clock::now() - start, 40ms) << "a loop around it would spin";
}

// ---- exchange

TEST_F(ClientTest, HandsOverAndAnswers) {
    EXPECT_EQ(client_.status(), LinkStatus::waiting);
    sitl_.send_packet(0, 16, 1234);
    const auto frame = receive();
    EXPECT_EQ(frame.kind, FrameKind::first);
    EXPECT_EQ(frame.servos.servo(1), 1234);
    EXPECT_EQ(client_.status(), LinkStatus::online);
    EXPECT_EQ(client_.autopilot(), sitl_.name());
    ASSERT_FALSE(client_.send(at(0.0025)));
    EXPECT_THAT(sitl_.receive().value_or(""), testing::StartsWith("\n{\"timestamp\":0.0025,"));
    EXPECT_EQ(client_.statistics().received, 1U);
    EXPECT_EQ(client_.statistics().sent, 1U);
}

TEST_F(ClientTest, FollowsTheNumberOfChannels) {
    std::uint32_t count = 0;
    for (int channels : {16, 32, 32, 16, 32}) {
        sitl_.send_packet(count++, channels);
        const auto frame = receive();
        EXPECT_EQ(frame.servos.channels, channels);
        EXPECT_EQ(frame.servos.servo(32), channels == 32 ? 1031 : 0);
    }
}

TEST_F(ClientTest, SaysWhatEachFrameIs) {
    EXPECT_NE(exchange(5, 1), "");
    sitl_.send_packet(6);
    EXPECT_EQ(receive().kind, FrameKind::next);
    ASSERT_FALSE(client_.send(at(2)));
    sitl_.send_packet(6);
    EXPECT_TRUE(receive().repeated());
    sitl_.send_packet(10);
    const auto frame = receive();
    EXPECT_EQ(frame.kind, FrameKind::missed);
    EXPECT_EQ(frame.missed, 3U);
    sitl_.send_packet(0);
    EXPECT_TRUE(receive().restarted());
    EXPECT_EQ(client_.statistics().repeated, 1U);
    EXPECT_EQ(client_.statistics().missed, 3U);
    EXPECT_EQ(client_.statistics().restarts, 1U);
}

TEST_F(ClientTest, ARepeatedQuestionThatNeverHadAnAnswerIsFresh) {
    for (int i = 0; i < 3; ++i) {
        sitl_.send_packet(0);
        EXPECT_EQ(receive().kind, FrameKind::first);
    }
    ASSERT_FALSE(client_.send(at(1)));
    sitl_.send_packet(0);
    EXPECT_EQ(receive().kind, FrameKind::repeated);
}

/// After a pause: the newest packet, once; one answer.
TEST_F(ClientTest, DrainsABurstToTheNewest) {
    exchange(0, 1);
    for (int copy = 0; copy < 13; ++copy) sitl_.send_packet(1);
    const auto frame = receive();
    EXPECT_EQ(frame.kind, FrameKind::next);
    EXPECT_EQ(client_.statistics().drained, 12U);
    EXPECT_FALSE(client_.send(at(2)));
    EXPECT_EQ(client_.send(at(3)).code(), ErrorCode::already_answered);
    EXPECT_TRUE(sitl_.receive());
    EXPECT_FALSE(sitl_.receive(0ms)) << "every further answer would be a lag for ever";
    EXPECT_FALSE(client_.receive(0s));

    for (std::uint32_t count = 2; count < 102; ++count)
        sitl_.send_packet(count, 16, static_cast<std::uint16_t>(count));
    const auto newest = receive();
    EXPECT_EQ(newest.servos.frame_count, 101U);
    EXPECT_EQ(newest.servos.servo(1), 101);
    EXPECT_EQ(newest.missed, 99U);
    EXPECT_EQ(client_.statistics().drained, 12U + 99U);
    EXPECT_EQ(client_.statistics().received, 1U + 13U + 100U);
}

#if defined(__linux__)
/// However many datagrams there are, one call ends after 1024 of them; the others are for the next one.
TEST_F(ClientTest, OneCallDoesNotDrainForEver) {
    const int bytes = 16 << 20;
    const int socket = static_cast<int>(client_.native_handle());
    if (setsockopt(socket, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) != 0) {
        GTEST_SKIP() << "only root may make a queue that holds so many";
    }
    for (std::uint32_t count = 0; count < 1500; ++count) sitl_.send_packet(count);
    EXPECT_EQ(receive().servos.frame_count, 1023U);
    EXPECT_EQ(client_.statistics().received, 1024U);
    EXPECT_EQ(receive().servos.frame_count, 1499U);
    EXPECT_FALSE(client_.receive(0s));
}
#endif

TEST_F(ClientTest, ADrainedRestartIsStillARestart) {
    exchange(500, 1);
    sitl_.send_packet(501);
    sitl_.send_packet(0);
    for (int copy = 0; copy < 3; ++copy) sitl_.send_packet(0);
    EXPECT_TRUE(receive().restarted());
    EXPECT_EQ(client_.statistics().restarts, 1U);
}

TEST_F(ClientTest, ARestartOnANewPortIsCountedOnce) {
    exchange(500, 1);
    FakeAutopilot fresh(client_.port());
    for (int copy = 0; copy < 4; ++copy) fresh.send_packet(0);
    const auto frame = receive();
    EXPECT_TRUE(frame.restarted());
    EXPECT_EQ(frame.missed, 0U);
    EXPECT_EQ(client_.statistics().restarts, 1U);
}

TEST_F(ClientTest, ARebootWhosePacketsWereLostIsAnsweredInTheEnd) {
    for (std::uint32_t count = 0; count <= 10; ++count) exchange(count, 1 + count);
    int asked = 0;
    for (bool answered = false; !answered && asked < 10; ++asked) {
        sitl_.send_packet(1);
        const auto frame = client_.receive(20ms);
        answered = frame && frame->restarted() && !client_.send(at(0.5));
    }
    EXPECT_EQ(asked, 4);
}

TEST_F(ClientTest, IgnoresOvertakenPackets) {
    exchange(100, 1);
    sitl_.send_packet(99);
    sitl_.send_packet(98);
    EXPECT_FALSE(client_.receive(50ms));
    EXPECT_EQ(client_.statistics().stale, 2U);
    sitl_.send_packet(102);
    sitl_.send_packet(101);
    const auto frame = receive();
    EXPECT_EQ(frame.servos.frame_count, 102U);
    EXPECT_EQ(frame.missed, 1U);
    EXPECT_EQ(client_.statistics().stale, 3U);
}

/// Packets of a second SITL, before, behind and between one's own, in one burst and one by one: the vehicle is not
/// reset, and only its own ArduPilot is answered.
TEST_F(ClientTest, ASecondSitlOnThePortDoesNotDisturbAFlight) {
    FakeAutopilot second(client_.port());
    exchange(99, 1);
    std::uint32_t foreign = 5000;
    for (std::uint32_t count = 100; count < 200; ++count) {
        if (count % 2 == 0) second.send_packet(foreign += count % 3);
        if (count % 8 == 0) {
            EXPECT_FALSE(client_.receive(0s));
        }
        sitl_.send_packet(count);
        if (count % 3 == 0) second.send_packet(foreign);
        const auto frame = receive();
        ASSERT_EQ(frame.kind, FrameKind::next) << count;
        ASSERT_EQ(frame.servos.frame_count, count);
        ASSERT_FALSE(client_.send(at(count)));
        ASSERT_TRUE(sitl_.receive());
    }
    EXPECT_FALSE(second.receive(0ms));
    EXPECT_EQ(client_.statistics().restarts, 0U);
    EXPECT_GT(client_.statistics().stale, 50U);
}

/// ... and neither does one that is much faster than it, however often it repeats its packet.
TEST_F(ClientTest, ASecondSitlThatFloodsThePortDoesNotDisturbAFlight) {
    FakeAutopilot second(client_.port());
    exchange(99, 1);
    for (std::uint32_t count = 100; count < 120; ++count) {
        for (int copy = 0; copy < 50; ++copy) second.send_packet(copy % 25 == 0 ? count + 700 : 5000);
        if (count % 2 == 0) {
            EXPECT_FALSE(client_.receive(0s));
        }
        sitl_.send_packet(count);
        for (int copy = 0; copy < 50; ++copy) second.send_packet(5000);
        ASSERT_EQ(receive().servos.frame_count, count);
        ASSERT_FALSE(client_.send(at(count)));
        ASSERT_TRUE(sitl_.receive());
    }
    EXPECT_FALSE(second.receive(0ms));
    EXPECT_EQ(client_.statistics().restarts, 0U);
    EXPECT_EQ(client_.statistics().stale, 20U * 100U);
}

/// ... nor does one whose packets were queued first while the simulator stood still for longer than any silence.
TEST_F(ClientTest, ASecondSitlDoesNotTakeOverAfterAPauseOfTheSimulator) {
    auto options = any_port();
    options.link_loss_time = 200ms;  // the silence after which a second one would be followed
    ASSERT_FALSE(client_.open(options));
    FakeAutopilot first(client_.port());
    FakeAutopilot second(client_.port());
    first.send_packet(99);
    receive();
    for (int copy = 0; copy < 20; ++copy) second.send_packet(5000);
    first.send_packet(99);
    std::this_thread::sleep_for(300ms);  // the pause
    EXPECT_EQ(receive().servos.frame_count, 99U);
    EXPECT_FALSE(client_.send(at(0.5)));
    EXPECT_TRUE(first.receive());
    EXPECT_EQ(client_.statistics().stale, 20U);
}

/// ... and takes over when the first one has gone.
TEST_F(ClientTest, ASecondSitlThatInsistsIsFollowedWhenTheFirstHasGone) {
    auto options = any_port();
    options.link_loss_time = 300ms;  // shorter than the 3 s after which a first one counts as gone
    ASSERT_FALSE(client_.open(options));
    FakeAutopilot first(client_.port());
    FakeAutopilot second(client_.port());
    const auto last_heard = std::chrono::steady_clock::now();
    first.send_packet(99);
    receive();
    std::optional<ap_json::Frame> frame;
    for (int asked = 0; !frame && asked < 1000; ++asked) {
        second.send_packet(5000);
        frame = client_.receive(20ms);
    }
    ASSERT_TRUE(frame && frame->restarted());
    EXPECT_GE(std::chrono::steady_clock::now() - last_heard, 300ms);
    EXPECT_FALSE(client_.send(at(0.5)));
    EXPECT_TRUE(second.receive());
    EXPECT_FALSE(first.receive(0ms));
    EXPECT_EQ(client_.statistics().missed, 0U) << "its count says nothing about the frames of the one before";
}

/// Several packets behind a new translated address in one burst, which one by one go on.
TEST_F(ClientTest, ABurstFromATranslatedAddressGoesOn) {
    exchange(10, 1);
    FakeAutopilot translated(client_.port());
    for (std::uint32_t count : {11U, 12U, 13U}) translated.send_packet(count);
    const auto frame = receive();
    EXPECT_EQ(frame.kind, FrameKind::missed);
    EXPECT_EQ(frame.missed, 2U);
}

// ---- who is answered

TEST_F(ClientTest, FollowsARestartedSitlToItsNewPort) {
    exchange(7000, 1);
    FakeAutopilot fresh(client_.port());
    sitl_.send_packet(7001);  // the dead one's last packet, still queued in front
    fresh.send_packet(0);
    EXPECT_TRUE(receive().restarted());
    ASSERT_FALSE(client_.send(at(0.5))) << "time may begin anew";
    EXPECT_TRUE(fresh.receive());
    EXPECT_FALSE(sitl_.receive(0ms));
    EXPECT_EQ(client_.autopilot(), fresh.name());
}

TEST_F(ClientTest, ARestartBeforeTheFirstAnswerIsSeenToo) {
    sitl_.send_packet(0);
    EXPECT_EQ(receive().kind, FrameKind::first);
    ASSERT_FALSE(client_.send(at(1)));
    FakeAutopilot fresh(client_.port());
    fresh.send_packet(0);
    EXPECT_EQ(receive().kind, FrameKind::restarted);
}

TEST_F(ClientTest, FollowsAnAutopilotWhosePortChangesUnderway) {
    exchange(10, 1);
    FakeAutopilot translated(client_.port());
    translated.send_packet(11);
    EXPECT_EQ(receive().kind, FrameKind::next);
    ASSERT_FALSE(client_.send(at(2)));
    EXPECT_TRUE(translated.receive());
}

/// Stray datagrams of every length, from elsewhere, between packet and answer: nothing changes but the
/// counters.
TEST_F(ClientTest, StrayDatagramsChangeNothing) {
    FakeAutopilot stranger(client_.port(), "127.0.0.9");
    if (!stranger.opened()) GTEST_SKIP() << "this system has no 127.0.0.9";
    std::mt19937 random(1);
    std::uint32_t count = 0;
    for (std::size_t length = 0; length <= 100; ++length) {
        std::vector<unsigned char> stray(length);
        for (auto& byte : stray) byte = static_cast<unsigned char>(random());
        if (length >= 2 && length % 3 == 0) {  // also with the right beginning
            stray[0] = 0x1a;
            stray[1] = 0x48;
            if (length == 40) stray[0] = 0;
        }
        sitl_.send_packet(count);
        stranger.send(stray);
        const auto frame = receive();
        ASSERT_EQ(frame.servos.frame_count, count);
        stranger.send(stray);
        ASSERT_FALSE(client_.receive(0s));
        ASSERT_FALSE(client_.send(at(1 + count))) << length;
        ASSERT_TRUE(sitl_.receive()) << length;
        ASSERT_FALSE(stranger.receive(0ms)) << length;
        ++count;
    }
    const auto& s = client_.statistics();
    EXPECT_EQ(s.rejected_length + s.rejected_magic, 202U);
    EXPECT_EQ(s.rejected_magic, 2U) << "only those of 40 bytes do not begin like a servo packet";
    EXPECT_EQ(s.received, 101U);
    EXPECT_EQ(client_.autopilot(), sitl_.name());
    EXPECT_EQ(client_.status(), LinkStatus::online);
}

TEST_F(ClientTest, DatagramsMuchLongerThanAPacketAreNoPacket) {
    for (std::size_t length : {128U, 129U, 1500U, 60000U}) {
        auto bytes = FakeAutopilot::packet(0, 32);
        bytes.resize(length);
        sitl_.send(bytes);
    }
    EXPECT_FALSE(client_.receive(50ms));
    EXPECT_EQ(client_.statistics().rejected_length, 4U);
}

/// The library wakes itself with a datagram of its own; that of another machine on the same port is not that.
TEST_F(ClientTest, AStrangerOnTheSamePortIsAStranger) {
    ap_json::UdpSocket stranger;
    if (stranger.open({0x7F000009, client_.port()})) GTEST_SKIP() << "this system has no 127.0.0.9";
    ASSERT_EQ(stranger.send({ap_json::loopback_address, client_.port()}, "x", 1), 0);
    EXPECT_FALSE(client_.receive(20ms));
    EXPECT_EQ(client_.statistics().rejected_length, 1U);
    EXPECT_EQ(client_.status(), LinkStatus::unrecognised);
}

/// "Port unreachable" comes back from where an autopilot was: Windows would end receiving with error 10054, Linux
/// with ECONNREFUSED if it is told to.
TEST_F(ClientTest, TheDeathOfAnAutopilotIsNoErrorOfTheSocket) {
#if defined(__linux__)
    const int report = 1;
    ASSERT_EQ(
        setsockopt(static_cast<int>(client_.native_handle()), IPPROTO_IP, IP_RECVERR, &report, sizeof report),
        0);
#endif
    for (int death = 0; death < 3; ++death) {
        {
            FakeAutopilot dying(client_.port());
            dying.send_packet(0);
            receive();
        }
        const auto error = client_.send(at(1));
        EXPECT_FALSE(error) << error.message();
        EXPECT_FALSE(client_.receive(20ms));
    }
    EXPECT_EQ(client_.statistics().receive_errors, 0U);
    sitl_.send_packet(0);
    EXPECT_EQ(receive().kind, FrameKind::restarted);
    EXPECT_FALSE(client_.send(at(1)));
    EXPECT_TRUE(sitl_.receive());
}

#if !defined(_WIN32)
/// The socket breaks underneath: errors are counted and told, nothing spins, and the answer is still owed.
TEST_F(ClientTest, ABrokenSocketIsToldAndSurvived) {
    sitl_.send_packet(0);
    receive();
    const int socket = static_cast<int>(client_.native_handle());
    const int spare = dup(socket);
    const int null = open("/dev/null", O_RDWR);
    ASSERT_EQ(dup2(null, socket), socket);
    const auto error = client_.send(at(1));
    EXPECT_EQ(error.code(), ErrorCode::not_sent);
    EXPECT_THAT(error.message(), testing::AllOf(HasSubstr(sitl_.name()), HasSubstr("error ")));
    const auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE(client_.receive(50ms));
    EXPECT_GE(std::chrono::steady_clock::now() - start, 50ms);
    EXPECT_GE(client_.statistics().receive_errors, 1U);
    EXPECT_LE(client_.statistics().receive_errors, 10U) << "it spins";
    EXPECT_EQ(client_.statistics().send_errors, 1U);
    ASSERT_EQ(dup2(spare, socket), socket);
    close(spare);
    close(null);
    EXPECT_FALSE(client_.send(at(1))) << "the answer is still owed";
    EXPECT_TRUE(sitl_.receive());
}
#endif

TEST(Restricted, OnlyOneAddressMayBeTheAutopilot) {
    ClientOptions options = any_port();
    options.autopilot_address = "127.0.0.2";
    Client client;
    ASSERT_FALSE(client.open(options));
    FakeAutopilot wrong(client.port(), "127.0.0.3");
    FakeAutopilot right(client.port(), "127.0.0.2");
    if (!wrong.opened() || !right.opened()) GTEST_SKIP() << "this system has no 127.0.0.2 and 127.0.0.3";
    wrong.send_packet(5);
    EXPECT_FALSE(client.receive(50ms));
    EXPECT_EQ(client.status(), LinkStatus::unrecognised);
    right.send_packet(0);
    wrong.send_packet(6);
    const auto frame = client.receive(1s);
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->servos.frame_count, 0U);
    ASSERT_FALSE(client.send(at(1)));
    EXPECT_TRUE(right.receive());
    EXPECT_FALSE(wrong.receive(0ms));
    EXPECT_EQ(client.statistics().rejected_sender, 2U);
}

TEST(TwoClients, InOneProcessDoNotMixUpTheirAutopilots) {
    Client clients[2];
    ASSERT_FALSE(clients[0].open(any_port()));
    ASSERT_FALSE(clients[1].open(any_port()));
    FakeAutopilot sitls[2] = {FakeAutopilot(clients[0].port(), "127.0.0.2"),
                              FakeAutopilot(clients[1].port(), "127.0.0.3")};
    if (!sitls[0].opened() || !sitls[1].opened())
        GTEST_SKIP() << "this system has no 127.0.0.2 and 127.0.0.3";
    for (std::uint32_t count = 0; count < 100; ++count) {
        for (int i : {0, 1}) sitls[i].send_packet(count, 16, static_cast<std::uint16_t>(1000 + i));
        for (int i : {1, 0}) {
            const auto frame = clients[i].receive(1s);
            ASSERT_TRUE(frame);
            ASSERT_EQ(frame->servos.servo(1), 1000 + i);
        }
        for (int i : {0, 1}) ASSERT_FALSE(clients[i].send(at(1000.0 * i + 1 + count)));
        for (int i : {1, 0}) {
            EXPECT_THAT(sitls[i].receive().value_or(""),
                        HasSubstr(":" + std::to_string(1000U * static_cast<unsigned>(i) + 1 + count) + ","));
            EXPECT_FALSE(sitls[i].receive(0ms));
        }
    }
    EXPECT_THAT(clients[0].autopilot(), HasSubstr("127.0.0.2"));
    EXPECT_THAT(clients[1].autopilot(), HasSubstr("127.0.0.3"));
}

// ---- what send refuses

TEST_F(ClientTest, NobodyToAnswerYet) {
    EXPECT_EQ(client_.send(at(1)).code(), ErrorCode::no_autopilot);
    EXPECT_EQ(client_.statistics().refused, 1U);
}

TEST_F(ClientTest, AnUnsafeStateIsNotSentAndTheNextOneIs) {
    sitl_.send_packet(0);
    receive();
    State bad = at(1);
    bad.velocity.y = std::nan("");
    const auto error = client_.send(bad);
    EXPECT_EQ(error.code(), ErrorCode::not_finite);
    EXPECT_THAT(error.message(), HasSubstr("velocity.y"));
    EXPECT_FALSE(sitl_.receive(0ms));
    EXPECT_EQ(client_.statistics().refused, 1U);
    EXPECT_FALSE(client_.send(at(1))) << "the packet still has no answer";
    EXPECT_TRUE(sitl_.receive());
}

TEST_F(ClientTest, WhatIsNoTimeIsNotCalledTheSameTime) {
    exchange(0, 10);
    for (std::uint32_t count : {1U, 1U}) {  // a new frame, and a repetition
        sitl_.send_packet(count);
        receive();
        EXPECT_EQ(client_.send(at(std::nan(""))).code(), ErrorCode::not_finite);
    }
}

TEST_F(ClientTest, TimeHasToRise) {
    exchange(0, 10);
    sitl_.send_packet(1);
    receive();
    const auto same = client_.send(at(10));
    EXPECT_EQ(same.code(), ErrorCode::time_not_advanced);
    EXPECT_THAT(same.message(), HasSubstr("10 s"));
    const auto back = client_.send(at(9.5));
    EXPECT_EQ(back.code(), ErrorCode::time_went_back);
    EXPECT_THAT(back.message(),
                testing::AllOf(HasSubstr("9.5"), HasSubstr("10"), HasSubstr("allow_time_reset")));
    EXPECT_FALSE(client_.send(at(std::nextafter(10, 11))));
    EXPECT_EQ(client_.statistics().refused, 2U);
}

TEST_F(ClientTest, ARepetitionMayBeAnsweredWithTheSameTime) {
    exchange(0, 10);
    sitl_.send_packet(0);
    EXPECT_TRUE(receive().repeated());
    EXPECT_FALSE(client_.send(at(10)));
    sitl_.send_packet(0);
    EXPECT_TRUE(receive().repeated());
    EXPECT_FALSE(client_.send(at(11))) << "or with a later one";
    sitl_.send_packet(0);
    receive();
    EXPECT_EQ(client_.send(at(10)).code(), ErrorCode::time_went_back);
}

TEST_F(ClientTest, ADeliberateResetOfThePhysics) {
    exchange(0, 10);
    sitl_.send_packet(1);
    receive();
    client_.allow_time_reset();
    EXPECT_FALSE(client_.send(at(0.5)));
    sitl_.send_packet(2);
    receive();
    EXPECT_EQ(client_.send(at(0.25)).code(), ErrorCode::time_went_back) << "once only";
}

/// A jump that SITL would work through for minutes, with and without leave to go back.
TEST_F(ClientTest, TimeDoesNotJump) {
    exchange(0, 10);
    for (bool allowed : {false, true}) {
        if (allowed) client_.allow_time_reset();
        for (double time : {std::nextafter(10 + ap_json::longest_jump, 1e9), 1e7, 9e8}) {
            sitl_.send_packet(1);
            receive();
            const auto error = client_.send(at(time));
            EXPECT_EQ(error.code(), ErrorCode::time_jumped) << time;
            EXPECT_THAT(error.message(), testing::AllOf(HasSubstr("10 s"), HasSubstr("restart SITL")));
        }
    }
    EXPECT_FALSE(sitl_.receive(0ms));
    EXPECT_FALSE(client_.send(at(10 + ap_json::longest_jump)));
    exchange(0, 9e8);  // the first one may be any
}

class RelativeTime : public ClientTest {
  protected:
    static ClientOptions options() {
        ClientOptions options = any_port();
        options.relative_timestamps = true;
        return options;
    }
    RelativeTime() : ClientTest(options()) {}

    static double time_in(const std::string& line) { return std::stod(line.substr(line.find(':') + 1)); }
};

TEST_F(RelativeTime, BeginsAtZeroWhereverTheSimulatorDoes) {
    const double epoch = 1764522000.25;
    EXPECT_EQ(time_in(exchange(0, epoch)), 0);
    EXPECT_EQ(time_in(exchange(1, epoch + 0.5)), 0.5);
    sitl_.send_packet(2);
    receive();
    EXPECT_EQ(client_.send(at(epoch + 0.5)).code(), ErrorCode::time_not_advanced);
    const auto error = client_.send(at(epoch));
    EXPECT_EQ(error.code(), ErrorCode::time_went_back);
    EXPECT_THAT(error.message(), testing::AllOf(HasSubstr("1764522000.25"), HasSubstr("1764522000.75")))
        << "both in the simulator's own time";
}

TEST_F(RelativeTime, BeginsAnewWithArduPilot) {
    exchange(0, 5000);
    exchange(1, 5001);
    EXPECT_EQ(time_in(exchange(0, 5002)), 0);
    EXPECT_EQ(time_in(exchange(1, 5004)), 2);
}

TEST_F(RelativeTime, GoesOnAfterAResetOfThePhysics) {
    exchange(0, 100);
    exchange(1, 103);
    client_.allow_time_reset();
    EXPECT_EQ(time_in(exchange(2, 7)), 3);
    EXPECT_EQ(time_in(exchange(3, 9)), 5);
}

TEST_F(RelativeTime, AJumpThatIsMeantIsNoneForSitl) {
    exchange(0, 5);
    sitl_.send_packet(1);
    receive();
    EXPECT_EQ(client_.send(at(1764522000)).code(), ErrorCode::time_jumped);
    sitl_.send_packet(1);
    receive();
    const auto error = client_.send(at(5 + 2e5));
    EXPECT_THAT(error.message(), testing::AllOf(HasSubstr("200005 s is"), HasSubstr("before, 5 s")))
        << "both in the simulator's own time";
    client_.allow_time_reset();
    EXPECT_FALSE(client_.send(at(1764522000)));
    EXPECT_EQ(time_in(sitl_.receive().value_or(":9")), 0);
    EXPECT_EQ(time_in(exchange(2, 1764522000.5)), 0.5);
}

TEST_F(RelativeTime, RefusesWhatIsNoTime) {
    sitl_.send_packet(0);
    receive();
    EXPECT_EQ(client_.send(at(std::nan(""))).code(), ErrorCode::not_finite);
    EXPECT_EQ(client_.send(at(HUGE_VAL)).code(), ErrorCode::not_finite);
    EXPECT_FALSE(client_.send(at(77)));
    EXPECT_EQ(time_in(sitl_.receive().value_or(":9")), 0);
}

// ---- status

class QuickLoss : public ClientTest {
  protected:
    static ClientOptions options() {
        ClientOptions options = any_port();
        options.link_loss_time = 60ms;
        return options;
    }
    QuickLoss() : ClientTest(options()) {}
};

TEST_F(QuickLoss, StatusTellsWhatIsWrong) {
    EXPECT_FALSE(client_.receive(0s));
    EXPECT_EQ(client_.status(), LinkStatus::waiting);
    sitl_.send({1, 2, 3});
    EXPECT_FALSE(client_.receive(20ms));
    EXPECT_EQ(client_.status(), LinkStatus::unrecognised);
    exchange(0, 1);
    EXPECT_EQ(client_.status(), LinkStatus::online);
    for (int copy = 0; copy < 3; ++copy) {
        EXPECT_EQ(client_.status(), LinkStatus::online);
        exchange(0, 1);
    }
    EXPECT_EQ(client_.status(), LinkStatus::unanswered);
    exchange(1, 2);
    EXPECT_EQ(client_.status(), LinkStatus::online);
    int waits = 0;
    for (; client_.status() == LinkStatus::online; ++waits) EXPECT_FALSE(client_.receive(20ms));
    EXPECT_LE(waits, 4) << "of 20 ms each, for a loss after 60 ms";
    EXPECT_EQ(client_.status(), LinkStatus::lost);
    EXPECT_EQ(client_.statistics().losses, 1U);
    EXPECT_FALSE(client_.receive(100ms));
    EXPECT_EQ(client_.statistics().losses, 1U) << "lost once";
    sitl_.send_packet(2);
    EXPECT_EQ(receive().kind, FrameKind::next) << "the same SITL goes on where it was";
    EXPECT_EQ(client_.status(), LinkStatus::online);
}

TEST_F(QuickLoss, ALateCallerFindsWhatIsQueuedNotALoss) {
    exchange(0, 1);
    sitl_.send_packet(1);
    std::this_thread::sleep_for(100ms);  // the caller is away; there is no event to wait for
    EXPECT_TRUE(client_.receive(0s));
    EXPECT_EQ(client_.statistics().losses, 0U);
}

TEST(Status, HasNamesAndAdvice) {
    const std::pair<LinkStatus, const char*> names[] = {{LinkStatus::closed, "closed"},
                                                        {LinkStatus::waiting, "waiting"},
                                                        {LinkStatus::unrecognised, "unrecognised"},
                                                        {LinkStatus::unanswered, "unanswered"},
                                                        {LinkStatus::online, "online"},
                                                        {LinkStatus::lost, "lost"}};
    for (const auto& [status, name] : names) {
        EXPECT_STREQ(to_string(status), name);
        EXPECT_GT(std::string_view(explain(status)).size(), 20U);
    }
    EXPECT_STREQ(to_string(static_cast<LinkStatus>(99)), "unknown");
    EXPECT_STREQ(explain(static_cast<LinkStatus>(99)), "unknown");
}

// ---- waiting

TEST_F(ClientTest, AnotherThreadEndsAWaitAtOnce) {
    for (int round = 0; round < 20; ++round) {
        std::atomic<bool> done{false};
        std::thread waiting([&] {
            EXPECT_FALSE(client_.receive(60s));
            done = true;
        });
        if (round % 2 == 0) std::this_thread::yield();
        client_.cancel();
        waiting.join();
        EXPECT_TRUE(done);
    }
    EXPECT_EQ(client_.status(), LinkStatus::waiting) << "the library's own wake-up counts for nothing";
    EXPECT_EQ(client_.statistics().rejected_length, 0U);
}

TEST_F(ClientTest, ACancelBeforeTheWaitEndsTheNextOneOnly) {
    client_.cancel();
    EXPECT_FALSE(client_.receive(60s));
    sitl_.send_packet(0);
    EXPECT_TRUE(client_.receive(60s));
}

TEST_F(ClientTest, ZeroAndLessLookAndReturn) {
    EXPECT_FALSE(client_.receive(0s));
    EXPECT_FALSE(client_.receive(-1h));
    EXPECT_FALSE(client_.receive(std::chrono::nanoseconds::min()));
    EXPECT_FALSE(client_.wait(std::chrono::nanoseconds::min()));
}

TEST_F(ClientTest, TheLongestTimeIsNoSpecialCase) {
    sitl_.send_packet(0);
    EXPECT_TRUE(client_.wait(std::chrono::nanoseconds::max()));
    EXPECT_TRUE(client_.receive(std::chrono::nanoseconds::max()));
    client_.cancel();
    EXPECT_FALSE(client_.receive(std::chrono::nanoseconds::max()));
}

TEST_F(ClientTest, WaitsAreNotShorterThanAsked) {
    for (const auto timeout : {1ms, 7ms, 19ms, 20ms, 33ms}) {
        const auto start = std::chrono::steady_clock::now();
        EXPECT_FALSE(client_.receive(timeout));
        EXPECT_GE(std::chrono::steady_clock::now() - start, timeout - 100us);
    }
}

class EveryWay : public testing::TestWithParam<ap_json::WaitMode> {
  protected:
    EveryWay() {
        ClientOptions options = any_port();
        options.wait_mode = GetParam();
        options.spin_time = spin_time;
        EXPECT_FALSE(client_.open(options));
    }
    static constexpr auto spin_time = 20ms;
    Client client_;
};

TEST_P(EveryWay, WaitsAsLongAsAskedAndNoLonger) {
    for (const auto timeout : {0ms, 1ms, 30ms}) {
        const auto start = std::chrono::steady_clock::now();
        EXPECT_FALSE(client_.receive(timeout));
        EXPECT_GE(std::chrono::steady_clock::now() - start, timeout - 100us);
    }
}

TEST_P(EveryWay, HandsOverWhatComesDuringTheWait) {
    FakeAutopilot sitl(client_.port());
    for (std::uint32_t count = 0; count < 50; ++count) {
        std::thread later([&] {
            if (count % 2 == 0) std::this_thread::sleep_for(1ms);
            sitl.send({1});
            sitl.send_packet(count);
        });
        const auto frame = client_.receive(60s);
        later.join();
        ASSERT_TRUE(frame);
        EXPECT_EQ(frame->servos.frame_count, count);
        ASSERT_FALSE(client_.send(at(1 + count)));
    }
    EXPECT_FALSE(client_.receive(5ms));
    EXPECT_EQ(client_.statistics().received, 50U);
    EXPECT_EQ(client_.statistics().rejected_length, 50U);
    EXPECT_EQ(client_.statistics().receive_errors, 0U);
}

TEST_P(EveryWay, HandsOverWhatIsThereAlready) {
    FakeAutopilot sitl(client_.port());
    for (std::uint32_t count = 0; count < 20; ++count) {
        sitl.send_packet(count);
        const auto frame = client_.receive(count % 2 == 0 ? 60s : 0s);
        ASSERT_TRUE(frame);
        EXPECT_EQ(frame->servos.frame_count, count);
    }
}

TEST_P(EveryWay, DoesNotWaitMuchLonger) {
    int attempts = 0;  // the machine may be busy with something else
    for (auto took = 1h + 0ns; took > 120ms && attempts < 20; ++attempts) {
        const auto start = std::chrono::steady_clock::now();
        EXPECT_FALSE(client_.receive(100ms));
        took = std::chrono::steady_clock::now() - start;
    }
    EXPECT_LT(attempts, 20);
}

#if defined(__linux__)
/// What the ways differ in: whether the thread sleeps, and how much of the processor it takes.
TEST_P(EveryWay, SleepsOrSpins) {
    const auto usage = [] {
        rusage now{};
        getrusage(RUSAGE_THREAD, &now);
        return now;
    };
    const auto computing = [](const rusage& used) {
        return std::chrono::seconds(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
               std::chrono::microseconds(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    };
    bool slept = true, never_slept = false, spun = false;
    for (int round = 0; round < 50 && !(spun && never_slept); ++round) {
        const auto before = usage();
        EXPECT_FALSE(client_.receive(2 * spin_time));
        const auto after = usage();
        const bool sleeps = after.ru_nvcsw > before.ru_nvcsw;
        slept = slept && sleeps;
        never_slept = never_slept || !sleeps;
        spun = spun || computing(after) - computing(before) > spin_time / 4;
        if (GetParam() == ap_json::WaitMode::block && round == 2) break;
        if (GetParam() == ap_json::WaitMode::spin_then_block && spun) break;
    }
    EXPECT_EQ(spun, GetParam() != ap_json::WaitMode::block);
    EXPECT_EQ(slept, GetParam() != ap_json::WaitMode::spin) << "in each round";
    EXPECT_EQ(never_slept, GetParam() == ap_json::WaitMode::spin) << "in some round";
}
#endif

TEST_P(EveryWay, IsEndedByAnotherThread) {
    for (int round = 0; round < 10; ++round) {
        std::thread waiting([&] { EXPECT_FALSE(client_.receive(60s)); });
        if (round % 2 == 0) std::this_thread::sleep_for(2ms);
        client_.cancel();
        waiting.join();
    }
}

INSTANTIATE_TEST_SUITE_P(All, EveryWay,
                         testing::Values(ap_json::WaitMode::block, ap_json::WaitMode::spin,
                                         ap_json::WaitMode::spin_then_block));

TEST(Open, ASpinTimeThatCannotBeMeant) {
    for (const auto spin_time : {0us, 1000000us}) {
        ClientOptions options = any_port();
        options.spin_time = spin_time;
        EXPECT_FALSE(Client().open(options)) << spin_time.count();
    }
    for (const auto spin_time : {-1us, 1000001us}) {
        ClientOptions options = any_port();
        options.spin_time = spin_time;
        EXPECT_THAT(Client().open(options).message(), HasSubstr(std::to_string(spin_time.count())));
    }
}

#if defined(__linux__) && !defined(AP_JSON_POSIX_ONLY)
TEST(ThreadPin, KeepsToACoreOrSaysWhyNot) {
    std::thread([] {  // not the thread of the other tests
        for (int core : {-1, 1 << 20, 1000}) {
            const auto error = ap_json::pin_calling_thread(core);
            EXPECT_EQ(error.code(), ErrorCode::bad_option) << core;
            EXPECT_THAT(error.message(), HasSubstr("core " + std::to_string(core)));
        }
        cpu_set_t allowed;
        ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
        for (int core = 0; core < CPU_SETSIZE; ++core) {
            if (!CPU_ISSET(static_cast<unsigned>(core), &allowed)) continue;
            ASSERT_FALSE(ap_json::pin_calling_thread(core));
            EXPECT_EQ(sched_getcpu(), core);
        }
    })
        .join();
}
#endif

TEST_F(ClientTest, StrayDatagramsDoNotEndAWait) {
    std::thread stray([this] {
        FakeAutopilot stranger(client_.port());
        for (int i = 0; i < 20; ++i) {
            stranger.send({9});
            std::this_thread::sleep_for(1ms);
        }
        sitl_.send_packet(0);
    });
    EXPECT_TRUE(client_.receive(60s));
    stray.join();
    EXPECT_EQ(client_.statistics().rejected_length, 20U);
}

TEST_F(ClientTest, WaitLooksButTakesNothing) {
    EXPECT_FALSE(client_.wait(0s));
    sitl_.send_packet(0);
    EXPECT_TRUE(client_.wait(1s));
    EXPECT_TRUE(client_.wait(0s));
    EXPECT_EQ(client_.statistics().received, 0U);
    EXPECT_TRUE(client_.receive(0s));
    EXPECT_FALSE(client_.wait(0s));
}

#if !defined(_WIN32)
TEST_F(ClientTest, ASignalDoesNotEndAWait) {
    struct sigaction action {};
    action.sa_handler = [](int) {};
    struct sigaction old {};
    ASSERT_EQ(sigaction(SIGUSR1, &action, &old), 0);  // without SA_RESTART
    for (const auto timeout : {10ms, 40ms}) {         // both ways of waiting
        const pthread_t self = pthread_self();
        std::atomic<bool> stop{false};
        std::thread sender([&] {
            while (!stop) {
                pthread_kill(self, SIGUSR1);
                std::this_thread::sleep_for(1ms);
            }
        });
        const auto start = std::chrono::steady_clock::now();
        EXPECT_FALSE(client_.receive(timeout));
        EXPECT_FALSE(client_.wait(timeout));
        EXPECT_GE(std::chrono::steady_clock::now() - start, 2 * timeout - 100us);
        EXPECT_EQ(client_.statistics().receive_errors, 0U);
        stop = true;
        sender.join();
    }
    sigaction(SIGUSR1, &old, nullptr);
}
#endif

#if !defined(_WIN32)
Client* signalled = nullptr;
volatile std::sig_atomic_t errno_kept = 0;

/// cancel() from a signal handler, as for Ctrl-C, in the thread that waits.
TEST_F(ClientTest, ASignalHandlerMayCancel) {
    signalled = &client_;
    struct sigaction action {};
    action.sa_handler = [](int) {
        const int before = errno;
        errno = 77;
        signalled->cancel();
        errno_kept = errno == 77 ? 1 : 0;
        errno = before;
    };
    struct sigaction old {};
    ASSERT_EQ(sigaction(SIGUSR1, &action, &old), 0);
    for (int round = 0; round < 20; ++round) {
        const pthread_t self = pthread_self();
        std::thread sender([&] { pthread_kill(self, SIGUSR1); });
        EXPECT_FALSE(client_.receive(60s));
        sender.join();
        EXPECT_EQ(errno_kept, 1);
    }
    sigaction(SIGUSR1, &old, nullptr);
}

TEST_F(ClientTest, CancelKeepsErrno) {
    ASSERT_EQ(shutdown(static_cast<int>(client_.native_handle()), SHUT_WR), -1);  // its datagram fails
    errno = 77;
    client_.cancel();
    EXPECT_EQ(errno, 77);
}
#endif

// ---- the object

TEST_F(ClientTest, MovesWithTheLinkUp) {
    exchange(0, 1);
    Client moved = std::move(client_);
    EXPECT_FALSE(client_.is_open());  // NOLINT(bugprone-use-after-move): that is what is tested
    EXPECT_EQ(client_.status(), LinkStatus::closed);
    EXPECT_FALSE(client_.receive(0s));
    sitl_.send_packet(1);
    EXPECT_EQ(moved.receive(1s)->kind, FrameKind::next);
    ASSERT_FALSE(moved.send(at(2)));
    client_ = std::move(moved);
    EXPECT_EQ(client_.statistics().sent, 2U);
}

TEST_F(ClientTest, CountersStayReadableAfterClose) {
    exchange(0, 1);
    client_.close();
    client_.close();
    EXPECT_EQ(client_.status(), LinkStatus::closed);
    EXPECT_EQ(client_.statistics().sent, 1U);
    EXPECT_EQ(client_.send(at(2)).code(), ErrorCode::not_open);
}

/// Whatever arrives in whatever order: the counters add up to it.
TEST_F(ClientTest, CountersAddUp) {
    std::mt19937 random(7);
    std::uint64_t valid = 0, invalid = 0, handed_over = 0, sent = 0, arrived = 0;
    std::uint64_t repeated = 0, missed = 0;
    std::uint32_t count = 0;
    std::uint32_t previous = 0;  // count handed over
    double time = 0;
    for (int round = 0; round < 500; ++round) {
        for (auto burst = random() % 12; burst > 0; --burst) {
            switch (random() % 5) {
                case 0:
                    sitl_.send({0, 1, 2});
                    ++invalid;
                    break;
                case 1:
                    count += static_cast<std::uint32_t>(random() % 3);
                    [[fallthrough]];
                default:
                    sitl_.send_packet(count);
                    ++valid;
                    count += static_cast<std::uint32_t>(random() % 2);
            }
        }
        while (const auto frame = client_.receive(0s)) {
            const std::uint32_t ahead = frame->servos.frame_count - previous;
            if (handed_over > 0 && ahead == 0) ++repeated;
            if (handed_over > 0 && ahead > 1) missed += ahead - 1;
            previous = frame->servos.frame_count;
            ++handed_over;
            ++time;
            sent += client_.send(at(time)) ? 0U : 1U;
        }
        while (sitl_.receive(0ms)) ++arrived;
    }
    const auto& s = client_.statistics();
    EXPECT_EQ(s.received, valid);
    EXPECT_EQ(s.rejected_length, invalid);
    EXPECT_EQ(s.received, handed_over + s.drained + s.stale);
    EXPECT_GT(repeated, 10U);
    EXPECT_GT(missed, 10U);
    EXPECT_EQ(s.repeated, repeated);
    EXPECT_EQ(s.missed, missed);
    EXPECT_EQ(s.restarts, 0U);
    EXPECT_EQ(s.sent, sent);
    EXPECT_EQ(s.sent, handed_over);
    EXPECT_EQ(arrived, sent);
}

// ---- the log

TEST(Log, TellsOfEventsButNotOfFrames) {
    std::vector<std::string> log;
    ClientOptions options = any_port();
    options.link_loss_time = 30ms;
    options.log = [&log](std::string_view message) { log.emplace_back(message); };
    Client client;
    ASSERT_FALSE(client.open(options));
    FakeAutopilot sitl(client.port());
    const auto frame = [&](FakeAutopilot& from, std::uint32_t count, double time) {
        from.send_packet(count);
        ASSERT_TRUE(client.receive(1s));
        static_cast<void>(client.send(at(time)));  // some are refused; that is not what this is about
        from.receive(0ms);
    };
    for (std::uint32_t count = 0; count < 1000; ++count) frame(sitl, count, 1 + count);
    EXPECT_THAT(log, testing::ElementsAre(HasSubstr("listening"), HasSubstr("connected")));
    while (client.status() != LinkStatus::lost) EXPECT_FALSE(client.receive(10ms));
    frame(sitl, 1000, 2000);
    EXPECT_THAT(log, testing::ElementsAre(HasSubstr("listening"), HasSubstr("connected"), HasSubstr("lost"),
                                          HasSubstr("back")));
    log.clear();
    FakeAutopilot other(client.port());
    for (std::uint32_t round = 0; round < 1000; ++round) {  // two on one port
        frame(other, 0, 1);
        frame(sitl, 0, 1);
    }
    EXPECT_LT(log.size(), 10U);
}

/// A log of what a client that is asked to talks about.
class LogTest : public ClientTest {
  protected:
    explicit LogTest() : ClientTest(options()) { log().clear(); }

    static ClientOptions options() {
        ClientOptions options = any_port();
        options.link_loss_time = 1ms;
        options.log = [](std::string_view message) { log().emplace_back(message); };
        return options;
    }
    static std::vector<std::string>& log() {
        static std::vector<std::string> log;
        return log;
    }
    void repeat(std::uint32_t count, int times) {
        for (int copy = 0; copy < times; ++copy) {
            sitl_.send_packet(count);
            receive();
        }
    }
};

TEST_F(LogTest, TellsEachTimeThatAnswersDoNotArriveOnce) {
    exchange(0, 1);
    repeat(0, 500);
    exchange(1, 2);
    repeat(1, 500);
    EXPECT_EQ(std::count_if(log().begin(), log().end(),
                            [](const std::string& text) { return text.find("repeats frame") != text.npos; }),
              2);
}

TEST_F(LogTest, TellsWhySendRefused) {
    exchange(0, 1);
    for (int copy = 0; copy < 4; ++copy) {
        sitl_.send_packet(0);
        receive();
        EXPECT_TRUE(client_.send(at(std::nan(""))));
    }
    EXPECT_THAT(log(),
                testing::Contains(testing::AllOf(HasSubstr("repeats frame 0"), HasSubstr("timestamp"))));
}

TEST_F(LogTest, TellsWhoIsAnsweredNow) {
    exchange(500, 1);
    FakeAutopilot fresh(client_.port());
    fresh.send_packet(0);
    receive();
    EXPECT_FALSE(client_.send(at(1)));
    FakeAutopilot translated(client_.port());
    translated.send_packet(1);
    receive();
    EXPECT_THAT(log(),
                testing::ElementsAre(HasSubstr("connected to ArduPilot at " + sitl_.name() + ", 16 channels"),
                                     HasSubstr("ArduPilot was started again, now at " + fresh.name()),
                                     HasSubstr("ArduPilot's address changed to " + translated.name())));
}

/// Once may be a lost datagram, and so may twice.
TEST_F(LogTest, TellsOfTheThirdRepetition) {
    sitl_.send_packet(7);
    receive();
    EXPECT_TRUE(client_.send(at(std::nan("")))) << "refused, but the next one is not";
    EXPECT_FALSE(client_.send(at(1)));
    repeat(7, 2);
    EXPECT_EQ(log().size(), 1U) << "connected";
    repeat(7, 1);
    EXPECT_THAT(log().back(),
                testing::AllOf(HasSubstr("repeats frame 7"), HasSubstr("does not get the answers"),
                               testing::Not(HasSubstr("refused the answer"))));
}

/// Something that goes on and could not be told among too much else, is told when there is room again.
TEST_F(LogTest, WhatTheLimitHeldBackIsToldLater) {
    std::uint32_t count = 0;
    for (; count < 10; ++count) {
        exchange(count, 1 + count);
        while (client_.status() != LinkStatus::lost) EXPECT_FALSE(client_.receive(1ms));
    }
    log().clear();
    exchange(count, 1 + count);
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (log().empty() && std::chrono::steady_clock::now() < deadline) repeat(count, 1);
    ASSERT_FALSE(log().empty());
    EXPECT_THAT(log().front(), HasSubstr("repeats frame 10"));
}

TEST_F(LogTest, TellsOnceOfStrayDatagrams) {
    EXPECT_FALSE(client_.receive(1ms));
    EXPECT_THAT(log(), testing::IsEmpty()) << "nothing has come";
    for (int stray = 0; stray < 100; ++stray) {
        sitl_.send({1, 2, 3});
        EXPECT_FALSE(client_.receive(1ms));
    }
    EXPECT_THAT(log(), testing::ElementsAre(HasSubstr("not a servo packet")));
}

/// A loss time shorter than a frame: losses and returns with every frame.
TEST_F(LogTest, AFlappingLinkDoesNotFillIt) {
    const auto start = std::chrono::steady_clock::now();
    for (std::uint32_t count = 0; count < 200; ++count) {
        exchange(count, 1 + count);
        while (client_.status() != LinkStatus::lost) EXPECT_FALSE(client_.receive(1ms));
    }
    const auto seconds = (std::chrono::steady_clock::now() - start) / 1s;
    EXPECT_GE(client_.statistics().losses, 200U);
    EXPECT_LE(log().size(), 6U + static_cast<std::size_t>(seconds)) << "five at once and one a second";
}

}  // namespace
