// sitl_stand_in_test.cpp - the stand-in's socket, clock and thread: what it sends and when.
#include <gmock/gmock.h>

#include <ap_json/client.hpp>
#include <ap_json/sitl_stand_in.hpp>
#include <cmath>
#include <mutex>
#include <thread>

#include "fake_autopilot.hpp"

namespace {

using namespace std::chrono_literals;
using ap_json::Client;
using ap_json::ErrorCode;
using ap_json::SitlModel;
using ap_json::SitlStandIn;
using ap_json::SitlStandInOptions;
using testing::HasSubstr;

class StandInTest : public testing::Test {
  protected:
    StandInTest() {
        ap_json::ClientOptions client_options;
        client_options.port = 0;
        EXPECT_FALSE(client_.open(client_options));
        options_.backend_port = client_.port();
        options_.speedup = 0;
        options_.console = [this](std::string_view line) {
            const std::lock_guard lock(mutex_);
            console_.emplace_back(line);
        };
    }

    /// Answers `frames` packets with steps of `step` seconds.
    void answer(int frames, double step = 0.0025) {
        for (int i = 0; i < frames; ++i) {
            const auto frame = client_.receive(5s);
            ASSERT_TRUE(frame);
            if (!frame->repeated()) state_.timestamp += step;
            const auto error = client_.send(state_);
            ASSERT_FALSE(error) << error.message();
        }
    }

    std::vector<std::string> console() {
        const std::lock_guard lock(mutex_);
        return console_;
    }

    Client client_;
    SitlStandInOptions options_;
    ap_json::State state_;
    std::mutex mutex_;
    std::vector<std::string> console_;
    SitlStandIn sitl_;  // last: its thread ends first
};

TEST_F(StandInTest, AsksAgainWhenNothingComes) {
    ASSERT_FALSE(sitl_.start(options_));
    const auto first = client_.receive(5s);
    const auto start = std::chrono::steady_clock::now();
    const auto second = client_.receive(5s);
    ASSERT_TRUE(first && second);
    EXPECT_GE(std::chrono::steady_clock::now() - start, 1000ms);
    EXPECT_EQ(second->servos.frame_count, 0U);
    EXPECT_THAT(console(), testing::Each("No JSON sensor message received, resending servos"));
    EXPECT_EQ(console().size(), sitl_.traffic().resends);
    EXPECT_GE(sitl_.traffic().resends, 1U);
}

TEST_F(StandInTest, CountsEachAcceptedLine) {
    ASSERT_FALSE(sitl_.start(options_));
    answer(500);
    EXPECT_TRUE(sitl_.wait_until([](const SitlModel& model) { return model.frame_count() == 500; }, 5s));
    EXPECT_EQ(sitl_.traffic().accepted, 500U);
    EXPECT_EQ(sitl_.traffic().rejected, 0U);
    EXPECT_THAT(console(), testing::Contains("JSON received:"));
}

TEST_F(StandInTest, SendsBothSizesOfPacket) {
    options_.channels_32 = true;
    ASSERT_FALSE(sitl_.start(options_));
    EXPECT_EQ(client_.receive(5s)->servos.channels, 32);
    sitl_.use([](SitlModel& model) { model.set_32_channels(false); });
    state_.timestamp = 1;
    ASSERT_FALSE(client_.send(state_));
    EXPECT_EQ(client_.receive(5s)->servos.channels, 16);
}

TEST_F(StandInTest, ANewProcessHasANewPort) {
    ASSERT_FALSE(sitl_.start(options_));
    answer(10);
    const std::uint16_t before = sitl_.own_port();
    ASSERT_FALSE(sitl_.restart());
    EXPECT_NE(sitl_.own_port(), before);
    const auto frame = client_.receive(5s);
    ASSERT_TRUE(frame);
    EXPECT_TRUE(frame->restarted() || client_.receive(5s)->restarted())
        << "the old one's packet may be in front";
}

TEST_F(StandInTest, ARebootKeepsThePort) {
    ASSERT_FALSE(sitl_.start(options_));
    answer(10);
    const std::uint16_t before = sitl_.own_port();
    sitl_.reboot();
    EXPECT_EQ(sitl_.own_port(), before);
    const auto frame = client_.receive(5s);
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->servos.frame_count, 0U);
    EXPECT_TRUE(frame->restarted());
}

TEST_F(StandInTest, APausedOneIsSilentUntilItGoesOn) {
    ASSERT_FALSE(sitl_.start(options_));
    answer(10);
    sitl_.pause();
    while (client_.receive(50ms)) {  // what was under way
    }
    EXPECT_FALSE(client_.receive(1500ms)) << "not even asking again";
    sitl_.resume();
    EXPECT_TRUE(client_.receive(5s));
}

TEST_F(StandInTest, WithoutLockstepItAsksTenTimesASecond) {
    ASSERT_FALSE(sitl_.start(options_));
    state_.no_lockstep = true;
    answer(2);
    const auto start = std::chrono::steady_clock::now();
    ASSERT_TRUE(client_.receive(5s));
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(client_.receive(5s));
    EXPECT_LT(std::chrono::steady_clock::now() - start, 4s) << "with lockstep it would take 5.5 s";
}

TEST_F(StandInTest, KeepsToTheSpeedup) {
    options_.speedup = 10;
    ASSERT_FALSE(sitl_.start(options_));
    const auto start = std::chrono::steady_clock::now();
    answer(800);  // 2 s of simulated time
    EXPECT_GE(std::chrono::steady_clock::now() - start, 90ms) << "less the backlog it may catch up with";
}

TEST_F(StandInTest, ALineThatSitlDiesOfEndsIt) {
    ASSERT_FALSE(sitl_.start(options_));
    ASSERT_TRUE(client_.receive(5s));
    const std::string line =
        "\n{\"timestamp\":1,\"imu\":{\"gyro\":[-nan,0,0],\"accel_body\":[0,0,-9.8]},\"attitude\":[0,0,0],"
        "\"velocity\":[0,0,0]}\n";
    FakeAutopilot backend(sitl_.own_port());  // a socket that says what the client never would
    backend.send(std::vector<unsigned char>(line.begin(), line.end()));
    EXPECT_FALSE(sitl_.wait_until([](const SitlModel&) { return false; }, 60s))
        << "it ends, and the wait with it";
    sitl_.use([](SitlModel& model) { EXPECT_THAT(model.death(), HasSubstr("imu.gyro")); });
    EXPECT_THAT(console(), testing::Contains(HasSubstr("Floating point exception")));
    while (client_.receive(0s)) {  // what it had sent before
    }
    EXPECT_FALSE(client_.receive(1200ms)) << "a dead one does not even ask again";
    ASSERT_FALSE(sitl_.restart());
    EXPECT_TRUE(client_.receive(5s));
}

/// All functions from several threads at once, which the header allows.
TEST_F(StandInTest, IsStartedAndEndedFromSeveralThreads) {
    std::vector<std::thread> threads;
    for (int number = 0; number < 4; ++number) {
        threads.emplace_back([&, number] {
            for (int round = 0; round < 25; ++round) {
                switch ((round + number) % 6) {
                    case 0:
                        EXPECT_FALSE(sitl_.start(options_));
                        break;
                    case 1:
                        EXPECT_FALSE(sitl_.restart());
                        break;
                    case 2:
                        sitl_.stop();
                        break;
                    case 3:
                        sitl_.reboot();
                        sitl_.pause();
                        break;
                    case 4:
                        sitl_.resume();
                        static_cast<void>(sitl_.wait_until([](const SitlModel&) { return true; }, 1ms));
                        break;
                    default:
                        static_cast<void>(sitl_.own_port());
                        static_cast<void>(sitl_.traffic());
                }
            }
        });
    }
    for (auto& thread : threads) thread.join();
    ASSERT_FALSE(sitl_.start(options_));
    while (client_.receive(0s)) {
    }
    EXPECT_NE(sitl_.own_port(), 0);
}

TEST_F(StandInTest, AWaitMayBeEndless) {
    ASSERT_FALSE(sitl_.start(options_));
    std::thread later([this] {
        std::this_thread::sleep_for(20ms);
        sitl_.stop();
    });
    const auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE(sitl_.wait_until([](const SitlModel&) { return false; }, std::chrono::nanoseconds::max()));
    EXPECT_GE(std::chrono::steady_clock::now() - start, 19ms);
    later.join();
}

/// Timestamps that add up to more than a clock can hold.
TEST(Model, TheEndOfTimeIsNoOverflow) {
    SitlModel model;
    std::int64_t time = 0;
    for (int i = 0; i < 20; ++i) {
        const std::string line =
            "\n{\"timestamp\":" + std::to_string(i % 2 == 0 ? 1 : 900000000000000000 + time++) +
            ",\"imu\":{\"gyro\":[0,0,0],\"accel_body\":[0,0,-9.8]},\"position\":[0,0,0],"
            "\"attitude\":[0,0,0],\"velocity\":[0,0,0]}\n";
        const double before = model.clock();
        ASSERT_EQ(model.receive(line.data(), line.size()), ap_json::SitlVerdict::accepted);
        EXPECT_GE(model.clock(), before);
    }
}

TEST_F(StandInTest, SaysInWordsWhatIsWrong) {
    std::string advice;
    options_.advice = [&](std::string_view text) {
        const std::lock_guard lock(mutex_);
        advice = text;
    };
    ASSERT_FALSE(sitl_.start(options_));
    ASSERT_TRUE(client_.receive(5s));
    FakeAutopilot backend(sitl_.own_port());  // a socket that says what the client never would
    const std::string bad = "\n{\"timestamp\":1}\n";
    backend.send(std::vector<unsigned char>(bad.begin(), bad.end()));
    const auto again = client_.receive(5s);
    ASSERT_TRUE(again);
    const std::lock_guard lock(mutex_);
    EXPECT_THAT(advice, HasSubstr("imu"));
    EXPECT_THAT(console_, testing::Contains("Did not contain all mandatory fields"));
}

TEST_F(StandInTest, RefusesOptionsThatCannotBeMeant) {
    SitlStandInOptions bad = options_;
    bad.backend_address = "localhost";
    EXPECT_THAT(sitl_.start(bad).message(), HasSubstr("\"localhost\""));
    bad = options_;
    bad.own_address = "x";
    EXPECT_EQ(sitl_.start(bad).code(), ErrorCode::bad_option);
    bad = options_;
    bad.instance = 100000;
    EXPECT_EQ(sitl_.start(bad).code(), ErrorCode::bad_option);
    bad = options_;
    for (double speedup : {-1.0, 1e-300, 1e-4, 1e7, static_cast<double>(NAN), HUGE_VAL}) {
        bad.speedup = speedup;
        EXPECT_EQ(sitl_.start(bad).code(), ErrorCode::bad_option) << speedup;
        EXPECT_THAT(sitl_.start(bad).message(), HasSubstr("between 0.001 and"));
    }
    EXPECT_EQ(sitl_.own_port(), 0);
}

TEST_F(StandInTest, EndsWithoutAWait) {
    for (int i = 0; i < 20; ++i) {
        ASSERT_FALSE(sitl_.start(options_));
        sitl_.stop();
    }
    sitl_.stop();
    EXPECT_FALSE(sitl_.wait_until([](const SitlModel&) { return false; }, 10s))
        << "and at once, as it has ended";
}

}  // namespace
