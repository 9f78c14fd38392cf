// lockstep_test.cpp - the physics loops: step once per new frame, answer repeats, survive restarts, block
// nobody.
#include <gmock/gmock.h>

#include <ap_json/lockstep.hpp>
#include <ap_json/sitl_stand_in.hpp>
#include <atomic>
#include <cmath>
#include <thread>
#if defined(__linux__)
#include <sys/socket.h>
#endif

#include "fake_autopilot.hpp"

namespace {

using namespace std::chrono_literals;
using ap_json::Client;
using ap_json::ClientOptions;
using ap_json::ErrorCode;
using testing::HasSubstr;

/// Counts what is asked of it; its position north is the number of steps.
struct CountingModel {
    int steps = 0;
    int resets = 0;
    double last_dt = 0;
    std::uint16_t last_servo = 0;
    bool broken = false;

    void step(const ap_json::ServoPacket& servos, double dt, ap_json::State& state) {
        ++steps;
        last_dt = dt;
        last_servo = servos.servo(1);
        state.position.x = broken ? std::nan("") : steps;
    }
    void reset(ap_json::State&) {
        steps = 0;
        ++resets;
    }
};

class LoopTest : public testing::Test {
  protected:
    LoopTest() : opened_(client_.open(any_port())), sitl_(client_.port()) { EXPECT_FALSE(opened_); }

    static ClientOptions any_port() {
        ClientOptions options;
        options.port = 0;
        return options;
    }

    Client client_;
    ap_json::Error opened_;
    FakeAutopilot sitl_;
    CountingModel model_;
};

TEST_F(LoopTest, StepsOncePerNewFrame) {
    ap_json::Lockstep loop(client_, model_, 2500us);
    for (std::uint32_t count = 0; count < 400; ++count) {
        sitl_.send_packet(count, 16, 1777);
        ASSERT_FALSE(loop.exchange(1s));
        ASSERT_TRUE(sitl_.receive());
    }
    EXPECT_EQ(model_.steps, 400);
    EXPECT_EQ(model_.resets, 1) << "before the first step";
    EXPECT_EQ(model_.last_dt, 0.0025);
    EXPECT_EQ(model_.last_servo, 1777);
    EXPECT_EQ(loop.state().timestamp, 1.0) << "time is exact, however many steps";
}

TEST_F(LoopTest, AnswersARepetitionWithTheSameLine) {
    ap_json::Lockstep loop(client_, model_, 2500us);
    sitl_.send_packet(0);
    ASSERT_FALSE(loop.exchange(1s));
    const auto first = sitl_.receive();
    sitl_.send_packet(0);
    ASSERT_FALSE(loop.exchange(1s));
    EXPECT_EQ(sitl_.receive(), first);
    EXPECT_EQ(model_.steps, 1);
}

TEST_F(LoopTest, AnswersTheNewestOnceAfterAPause) {
    ap_json::Lockstep loop(client_, model_, 2500us);
    for (std::uint32_t count : {0U, 1U, 1U, 1U, 1U}) sitl_.send_packet(count);
    ASSERT_FALSE(loop.exchange(1s));
    EXPECT_TRUE(sitl_.receive());
    ASSERT_FALSE(loop.exchange(0s));
    EXPECT_FALSE(sitl_.receive(0ms));
    EXPECT_EQ(model_.steps, 1);
}

TEST_F(LoopTest, ResetsWithArduPilot) {
    ap_json::Lockstep loop(client_, model_, 2500us);
    for (std::uint32_t count : {100U, 101U, 102U}) {
        sitl_.send_packet(count);
        ASSERT_FALSE(loop.exchange(1s));
    }
    sitl_.send_packet(0);
    ASSERT_FALSE(loop.exchange(1s));
    EXPECT_EQ(model_.resets, 2);
    EXPECT_EQ(model_.steps, 1);
    EXPECT_EQ(loop.state().timestamp, 0.0025);
}

/// A model that breaks for one step, in a program that goes on: the vehicle does not stand still for ever.
TEST_F(LoopTest, ARefusedStateIsFollowedByAnother) {
    ap_json::Lockstep loop(client_, model_, 2500us);
    sitl_.send_packet(0);
    ASSERT_FALSE(loop.exchange(1s));
    ASSERT_TRUE(sitl_.receive());
    sitl_.send_packet(1);
    model_.broken = true;
    EXPECT_EQ(loop.exchange(1s).code(), ErrorCode::not_finite);
    model_.broken = false;
    sitl_.send_packet(1);
    EXPECT_FALSE(loop.exchange(1s));
    EXPECT_THAT(sitl_.receive().value_or(""), HasSubstr("\"position\":[3,"));
    sitl_.send_packet(1);
    EXPECT_FALSE(loop.exchange(1s));
    EXPECT_THAT(sitl_.receive().value_or(""), HasSubstr("\"position\":[3,")) << "and then it repeats as ever";
}

#if defined(__linux__)
/// The network takes nothing: that is no error of the model's, and SITL is still heard.
class MuteTest : public LoopTest {
  protected:
    /// On Linux this ends sending for good, and leaves receiving as it is.
    void mute() { shutdown(static_cast<int>(client_.native_handle()), SHUT_WR); }
};

TEST_F(MuteTest, TheLoopGoesOn) {
    ap_json::Lockstep loop(client_, model_, 2500us);
    mute();
    for (std::uint32_t count : {0U, 1U}) {
        sitl_.send_packet(count);
        EXPECT_FALSE(loop.exchange(1s));
    }
    EXPECT_EQ(client_.statistics().send_errors, 2U);
    EXPECT_EQ(model_.steps, 2);
    sitl_.send_packet(1);
    EXPECT_FALSE(loop.exchange(1s));
    EXPECT_EQ(model_.steps, 3) << "nothing was sent yet, so the question is as good as new";
}

TEST_F(MuteTest, TheEngineStillHearsWhoeverComes) {
    ap_json::EngineLink link(client_, model_, 2500us, 1h);
    sitl_.send_packet(50, 16, 1600);
    mute();
    EXPECT_FALSE(link.update(0.02));
    EXPECT_EQ(client_.statistics().send_errors, 8U) << "tried again with each step";
    FakeAutopilot fresh(client_.port());
    fresh.send_packet(0, 16, 1700);
    EXPECT_FALSE(link.update(0.02));
    EXPECT_EQ(model_.resets, 2);
    EXPECT_EQ(model_.last_servo, 1700);
    EXPECT_EQ(client_.autopilot(), fresh.name());
}
#endif

TEST_F(LoopTest, NothingComingIsNoError) {
    ap_json::Lockstep loop(client_, model_, 2500us);
    EXPECT_FALSE(loop.exchange(0s));
    EXPECT_FALSE(loop.exchange(5ms));
}

TEST_F(LoopTest, AModelThatBreaksEndsTheLoopWithTheField) {
    ap_json::Lockstep loop(client_, model_, 2500us);
    model_.broken = true;
    sitl_.send_packet(0);
    const auto error = loop.run([] { return true; });
    EXPECT_EQ(error.code(), ErrorCode::not_finite);
    EXPECT_THAT(error.message(), HasSubstr("position.x"));
}

TEST_F(LoopTest, AClosedClientEndsTheLoop) {
    ap_json::Lockstep loop(client_, model_, 2500us);
    client_.close();
    EXPECT_EQ(loop.run([] { return true; }).code(), ErrorCode::not_open);
}

TEST_F(LoopTest, CancelMakesItAskAtOnce) {
    ap_json::Lockstep loop(client_, model_, 2500us);
    std::atomic<bool> going{true};
    std::thread running([&] { EXPECT_FALSE(loop.run([&] { return going.load(); })); });
    going = false;
    client_.cancel();
    running.join();
}

TEST_F(LoopTest, AStepOfNothingIsAtLeastAMicrosecond) {
    for (auto step : {0us, std::chrono::microseconds(-5)}) {
        CountingModel model;
        ap_json::PhysicsClock clock(model, step);
        clock.advance({});
        EXPECT_EQ(clock.state().timestamp, 1e-6);
    }
}

/// Both sides started, ended and started again, in every order, with a SITL that runs as fast as it can.
TEST_F(LoopTest, SurvivesWhateverIsStartedAgain) {
    ap_json::SitlStandInOptions options;
    options.backend_port = client_.port();
    options.speedup = 0;
    ap_json::SitlStandIn sitl;
    const auto has_passed = [](double seconds) {
        return [seconds](const ap_json::SitlModel& model) { return model.clock() > seconds; };
    };
    std::atomic<bool> going{true};
    ap_json::Lockstep loop(client_, model_, 2500us);
    const auto backend = [&] { EXPECT_FALSE(loop.run([&] { return going.load(); })); };

    ASSERT_FALSE(sitl.start(options));  // the backend starts late
    std::thread running(backend);
    EXPECT_TRUE(sitl.wait_until(has_passed(1), 20s));
    ASSERT_FALSE(sitl.restart());
    EXPECT_TRUE(sitl.wait_until(has_passed(1), 20s)) << "SITL started again";
    sitl.reboot();
    EXPECT_TRUE(sitl.wait_until(has_passed(1), 20s)) << "SITL rebooted";
    going = false;
    client_.cancel();
    running.join();
    double before = 0;
    sitl.use([&](ap_json::SitlModel& model) { before = model.clock(); });
    going = true;
    running = std::thread(backend);
    EXPECT_TRUE(sitl.wait_until(has_passed(before + 1), 20s)) << "the backend went on";
    sitl.stop();
    ASSERT_FALSE(sitl.restart());  // the backend is early
    EXPECT_TRUE(sitl.wait_until(has_passed(1), 20s));
    going = false;
    client_.cancel();
    running.join();
    EXPECT_EQ(sitl.traffic().rejected, 0U);
    EXPECT_EQ(model_.resets, 4) << "at the start and with each restart";
    EXPECT_EQ(client_.statistics().restarts, 3U);
    EXPECT_EQ(client_.statistics().refused, 0U);
    // An answer that was under way at the reboot counts for the rebooted one: that may skip one frame.
    EXPECT_LE(client_.statistics().missed, 1U);
}

/// A backend process that is new, its time back at 0, against a SITL that has been running.
TEST_F(LoopTest, ANewBackendGoesOnWithAnOldSitl) {
    ap_json::SitlStandInOptions options;
    options.backend_port = client_.port();
    options.speedup = 0;
    ap_json::SitlStandIn sitl;
    ASSERT_FALSE(sitl.start(options));
    std::uint32_t reached = 0;
    for (int process = 0; process < 3; ++process) {
        CountingModel model;
        ap_json::Lockstep loop(client_, model, 2500us);
        while (model.steps < 500) ASSERT_FALSE(loop.exchange(5s));
        std::uint32_t count = 0;
        sitl.wait_until(
            [&](const ap_json::SitlModel& m) { return (count = m.frame_count()) >= reached + 499; }, 5s);
        EXPECT_GE(count, reached + 499);
        reached = count;
        ClientOptions same;
        same.port = client_.port();
        ASSERT_FALSE(client_.open(same));
    }
}

// ---- the engine's loop

TEST_F(LoopTest, TheEngineGoesOnWithNobodyThere) {
    ap_json::EngineLink link(client_, model_, 2500us,
                             1h);  // one such wait is over the time limit of the tests
    for (int frame = 0; frame < 60; ++frame) EXPECT_FALSE(link.update(1.0 / 60));
    EXPECT_EQ(model_.steps, 400);
    EXPECT_EQ(model_.last_servo, 0);
}

TEST_F(LoopTest, TheEngineAnswersWhenAskedAndNotOtherwise) {
    ap_json::EngineLink link(client_, model_, 2500us);
    sitl_.send_packet(0, 16, 1600);
    EXPECT_FALSE(link.update(0.001));  // less than a step: nothing happens yet
    EXPECT_FALSE(sitl_.receive(0ms));
    EXPECT_FALSE(link.update(0.016));
    EXPECT_EQ(model_.steps, 6);
    EXPECT_EQ(model_.last_servo, 1600);
    EXPECT_THAT(sitl_.receive().value_or(""), HasSubstr(":0.0025,"));
    EXPECT_FALSE(link.update(0.016));
    EXPECT_FALSE(sitl_.receive(0ms)) << "nobody asked";
    sitl_.send_packet(1, 16, 1700);
    EXPECT_FALSE(link.update(0.016));
    EXPECT_TRUE(sitl_.receive());
    EXPECT_EQ(model_.last_servo, 1700);
    EXPECT_EQ(client_.statistics().refused, 0U);
}

TEST_F(LoopTest, TheEngineAnswersRepetitionsWithLaterStates) {
    ap_json::EngineLink link(client_, model_, 2500us);
    for (int i = 0; i < 3; ++i) {
        sitl_.send_packet(0);
        EXPECT_FALSE(link.update(0.02));
        EXPECT_TRUE(sitl_.receive());
    }
    EXPECT_EQ(model_.steps, 24);
}

TEST_F(LoopTest, TheEngineResetsWithArduPilot) {
    ap_json::EngineLink link(client_, model_, 2500us);
    sitl_.send_packet(50);
    EXPECT_FALSE(link.update(0.02));
    sitl_.send_packet(0);
    EXPECT_FALSE(link.update(0.0025));
    EXPECT_EQ(model_.resets, 2);
    EXPECT_EQ(link.state().timestamp, 0.0025);
}

TEST_F(LoopTest, TheEngineDoesNotCatchUpWithAPause) {
    ap_json::EngineLink link(client_, model_, 2500us);
    for (double elapsed :
         {3600.0, 1e300, HUGE_VAL, double{ap_json::EngineLink<CountingModel>::longest_update}}) {
        model_.steps = 0;
        EXPECT_FALSE(link.update(elapsed));
        EXPECT_EQ(model_.steps, 100) << elapsed;
    }
    model_.steps = 0;
    for (double elapsed : {0.0, -1.0, std::nan(""), -HUGE_VAL}) EXPECT_FALSE(link.update(elapsed));
    EXPECT_EQ(model_.steps, 0);
    EXPECT_FALSE(link.update(0.0025));
    EXPECT_EQ(model_.steps, 1) << "what was no time leaves nothing behind";
}

TEST_F(LoopTest, TheEngineSaysThatTheClientIsClosedAndGoesOn) {
    ap_json::EngineLink link(client_, model_, 2500us);
    client_.close();
    EXPECT_EQ(link.update(0.02).code(), ErrorCode::not_open);
    EXPECT_EQ(model_.steps, 8);
}

/// Time is not the model's business, whatever it writes.
TEST_F(LoopTest, TimeBeginsAtZero) {
    struct Meddler {
        void step(const ap_json::ServoPacket&, double, ap_json::State& state) { state.timestamp = 55; }
        void reset(ap_json::State& state) { state.timestamp = 77; }
    } model;
    ap_json::Lockstep loop(client_, model, 2500us);
    EXPECT_EQ(loop.state().timestamp, 0);
    sitl_.send_packet(0);
    ASSERT_FALSE(loop.exchange(1s));
    EXPECT_EQ(loop.state().timestamp, 0.0025);
}

/// Where the vehicle starts is the model's choice, in the first run as after a restart.
TEST_F(LoopTest, TheModelSetsTheFirstState) {
    struct Boat {
        void step(const ap_json::ServoPacket&, double, ap_json::State& state) {
            state.position.x += 1;
            state.velocity.x += 1;  // which reset() leaves to the loop
        }
        void reset(ap_json::State& state) { state.position = {0, 50, 0}; }
    } boat;
    ap_json::Lockstep loop(client_, boat, 2500us);
    EXPECT_EQ(loop.state().position.y, 50);
    std::string lines[2];
    for (std::string& line : lines) {
        sitl_.send_packet(0);
        ASSERT_FALSE(loop.exchange(1s));
        line = sitl_.receive().value_or("");
        sitl_.send_packet(1);
        ASSERT_FALSE(loop.exchange(1s));
        sitl_.receive();
    }
    EXPECT_EQ(lines[0], lines[1]) << "a run is repeatable";
}

TEST_F(LoopTest, TheEngineSaysWhyAStateWasNotSent) {
    ap_json::EngineLink link(client_, model_, 2500us);
    model_.broken = true;
    sitl_.send_packet(0);
    EXPECT_EQ(link.update(0.02).code(), ErrorCode::not_finite);
}

/// Several states of one update are refused: the first error is the one to look at.
TEST_F(LoopTest, TheEngineSaysTheFirstOfSeveralErrors) {
    struct BreaksTwice {
        FakeAutopilot& sitl;
        std::uint32_t steps = 0;
        void step(const ap_json::ServoPacket&, double, ap_json::State& state) {
            ++steps;
            (steps == 2 ? state.position.x : state.velocity.x) = steps < 4 ? std::nan("") : 0;
            if (steps == 3) state.position.x = 0;
            sitl.send_packet(steps);  // asks at once again
        }
        void reset(ap_json::State&) {}
    } model{sitl_};
    ap_json::EngineLink link(client_, model, 2500us);
    sitl_.send_packet(0);
    const auto error = link.update(0.01);
    EXPECT_THAT(error.message(), HasSubstr("velocity.x"));
    EXPECT_EQ(client_.statistics().refused, 3U);
    EXPECT_EQ(client_.statistics().sent, 1U);
}

TEST_F(LoopTest, PatienceMayBeEndless) {
    ap_json::EngineLink link(client_, model_, 2500us, std::chrono::nanoseconds::max());
    sitl_.send_packet(0);
    std::thread autopilot([this] {
        for (std::uint32_t count = 1; count < 8; ++count) {
            if (sitl_.receive(10s)) sitl_.send_packet(count);
        }
    });
    EXPECT_FALSE(link.update(8 * 0.0025));
    autopilot.join();
    EXPECT_EQ(client_.statistics().sent, 8U);
}

/// With patience, SITL gets each step, not each frame of the engine: at 60 frames a second it would not arm.
TEST_F(LoopTest, WithPatienceArduPilotGetsEveryStep) {
    ap_json::SitlStandInOptions options;
    options.backend_port = client_.port();
    options.speedup = 0;
    ap_json::SitlStandIn sitl;
    ASSERT_FALSE(sitl.start(options));
    ap_json::EngineLink link(client_, model_, 2500us, 5s);
    ASSERT_TRUE(client_.wait(5s));
    for (int frame = 0; frame < 180; ++frame) ASSERT_FALSE(link.update(1.0 / 60));
    std::string why_not;
    sitl.wait_until([](const ap_json::SitlModel& model) { return model.clock() > 2.9; }, 5s);
    sitl.use([&](ap_json::SitlModel& model) { why_not = model.arm(); });
    EXPECT_EQ(why_not, "");
    EXPECT_EQ(client_.statistics().sent, 1200U);
}

}  // namespace
