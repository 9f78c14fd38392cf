// px4_station_test.cpp - the station against the PX4 model: the way to ready in old and new releases, a task from upload to
// arrival, and everything that goes wrong in between.
#include <gmock/gmock.h>

#include "closed_loop.hpp"

namespace px4_hil {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

const Route short_route = route_of({{20, 0}, {20, 20}, {0, 20}});

Px4ModelOptions model_of(Px4Release release) {
    Px4ModelOptions options;
    options.release = release;
    return options;
}

// ---- the way to ready

TEST(Px4Station, BecomesReadyWithEveryReleaseInHilMode) {
    for (const Px4Release release : {Px4Release::v1_8, Px4Release::v1_10, Px4Release::v1_15}) {
        ClosedLoop loop({}, model_of(release));
        ASSERT_TRUE(loop.run_until(StationState::ready, 10s)) << loop.story();
        EXPECT_TRUE(loop.px4.hil());
        EXPECT_EQ(loop.count(EventKind::identified), 1);
        EXPECT_EQ(loop.station.autopilot()->identity, (Identity{1, 1}));
        EXPECT_EQ(loop.station.autopilot()->type, mav_type::ground_rover);
        loop.run(2s);
        EXPECT_GT(loop.px4.states_received(), 150U);  // 100 Hz
        EXPECT_LT(loop.px4.states_received(), 350U);
        EXPECT_TRUE(loop.outputs_are_safe());
        EXPECT_EQ(loop.count(EventKind::warning), 0) << loop.story();
    }
}

TEST(Px4Station, DisarmsAnArmedPx4First) {
    for (const Px4Release release : {Px4Release::v1_8, Px4Release::v1_10, Px4Release::v1_15}) {
        Px4ModelOptions options = model_of(release);
        options.armed = true;
        ClosedLoop loop({}, options);
        ASSERT_TRUE(loop.run_until(StationState::ready, 10s)) << loop.story();
        EXPECT_FALSE(loop.px4.armed());
        EXPECT_EQ(loop.count(EventKind::disarmed), 1);
    }
}

TEST(Px4Station, SaysWhatToDoWhenHilModeCannotBeHad) {
    for (const Px4Release release : {Px4Release::v1_8, Px4Release::v1_10, Px4Release::v1_15}) {
        Px4ModelOptions options = model_of(release);
        options.sys_hitl = 0;
        ClosedLoop loop({}, options);
        ASSERT_TRUE(loop.run_until(StationState::closed, 20s)) << loop.story();
        EXPECT_EQ(loop.station.error().code(), ErrorCode::hil_not_enabled);
        EXPECT_THAT(loop.station.error().message(), HasSubstr("SYS_HITL"));
        EXPECT_EQ(loop.px4.sys_hitl(), 0);  // not touched without being allowed to
    }
}

TEST(Px4Station, SetsSysHitlAndRebootsWhenAllowedTo) {
    for (const Px4Release release : {Px4Release::v1_8, Px4Release::v1_10, Px4Release::v1_15}) {
        Px4ModelOptions options = model_of(release);
        options.sys_hitl = 0;
        options.boot_time = 4s;
        StationOptions station;
        station.may_set_sys_hitl = true;
        ClosedLoop loop(station, options);
        ASSERT_TRUE(loop.run_until(StationState::ready, 40s)) << loop.story();
        EXPECT_EQ(loop.px4.sys_hitl(), 1);
        EXPECT_TRUE(loop.px4.hil());
        EXPECT_TRUE(loop.station.take_reopen_request());
        EXPECT_FALSE(loop.station.take_reopen_request());
    }
}

TEST(Px4Station, SaysWhoIsMissing) {
    Px4ModelOptions options;
    options.boot_time = 24h;
    ClosedLoop nobody({}, options);
    ASSERT_TRUE(nobody.run_until(StationState::closed, 31s));
    EXPECT_EQ(nobody.station.error().code(), ErrorCode::no_heartbeat);
    EXPECT_THAT(nobody.station.error().message(), HasSubstr("not a byte"));

    StationOptions patient;
    patient.first_heartbeat_limit = 0ms;
    ClosedLoop waiting(patient, options);
    waiting.run(60s);
    EXPECT_EQ(waiting.station.state(), StationState::opening);

    StationOptions picky;
    picky.system = 7;
    ClosedLoop another(picky);
    ASSERT_TRUE(another.run_until(StationState::closed, 31s));
    EXPECT_EQ(another.station.error().code(), ErrorCode::no_heartbeat);
    EXPECT_EQ(another.count(EventKind::foreign), 1);
}

TEST(Px4Station, TellsAnotherAutopilotFromPx4) {
    ClosedLoop loop({}, [] {
        Px4ModelOptions options;
        options.boot_time = 24h;
        return options;
    }());
    FrameEncoder ardupilot({1, 1});
    Heartbeat heartbeat;
    heartbeat.autopilot = mav_autopilot::ardupilot;
    const EncodedFrame frame = ardupilot.encode(heartbeat);
    loop.station.receive(Line::command, frame.data(), frame.size(), loop.now);
    ASSERT_TRUE(loop.run_until(StationState::closed, 31s));
    EXPECT_EQ(loop.station.error().code(), ErrorCode::wrong_autopilot);
}

TEST(Px4Station, WarnsOfAnotherVehicleType) {
    Px4ModelOptions options;
    options.type = mav_type::quadrotor;
    ClosedLoop loop({}, options);
    ASSERT_TRUE(loop.run_until(StationState::ready, 10s));
    EXPECT_THAT(std::string(loop.event(EventKind::warning).text()), HasSubstr("MAV_TYPE 2"));
}

// ---- a task

TEST(Px4Station, DrivesAlongARouteWithEveryRelease) {
    for (const Px4Release release : {Px4Release::v1_8, Px4Release::v1_10, Px4Release::v1_15}) {
        ClosedLoop loop({}, model_of(release));
        ASSERT_TRUE(loop.run_until(StationState::ready, 10s));
        ASSERT_FALSE(loop.station.move_along(short_route, loop.now));
        EXPECT_TRUE(loop.station.busy());
        ASSERT_TRUE(loop.run_until([&] { return !loop.station.busy(); }, 120s)) << loop.story();
        EXPECT_EQ(loop.count(EventKind::task_done), 1) << loop.story();
        EXPECT_EQ(loop.count(EventKind::reached), 3) << loop.story();
        EXPECT_EQ(loop.station.state(), StationState::ready);
        loop.run(3s);
        EXPECT_NEAR(loop.rover.state.position.x, 0, 3);
        EXPECT_NEAR(loop.rover.state.position.y, 20, 3);
        EXPECT_NEAR(loop.rover.speed, 0, 0.1);
        EXPECT_EQ(loop.px4.mode(), px4_mode::hold);
        EXPECT_EQ(loop.station.error().code(), ErrorCode::ok);
    }
}

TEST(Px4Station, DrivesOneTaskAfterTheOther) {
    ClosedLoop loop;
    ASSERT_TRUE(loop.run_until(StationState::ready, 10s));
    for (int i = 1; i <= 3; ++i) {
        // Last points at the same index: repeats of the old ITEM_REACHED must not end the new task.
        ASSERT_FALSE(loop.station.move_along(
            i % 2 == 1 ? route_of({{15, 0}, {15, 5}}) : route_of({{0, 5}, {0, 0}}), loop.now));
        EXPECT_EQ(loop.station.move_along(short_route, loop.now).code(), ErrorCode::wrong_state);
        ASSERT_TRUE(loop.run_until([&] { return !loop.station.busy(); }, 90s)) << loop.story();
        EXPECT_EQ(loop.count(EventKind::task_done), i) << loop.story();
        EXPECT_EQ(loop.count(EventKind::reached), 2 * i) << loop.story();
    }
}

TEST(Px4Station, MissesNoWayPointThatPx4ReachesAtOnce) {
    // The vehicle stands on the first ones: PX4 has reached them before its heartbeat says that it has armed.
    ClosedLoop loop;
    ASSERT_TRUE(loop.run_until(StationState::ready, 10s));
    ASSERT_FALSE(loop.station.move_along(route_of({{0, 0}, {0.5, 0}, {12, 0}}), loop.now));
    ASSERT_TRUE(loop.run_until([&] { return !loop.station.busy(); }, 60s)) << loop.story();
    EXPECT_EQ(loop.count(EventKind::task_done), 1) << loop.story();
    EXPECT_EQ(loop.event(EventKind::reached).number, 2);
    EXPECT_EQ(loop.station.statistics().tasks_done, 1U);
}

TEST(Px4Station, DrivesSitlInLockstepOverTwoLines) {
    StationOptions station;
    station.hardware = false;
    station.feed = Feed::sensor_level;
    Px4ModelOptions model;
    model.hardware = false;
    model.boot_time = 0ms;  // it counts from the first HIL_SENSOR on
    ClosedLoop loop(station, model);
    ASSERT_TRUE(loop.run_until(StationState::ready, 10s)) << loop.story();
    ASSERT_FALSE(loop.station.move_along(short_route, loop.now));
    ASSERT_TRUE(loop.run_until([&] { return !loop.station.busy(); }, 120s)) << loop.story();
    EXPECT_EQ(loop.count(EventKind::task_done), 1) << loop.story();
    EXPECT_TRUE(loop.station.wants_lockstep());
    const StationStatistics s = loop.station.statistics();
    EXPECT_NEAR(static_cast<double>(s.controls), static_cast<double>(s.sensors_sent), 5);  // one for each
    EXPECT_GT(s.states_sent, 0U);  // the ground truth that it has asked for
    EXPECT_GT(s.gps_sent, 0U);
}

TEST(Px4Station, RefusesRoutesThatCannotBeMeant) {
    ClosedLoop loop;
    EXPECT_EQ(loop.station.move_along(short_route, loop.now).code(), ErrorCode::wrong_state);
    ASSERT_TRUE(loop.run_until(StationState::ready, 10s));
    EXPECT_EQ(loop.station.move_along({}, loop.now).code(), ErrorCode::bad_option);
    Route nowhere = short_route;
    nowhere[1].latitude = 91;
    EXPECT_EQ(loop.station.move_along(nowhere, loop.now).code(), ErrorCode::bad_option);
    nowhere[1].latitude = std::nan("");
    EXPECT_EQ(loop.station.move_along(nowhere, loop.now).code(), ErrorCode::bad_option);
    EXPECT_EQ(loop.station.state(), StationState::ready);
    EXPECT_FALSE(loop.station.busy());
}

TEST(Px4Station, SaysWhyPx4DoesNotArm) {
    ClosedLoop loop;
    ASSERT_TRUE(loop.run_until(StationState::ready, 10s));
    loop.px4.refuse_arming("no global position");
    ASSERT_FALSE(loop.station.move_along(short_route, loop.now));
    ASSERT_TRUE(loop.run_until([&] { return !loop.station.busy(); }, 20s));
    EXPECT_EQ(loop.event(EventKind::task_failed).code, ErrorCode::arm_rejected);
    EXPECT_THAT(std::string(loop.event(EventKind::task_failed).text()), HasSubstr("no global position"));
    EXPECT_EQ(loop.station.state(), StationState::ready);
    loop.px4.refuse_arming("");
    ASSERT_FALSE(loop.station.move_along(short_route, loop.now));
    ASSERT_TRUE(loop.run_until(StationState::running, 20s)) << loop.story();
}

TEST(Px4Station, ReportsARouteThatIsTooLong) {
    Px4ModelOptions model;
    model.capacity = 2;
    ClosedLoop loop({}, model);
    ASSERT_TRUE(loop.run_until(StationState::ready, 10s));
    ASSERT_FALSE(loop.station.move_along(short_route, loop.now));
    ASSERT_TRUE(loop.run_until([&] { return !loop.station.busy(); }, 20s));
    EXPECT_EQ(loop.event(EventKind::task_failed).code, ErrorCode::mission_rejected);
    EXPECT_THAT(std::string(loop.event(EventKind::task_failed).text()), HasSubstr("no space"));
}

TEST(Px4Station, EndsTheTaskWhenPx4LeavesMissionMode) {
    ClosedLoop loop;
    ASSERT_TRUE(loop.run_until(StationState::ready, 10s));
    ASSERT_FALSE(loop.station.move_along(short_route, loop.now));
    ASSERT_TRUE(loop.run_until(StationState::running, 20s));
    loop.run(2s);
    loop.px4.set_mode(px4_mode::return_home);
    ASSERT_TRUE(loop.run_until([&] { return !loop.station.busy(); }, 10s));
    EXPECT_EQ(loop.event(EventKind::task_failed).code, ErrorCode::interrupted);
    EXPECT_THAT(std::string(loop.event(EventKind::task_failed).text()), HasSubstr("AUTO.RTL"));
    loop.run(5s);
    EXPECT_EQ(loop.px4.mode(), px4_mode::return_home);  // PX4 knows better
}

TEST(Px4Station, CancelHoldsInEveryStageOfATask) {
    for (const auto wait : {0ms, 10ms, 30ms, 200ms, 1500ms, 3000ms, 6000ms}) {
        ClosedLoop loop;
        ASSERT_TRUE(loop.run_until(StationState::ready, 10s));
        ASSERT_FALSE(loop.station.move_along(short_route, loop.now));
        loop.run(wait);
        loop.station.cancel_task(loop.now);
        EXPECT_FALSE(loop.station.busy());
        loop.run(8s);
        EXPECT_EQ(loop.event(EventKind::task_failed).code, ErrorCode::cancelled);
        EXPECT_NEAR(loop.rover.speed, 0, 0.1) << wait.count();
        ASSERT_FALSE(loop.station.move_along(route_of({{40, 40}}), loop.now));
        EXPECT_TRUE(loop.run_until(StationState::running, 20s)) << loop.story();
    }
}

TEST(Px4Station, SetsAModeThatTheCallerWants) {
    ClosedLoop loop;
    EXPECT_EQ(loop.station.set_mode(px4_mode::manual, loop.now).code(), ErrorCode::wrong_state);
    ASSERT_TRUE(loop.run_until(StationState::ready, 10s));
    ASSERT_FALSE(loop.station.set_mode(px4_mode::manual, loop.now));
    loop.run(2s);
    EXPECT_EQ(loop.px4.mode(), px4_mode::manual);
    EXPECT_THAT(std::string(loop.event(EventKind::mode).text()), HasSubstr("MANUAL"));
    ASSERT_FALSE(loop.station.set_mode({9, 9}, loop.now));
    loop.run(2s);
    EXPECT_EQ(loop.event(EventKind::warning).code, ErrorCode::command_rejected);
}

// ---- what goes wrong

TEST(Px4Station, StopsTheVehicleWhenPx4FallsSilentAndComesBack) {
    ClosedLoop loop;
    ASSERT_TRUE(loop.run_until(StationState::ready, 10s));
    ASSERT_FALSE(loop.station.move_along(short_route, loop.now));
    ASSERT_TRUE(loop.run_until(StationState::running, 20s));
    loop.run(4s);
    EXPECT_GT(loop.rover.speed, 1);
    loop.px4.set_silent(true);
    loop.run(300ms);
    EXPECT_TRUE(loop.outputs_are_safe());  // long before the loss is certain
    EXPECT_EQ(loop.count(EventKind::stale_controls), 1);
    ASSERT_TRUE(loop.run_until(StationState::lost, 4s)) << loop.story();
    EXPECT_EQ(loop.event(EventKind::task_failed).code, ErrorCode::link_lost);
    loop.run(5s);
    EXPECT_NEAR(loop.rover.speed, 0, 0.01);
    loop.px4.set_silent(false);
    ASSERT_TRUE(loop.run_until(StationState::ready, 10s)) << loop.story();
    EXPECT_EQ(loop.count(EventKind::link_back), 1);
    EXPECT_FALSE(loop.px4.armed());
    ASSERT_FALSE(loop.station.move_along(route_of({{0, 0}}), loop.now));
    ASSERT_TRUE(loop.run_until([&] { return loop.count(EventKind::task_done) == 1; }, 90s)) << loop.story();
    EXPECT_EQ(loop.station.statistics().losses, 1U);
}

TEST(Px4Station, GivesUpHalfAMinuteAfterTheLoss) {
    ClosedLoop loop;
    ASSERT_TRUE(loop.run_until(StationState::ready, 10s));
    loop.px4.set_silent(true);
    ASSERT_TRUE(loop.run_until(StationState::lost, 5s));
    loop.run(29s);
    EXPECT_EQ(loop.station.state(), StationState::lost);
    loop.run(2s);
    EXPECT_EQ(loop.station.state(), StationState::closed);
    EXPECT_EQ(loop.station.error().code(), ErrorCode::link_lost);
    EXPECT_EQ(loop.event(EventKind::failed).code, ErrorCode::link_lost);
}

TEST(Px4Station, NoticesARebootInTheMiddleOfATask) {
    for (const Px4Release release : {Px4Release::v1_10, Px4Release::v1_15}) {
        for (const auto boot_time : {500ms, 2000ms, 8000ms}) {
            Px4ModelOptions model = model_of(release);
            model.boot_time = boot_time;
            ClosedLoop loop({}, model);
            ASSERT_TRUE(loop.run_until(StationState::ready, 20s));
            ASSERT_FALSE(loop.station.move_along(short_route, loop.now));
            ASSERT_TRUE(loop.run_until(StationState::running, 20s));
            loop.run(3s);
            loop.px4.reboot(loop.now);
            loop.run(20s);
            EXPECT_EQ(loop.count(EventKind::task_failed), 1) << loop.story();
            EXPECT_EQ(loop.station.state(), StationState::ready) << loop.story();
            EXPECT_NEAR(loop.rover.speed, 0, 0.01);
            EXPECT_FALSE(loop.px4.armed());
        }
    }
}

TEST(Px4Station, DoesNotFollowAnotherSystemThatTakesOver) {
    ClosedLoop loop;
    ASSERT_TRUE(loop.run_until(StationState::ready, 10s));
    ASSERT_FALSE(loop.station.move_along(short_route, loop.now));
    ASSERT_TRUE(loop.run_until(StationState::running, 20s));
    loop.run(3s);
    loop.px4.set_system(9);
    loop.run(4s);
    EXPECT_EQ(loop.station.state(), StationState::lost) << loop.story();
    EXPECT_EQ(loop.event(EventKind::foreign).number, 9);
    EXPECT_EQ(loop.count(EventKind::foreign), 1);  // once, though it speaks every second
    EXPECT_TRUE(loop.outputs_are_safe());
    loop.run(31s);
    EXPECT_EQ(loop.station.state(), StationState::closed);
    EXPECT_THAT(loop.station.error().message(), HasSubstr("system 9"));
    EXPECT_NEAR(loop.rover.speed, 0, 0.01);
}

TEST(Px4Station, SafeOutputsWhenControlsStop) {
    ClosedLoop loop;
    ASSERT_TRUE(loop.run_until(StationState::ready, 10s));
    ASSERT_FALSE(loop.station.move_along(short_route, loop.now));
    ASSERT_TRUE(loop.run_until(StationState::running, 20s));
    loop.run(2s);
    loop.px4.set_controls_off(true);
    loop.run(250ms);
    EXPECT_TRUE(loop.outputs_are_safe());
    EXPECT_EQ(loop.event(EventKind::stale_controls).code, ErrorCode::stale_controls);
    loop.run(5s);
    EXPECT_EQ(loop.count(EventKind::stale_controls), 1);
    loop.px4.set_controls_off(false);
    ASSERT_TRUE(loop.run_until([&] { return loop.count(EventKind::task_done) == 1; }, 90s)) << loop.story();
    EXPECT_EQ(loop.count(EventKind::controls_back), 1);
}

TEST(Px4Station, RefusesAStateThatIsNotFinite) {
    ClosedLoop loop;
    ASSERT_TRUE(loop.run_until(StationState::ready, 10s));
    const std::uint64_t before = loop.px4.states_received();
    loop.rover.state.position.x = std::nan("");
    loop.run(100ms);
    EXPECT_EQ(loop.last_error.code(), ErrorCode::not_finite);
    EXPECT_THAT(loop.last_error.message(), HasSubstr("position"));
    EXPECT_LE(loop.px4.states_received(), before + 1);
    EXPECT_GT(loop.station.statistics().states_refused, 0U);
}

TEST(Px4Station, TimeNeverGoesBackForPx4) {
    ClosedLoop loop;
    ASSERT_TRUE(loop.run_until(StationState::ready, 10s));
    loop.run(2s);
    const std::uint64_t before = loop.px4.vehicle()->time_usec;
    loop.rover.state.timestamp = 0;
    loop.run(1s);
    EXPECT_GT(loop.px4.vehicle()->time_usec, before + 900000);
    EXPECT_LT(loop.px4.vehicle()->time_usec, before + 1100000);
}

TEST(Px4Station, ReportsALineThatTakesNothing) {
    ClosedLoop loop;
    ASSERT_TRUE(loop.run_until(StationState::ready, 10s));
    loop.break_wire(true);
    loop.run(100ms);
    EXPECT_EQ(loop.event(EventKind::warning).code, ErrorCode::port_write_failed);
    EXPECT_EQ(loop.count(EventKind::warning), 1);  // not once a frame
    EXPECT_EQ(loop.last_error.code(), ErrorCode::port_write_failed);
    loop.station.line_gone(Line::command, loop.now);
    EXPECT_EQ(loop.station.state(), StationState::lost);
    loop.break_wire(false);
    loop.station.line_opened(Line::command);
    EXPECT_TRUE(loop.run_until(StationState::ready, 5s)) << loop.story();
}

TEST(Px4Station, ExitLeavesPx4DisarmedFromEveryState) {
    for (const auto wait : {0ms, 300ms, 700ms, 1500ms, 3000ms, 4000ms, 8000ms, 15000ms}) {
        ClosedLoop loop;
        loop.run(wait);
        if (loop.station.state() == StationState::ready && wait > 2s) {
            ASSERT_FALSE(loop.station.move_along(short_route, loop.now));
            loop.run(wait);
        }
        loop.station.begin_exit(loop.now);
        ASSERT_TRUE(loop.run_until(StationState::closed, 1100ms)) << wait.count();
        EXPECT_FALSE(loop.px4.armed());
        EXPECT_FALSE(loop.station.busy());
        EXPECT_EQ(loop.station.error().code(), ErrorCode::ok);
        loop.run(5s);
        EXPECT_TRUE(loop.outputs_are_safe());
    }
    // And when nobody is there any more.
    ClosedLoop lost;
    ASSERT_TRUE(lost.run_until(StationState::ready, 10s));
    ASSERT_FALSE(lost.station.move_along(short_route, lost.now));
    ASSERT_TRUE(lost.run_until(StationState::running, 10s));
    lost.px4.set_silent(true);
    lost.station.begin_exit(lost.now);
    ASSERT_TRUE(lost.run_until(StationState::closed, 1100ms));
    EXPECT_THAT(std::string(lost.event(EventKind::warning).text()), HasSubstr("still be armed"));
}

// ---- a bad line

struct BadLine {
    FaultRates rates;
    const char* name;
};

class Px4BadLine : public testing::TestWithParam<BadLine> {};

TEST_P(Px4BadLine, ArrivesOrSaysWhyAndIsSafe) {
    int arrived = 0;
    constexpr int runs = 12;
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
        ClosedLoop loop({}, {}, GetParam().rates, seed);
        const bool ready = loop.run_until(StationState::ready, 60s);
        if (ready) {
            ASSERT_FALSE(loop.station.move_along(short_route, loop.now));
            ASSERT_TRUE(loop.run_until([&] { return !loop.station.busy(); }, 300s)) << loop.story();
        }
        const bool done = loop.count(EventKind::task_done) == 1;
        arrived += done ? 1 : 0;
        EXPECT_TRUE(done || loop.count(EventKind::task_failed) + loop.count(EventKind::failed) > 0)
            << loop.story();
        const double distance = std::hypot(loop.rover.state.position.x, loop.rover.state.position.y - 20);
        EXPECT_TRUE(!done || distance < 4) << distance;
        // Whatever happened: told to end, it ends, and the vehicle stands.
        loop.station.begin_exit(loop.now);
        ASSERT_TRUE(loop.run_until(StationState::closed, 1100ms));
        loop.run(8s);
        EXPECT_NEAR(loop.rover.speed, 0, 0.1) << loop.story();
    }
    RecordProperty("arrived", arrived);
    EXPECT_GE(arrived, runs * 3 / 4);
}

INSTANTIATE_TEST_SUITE_P(Rates, Px4BadLine,
                         testing::Values(BadLine{{0, 0, 0}, "none"}, BadLine{{1e-3, 0, 0}, "lost"},
                                         BadLine{{0, 1e-3, 0}, "doubled"}, BadLine{{0, 0, 1e-3}, "flipped"},
                                         BadLine{{5e-4, 5e-4, 5e-4}, "mixed"}),
                         [](const auto& test) { return test.param.name; });

TEST(Px4Station, HopelessLineEndsInAnErrorNotInSilence) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        ClosedLoop loop({}, {}, {0.05, 0.05, 0.05}, seed);
        loop.run(200s);
        EXPECT_NE(loop.station.state(), StationState::opening);
        EXPECT_FALSE(loop.events.empty());
        EXPECT_TRUE(loop.outputs_are_safe() || loop.station.state() == StationState::ready);
    }
}

}  // namespace
}  // namespace px4_hil
