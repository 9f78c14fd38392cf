// libAP_JSON_test.cpp - the drop-in class does what its users hoped for.
#include <gmock/gmock.h>
#include <libAP_JSON.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <sstream>
#include <thread>
#if defined(__linux__)
#include <sys/resource.h>
#endif

#include "fake_autopilot.hpp"

namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// What the class prints, collected.
class CapturedConsole {
  public:
    CapturedConsole() : old_(std::cout.rdbuf(text_.rdbuf())) {}
    ~CapturedConsole() { std::cout.rdbuf(old_); }
    CapturedConsole(const CapturedConsole&) = delete;
    CapturedConsole& operator=(const CapturedConsole&) = delete;
    [[nodiscard]] std::string text() const { return text_.str(); }

  private:
    std::ostringstream text_;
    std::streambuf* old_;
};

class DropIn : public testing::Test {
  protected:
    DropIn() : port_(free_port()), sitl_(port_) { EXPECT_TRUE(ap_.InitSockets("127.0.0.1", port_)); }

    static std::uint16_t free_port() {
        ap_json::ClientOptions options;
        options.port = 0;
        ap_json::Client client;
        EXPECT_FALSE(client.open(options));
        return client.port();
    }

    void send_state(double time, double north = 0) {
        ap_.SendState(time, 1, 2, 3, 4, 5, 6, north, 8, 9, 0.1, 0.2, 0.3, 10, 11, 12);
    }

    /// ReceiveServoPacket until something comes.
    template <class Servos>
    bool receive(Servos& servos) {
        for (int i = 0; i < 1000; ++i) {
            if (ap_.ReceiveServoPacket(servos)) return true;
        }
        return false;
    }

    CapturedConsole console_;
    std::uint16_t port_;
    libAP_JSON ap_;
    FakeAutopilot sitl_;
};

TEST_F(DropIn, ExchangesAFrame) {
    EXPECT_FALSE(ap_.ap_online);
    std::uint16_t servos[16] = {};
    EXPECT_FALSE(ap_.ReceiveServoPacket(servos));
    sitl_.send_packet(0, 16, 1234);
    ASSERT_TRUE(receive(servos));
    EXPECT_TRUE(ap_.ap_online);
    EXPECT_EQ(servos[0], 1234);
    EXPECT_EQ(servos[15], 1015) << "all of the 16";
    send_state(0, 7);
    EXPECT_EQ(sitl_.receive(),
              "\n{\"timestamp\":0,\"imu\":{\"gyro\":[1,2,3],\"accel_body\":[4,5,6]},\"position\":[7,8,9],"
              "\"attitude\":[0.1,0.2,0.3],\"velocity\":[10,11,12]}\n");
}

TEST_F(DropIn, ArraysGetTheirLength) {
    std::uint16_t many[32] = {};
    sitl_.send_packet(0, 32);
    ASSERT_TRUE(receive(many));
    EXPECT_EQ(many[31], 1031);
    sitl_.send_packet(1, 16);
    ASSERT_TRUE(receive(many));
    EXPECT_EQ(many[15], 1015);
    EXPECT_EQ(many[16], 0);
    std::uint16_t few[5] = {0, 0, 0, 0, 77};  // the guard behind the four is the fifth
    auto& four = reinterpret_cast<std::uint16_t(&)[4]>(few);
    sitl_.send_packet(2, 32);
    ASSERT_TRUE(receive(four));
    EXPECT_EQ(few[3], 1003);
    EXPECT_EQ(few[4], 77);
    std::uint16_t* const pointer = many;
    std::fill(std::begin(many), std::end(many), std::uint16_t{77});
    sitl_.send_packet(3, 32);
    ASSERT_TRUE(receive(pointer));
    EXPECT_EQ(many[15], 1015);
    EXPECT_EQ(many[16], 77) << "a pointer is good for 16";
}

TEST_F(DropIn, OptionalSensorsStayOnceSet) {
    double ranges[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    ap_.setAirspeed(12.5);
    ap_.setWindvane(0.5, 3);
    ap_.setRangefinder(ranges, 8);
    ap_.setRangefinder(ranges, 8);
    std::uint16_t servos[16];
    for (std::uint32_t count : {0U, 1U}) {
        sitl_.send_packet(count);
        ASSERT_TRUE(receive(servos));
        send_state(count);
        EXPECT_THAT(sitl_.receive().value_or(""),
                    testing::AllOf(HasSubstr("\"airspeed\":12.5"), HasSubstr("\"direction\":0.5,\"speed\":3"),
                                   HasSubstr("\"rng_6\":6"), testing::Not(HasSubstr("rng_7"))));
    }
    EXPECT_THAT(console_.text(), HasSubstr("six range finders"));
}

TEST_F(DropIn, SixRangeFindersAreNotTooMany) {
    double ranges[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (int n : {0, 3, 6}) ap_.setRangefinder(ranges, static_cast<std::uint8_t>(n));
    EXPECT_EQ(console_.text().find("six"), std::string::npos);
    for (int n : {7, 8}) ap_.setRangefinder(ranges, static_cast<std::uint8_t>(n));
    const std::string text = console_.text();
    EXPECT_NE(text.find("six"), std::string::npos);
    EXPECT_EQ(text.find("six"), text.rfind("six")) << "once";
}

TEST_F(DropIn, ListensWhereItIsTold) {
    libAP_JSON elsewhere;
    ASSERT_TRUE(elsewhere.InitSockets("127.0.0.2", port_)) << "the same port of another address";
    EXPECT_THAT(console_.text(), HasSubstr("waiting for ArduPilot on 127.0.0.2:" + std::to_string(port_)));
    std::uint16_t servos[16];
    sitl_.send_packet(0);
    EXPECT_FALSE(elsewhere.ReceiveServoPacket(servos));
    EXPECT_FALSE(elsewhere.InitSockets(nullptr, port_));
    EXPECT_FALSE(elsewhere.InitSockets("no address", port_));
}

TEST_F(DropIn, InitSocketsBeginsAnew) {
    std::uint16_t servos[16];
    sitl_.send_packet(0);
    ASSERT_TRUE(receive(servos));
    EXPECT_TRUE(ap_.ap_online);
    EXPECT_TRUE(ap_.InitSockets("127.0.0.1", port_));
    EXPECT_FALSE(ap_.ap_online);
    sitl_.send_packet(5);
    EXPECT_TRUE(receive(servos));
}

/// 1 ms while ArduPilot is not there, 10 ms while it is; asleep, not spinning.
TEST_F(DropIn, WaitsLongerWhileArduPilotIsThere) {
    std::uint16_t servos[16];
    const auto wait = [&] {
        const auto start = std::chrono::steady_clock::now();
        EXPECT_FALSE(ap_.ReceiveServoPacket(servos));
        return std::chrono::steady_clock::now() - start;
    };
    auto shortest = 1h + 0ns;
    for (int attempt = 0; attempt < 50; ++attempt) shortest = std::min(shortest, wait());
    EXPECT_GE(shortest, 900us);
    EXPECT_LT(shortest, 9ms) << "the machine may be busy, but not each time";
    sitl_.send_packet(0);
    ASSERT_TRUE(receive(servos));
#if defined(__linux__)
    const auto sleeps = [] {
        rusage usage{};
        getrusage(RUSAGE_THREAD, &usage);
        return usage.ru_nvcsw;
    };
    const auto before = sleeps();
    EXPECT_GE(wait(), 9900us);
    EXPECT_GT(sleeps(), before);
#endif
}

TEST_F(DropIn, ATimeSinceTheEpochIsMadeHarmless) {
    std::uint16_t servos[16];
    sitl_.send_packet(0);
    ASSERT_TRUE(receive(servos));
    send_state(1764522000.5);
    EXPECT_THAT(sitl_.receive().value_or(""), testing::StartsWith("\n{\"timestamp\":0,"));
}

TEST_F(DropIn, TimeThatGoesBackDoesNotStopTheLink) {
    std::uint16_t servos[16];
    std::uint32_t count = 0;
    for (double time : {5.0, 6.0, 1.0, 2.0}) {
        sitl_.send_packet(count++);
        ASSERT_TRUE(receive(servos));
        send_state(time);
        EXPECT_TRUE(sitl_.receive());
    }
    EXPECT_THAT(console_.text(), HasSubstr("time went back"));
}

/// A clock of 16 ms ticks under frames that come much faster: each frame gets its answer, and time rises.
TEST_F(DropIn, ACoarseClockDoesNotStopTheLink) {
    std::uint16_t servos[16];
    double last = -1;
    for (std::uint32_t count = 0; count < 500; ++count) {
        sitl_.send_packet(count);
        ASSERT_TRUE(receive(servos));
        send_state(1764522000 + 0.016 * (count / 100));
        const auto line = sitl_.receive();
        ASSERT_TRUE(line) << count;
        const double time = std::stod(line->substr(line->find(':') + 1));
        EXPECT_GT(time, last) << count;
        EXPECT_NEAR(time, 0.016 * (count / 100), 150e-6);
        last = time;
    }
    EXPECT_EQ(console_.text().find("not sent"), std::string::npos);
    EXPECT_EQ(console_.text().find("time"), std::string::npos);
}

TEST_F(DropIn, AClockThatJumpsDoesNotStopTheLink) {
    std::uint16_t servos[16];
    std::uint32_t count = 0;
    double last = -1;
    for (double time : {0.0, 0.1, 1764522000.0, 1764522000.1, 5e15, 5e15 + 1, -3.0, -2.0, 1764522000.0}) {
        sitl_.send_packet(count++);
        ASSERT_TRUE(receive(servos));
        send_state(time);
        const auto line = sitl_.receive();
        ASSERT_TRUE(line) << time;
        const double seen = std::stod(line->substr(line->find(':') + 1));
        EXPECT_GE(seen, last);
        EXPECT_LE(seen, 10);
        last = seen;
    }
    EXPECT_THAT(console_.text(), HasSubstr("time jumped"));
}

TEST_F(DropIn, SendingMoreThanIsAskedForSendsOnce) {
    std::uint16_t servos[16];
    sitl_.send_packet(0);
    ASSERT_TRUE(receive(servos));
    for (int i = 0; i < 10; ++i) send_state(i);
    EXPECT_TRUE(sitl_.receive());
    EXPECT_FALSE(sitl_.receive(0ms));
    EXPECT_EQ(console_.text().find("not sent"), std::string::npos) << "that is how such programs are";
}

TEST_F(DropIn, SendingBeforeThereIsAnybodyIsNoTrouble) {
    for (int i = 0; i < 10; ++i) send_state(i);
    EXPECT_EQ(console_.text().find("not sent"), std::string::npos);
}

/// What was not sent does not move SITL's clock.
TEST_F(DropIn, TimeThatStandsStillRisesByAMicrosecondPerFrame) {
    std::uint16_t servos[16];
    for (std::uint32_t count = 0; count < 5; ++count) {
        sitl_.send_packet(count);
        ASSERT_TRUE(receive(servos));
        for (int i = 0; i < 100; ++i) send_state(7);
        const auto line = sitl_.receive().value_or(":99");
        EXPECT_NEAR(std::stod(line.substr(line.find(':') + 1)), count * 1e-6, 1e-7);
    }
}

TEST_F(DropIn, AValueThatEndsSitlIsKeptAndSaidOnce) {
    std::uint16_t servos[16];
    for (std::uint32_t count = 0; count < 5; ++count) {
        sitl_.send_packet(count);
        ASSERT_TRUE(receive(servos));
        send_state(1, std::nan(""));
    }
    EXPECT_FALSE(sitl_.receive(0ms));
    const std::string text = console_.text();
    EXPECT_THAT(text, HasSubstr("position.x"));
    EXPECT_EQ(text.find("position.x"), text.rfind("position.x"));
}

TEST_F(DropIn, GoesOfflineAfterMoreThanTenMisses) {
    std::uint16_t servos[16] = {};
    sitl_.send_packet(0, 16, 1111);
    ASSERT_TRUE(receive(servos));
    for (int miss = 1; miss <= 10; ++miss) {
        EXPECT_FALSE(ap_.ReceiveServoPacket(servos));
        EXPECT_TRUE(ap_.ap_online) << miss;
    }
    EXPECT_FALSE(ap_.ReceiveServoPacket(servos));
    EXPECT_FALSE(ap_.ap_online);
    EXPECT_EQ(servos[0], 1111) << "untouched";
    EXPECT_THAT(console_.text(), HasSubstr("lost ArduPilot"));
    for (std::uint32_t count : {1U, 2U, 3U}) {
        sitl_.send_packet(count);
        EXPECT_TRUE(receive(servos));
        for (int miss = 1; miss <= 6; ++miss) EXPECT_FALSE(ap_.ReceiveServoPacket(servos));
        EXPECT_TRUE(ap_.ap_online) << "the misses are not in a row";
    }
    sitl_.send_packet(0);
    EXPECT_TRUE(receive(servos));
    EXPECT_THAT(console_.text(), HasSubstr("ArduPilot was started again, now at " + sitl_.name()));
}

/// Stray datagrams are no waits without a servo packet: ArduPilot does not count as gone because of them.
TEST_F(DropIn, AFloodOfStrayDatagramsChangesNothing) {
    FakeAutopilot stranger(port_, "127.0.0.9");
    if (!stranger.opened()) GTEST_SKIP() << "this system has no 127.0.0.9";
    std::uint16_t servos[16] = {};
    sitl_.send_packet(0);
    ASSERT_TRUE(receive(servos));
    for (int miss = 1; miss <= 10; ++miss) {
        for (int stray = 0; stray < 20; ++stray) stranger.send({1, 2, 3});
        const auto start = std::chrono::steady_clock::now();
        EXPECT_FALSE(ap_.ReceiveServoPacket(servos));
        EXPECT_GE(std::chrono::steady_clock::now() - start, 9900us) << "the wait takes its time";
        EXPECT_TRUE(ap_.ap_online);
    }
}

/// Whatever happens again and again, such as states that are refused now and then, or a SITL that comes and goes.
TEST_F(DropIn, WhatHappensAgainAndAgainDoesNotFillTheConsole) {
    std::uint16_t servos[16];
    const auto start = std::chrono::steady_clock::now();
    std::uint32_t count = 0;
    for (int round = 0; round < 300; ++round) {
        sitl_.send_packet(round % 3 == 0 ? count = 0 : ++count);
        ASSERT_TRUE(receive(servos));
        send_state(round, round % 2 == 0 ? std::nan("") : 0);
    }
    const std::string text = console_.text();
    const auto seconds = (std::chrono::steady_clock::now() - start) / 1s;
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 6 + seconds) << text;
}

TEST_F(DropIn, SaysWhatHappensSeldomAndWithItsPrefix) {
    std::uint16_t servos[16];
    for (std::uint32_t count = 0; count < 500; ++count) {
        sitl_.send_packet(count);
        ASSERT_TRUE(receive(servos));
        send_state(count);
        sitl_.receive();
    }
    std::istringstream lines(console_.text());
    int number = 0;
    for (std::string line; std::getline(lines, line); ++number)
        EXPECT_THAT(line, testing::StartsWith("[libAP_JSON] "));
    EXPECT_EQ(number, 2);
    EXPECT_THAT(console_.text(), HasSubstr("connected to ArduPilot at " + sitl_.name()));
}

TEST_F(DropIn, ABusyPortIsFalseAndSaid) {
    libAP_JSON second;
    EXPECT_FALSE(second.InitSockets("127.0.0.1", port_));
    EXPECT_THAT(console_.text(), HasSubstr(std::to_string(port_) + ": "));
}

TEST_F(DropIn, SendsFromAnotherThreadThanItReceives) {
    std::atomic<bool> done{false};
    std::thread sender([&] {
        for (double time = 0; !done; time += 0.001) {
            send_state(time);
            std::this_thread::yield();
        }
    });
    std::uint16_t servos[16];
    for (std::uint32_t count = 0; count < 300; ++count) {
        sitl_.send_packet(count);
        EXPECT_TRUE(receive(servos));
        EXPECT_TRUE(sitl_.receive()) << count;
    }
    done = true;
    sender.join();
}

}  // namespace
