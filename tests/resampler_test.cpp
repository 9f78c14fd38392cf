// resampler_test.cpp - slow simulators: the states between two frames agree with one another, ArduPilot gets each step,
// and nothing blocks or breaks when it is not there, restarts, or asks again.
#include <gmock/gmock.h>

#include <ap_json/frames.hpp>
#include <ap_json/resampler.hpp>
#include <ap_json/sitl_stand_in.hpp>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <random>
#include <thread>
#if defined(__linux__)
#include <sys/socket.h>
#endif

#include "fake_autopilot.hpp"

namespace {

using namespace ap_json;
using namespace std::chrono_literals;
using testing::HasSubstr;

std::mt19937 engine(1);
double any(double limit) { return std::uniform_real_distribution<double>(-limit, limit)(engine); }
Vector3 any_vector(double limit) { return {any(limit), any(limit), any(limit)}; }

State any_state() {
    State state;
    state.position = any_vector(100);
    state.velocity = any_vector(20);
    state.quaternion = normalised({any(1), any(1), any(1), any(1)});
    state.airspeed = any(20);
    state.range_finders[0] = any(20);
    state.battery = Battery{12 + any(1), any(10)};
    return state;
}

void expect_near(const Vector3& a, const Vector3& b, double tolerance) {
    EXPECT_NEAR(a.x, b.x, tolerance);
    EXPECT_NEAR(a.y, b.y, tolerance);
    EXPECT_NEAR(a.z, b.z, tolerance);
}

TEST(Interpolate, BeginsAndEndsWhereItShould) {
    for (int round = 0; round < 200; ++round) {
        const State a = any_state();
        const State b = any_state();
        for (const auto& [part, end] : {std::pair{0.0, a}, {1.0, b}}) {
            const State s = interpolate(a, b, 0.05, part);
            expect_near(s.position, end.position, 1e-9);
            expect_near(s.velocity, end.velocity, 1e-9);
            const Quaternion d = product(inverse(*s.quaternion), *end.quaternion);
            EXPECT_NEAR(std::fabs(d.w), 1, 1e-9);
            EXPECT_NEAR(*s.airspeed, *end.airspeed, 1e-9);
            EXPECT_NEAR(*s.range_finders[0], *end.range_finders[0], 1e-9);
            EXPECT_NEAR(s.battery->voltage, end.battery->voltage, 1e-9);
        }
    }
}

/// Derivatives, whatever the two states are: dv/dt is what the accelerometer feels, the attitude turns as the gyro says.
TEST(Interpolate, ThePartsAgree) {
    constexpr double duration = 0.05, h = 1e-5;
    for (int round = 0; round < 200; ++round) {
        const State a = any_state();
        const State b = any_state();
        for (double part : {0.1, 0.5, 0.9}) {
            const State before = interpolate(a, b, duration, part - h);
            const State s = interpolate(a, b, duration, part);
            const State after = interpolate(a, b, duration, part + h);
            const double dt = 2 * h * duration;
            const Vector3 acceleration{(after.velocity.x - before.velocity.x) / dt,
                                       (after.velocity.y - before.velocity.y) / dt,
                                       (after.velocity.z - before.velocity.z) / dt};
            expect_near(specific_force(acceleration, *s.quaternion), s.specific_force, 1e-4);
            const Quaternion turn = product(inverse(*before.quaternion), *after.quaternion);
            const double sign = turn.w < 0 ? -2 / dt : 2 / dt;
            expect_near({sign * turn.x, sign * turn.y, sign * turn.z}, s.gyro, 1e-3);
        }
    }
}

/// Of a simulator whose position is the integral of its velocity, that of the states between is too.
TEST(Interpolate, PositionFollowsVelocity) {
    constexpr double duration = 0.05, h = 1e-5;
    State a = any_state();
    State b = a;
    const Vector3 acceleration = any_vector(10);
    b.velocity = {a.velocity.x + acceleration.x * duration, a.velocity.y + acceleration.y * duration,
                  a.velocity.z + acceleration.z * duration};
    b.position = {a.position.x + (a.velocity.x + b.velocity.x) / 2 * duration,
                  a.position.y + (a.velocity.y + b.velocity.y) / 2 * duration,
                  a.position.z + (a.velocity.z + b.velocity.z) / 2 * duration};
    for (double part : {0.1, 0.5, 0.9}) {
        const State before = interpolate(a, b, duration, part - h);
        const State after = interpolate(a, b, duration, part + h);
        const double dt = 2 * h * duration;
        expect_near({(after.position.x - before.position.x) / dt, (after.position.y - before.position.y) / dt,
                     (after.position.z - before.position.z) / dt},
                    interpolate(a, b, duration, part).velocity, 1e-5);
    }
}

TEST(Interpolate, EulerAnglesGoTheShorterWay) {
    State a;
    State b;
    a.attitude.yaw = 3.1;
    b.attitude.yaw = -3.1;
    const State s = interpolate(a, b, 1, 0.5);
    EXPECT_NEAR(std::fabs(to_euler(*s.quaternion).yaw), pi, 1e-9);
    EXPECT_NEAR(s.gyro.z, 2 * (pi - 3.1), 1e-9);
}

/// What changes linearly, each part of it; the rest is that of the later state.
TEST(Interpolate, SensorsChangeLinearly) {
    State a = any_state();
    State b = any_state();
    for (std::size_t i = 0; i < 6; ++i) {
        a.range_finders[i] = any(20);
        b.range_finders[i] = any(20);
    }
    a.geodetic = Geodetic{any(80), any(170), any(1000)};
    b.geodetic = Geodetic{any(80), any(170), any(1000)};
    a.wind = Vector3{1, 2, 3};
    b.wind = Vector3{4, 5, 6};
    b.timestamp = 77;
    for (double part : {0.0, 0.25, 0.9, 1.0}) {
        const auto between = [part](double from, double to) { return from + part * (to - from); };
        const State s = interpolate(a, b, 0.05, part);
        for (std::size_t i = 0; i < 6; ++i) {
            EXPECT_NEAR(*s.range_finders[i], between(*a.range_finders[i], *b.range_finders[i]), 1e-12) << i;
        }
        EXPECT_NEAR(*s.airspeed, between(*a.airspeed, *b.airspeed), 1e-12);
        EXPECT_NEAR(s.battery->voltage, between(a.battery->voltage, b.battery->voltage), 1e-12);
        EXPECT_NEAR(s.battery->current, between(a.battery->current, b.battery->current), 1e-12);
        EXPECT_NEAR(s.geodetic->latitude, between(a.geodetic->latitude, b.geodetic->latitude), 1e-12);
        EXPECT_NEAR(s.geodetic->longitude, between(a.geodetic->longitude, b.geodetic->longitude), 1e-12);
        EXPECT_NEAR(s.geodetic->altitude, between(a.geodetic->altitude, b.geodetic->altitude), 1e-9);
        EXPECT_EQ(s.wind->x, 4);
        EXPECT_EQ(s.timestamp, 77);
    }
}

/// A sensor that only one of the two states has is that of the later state: there, or not there.
TEST(Interpolate, SensorsThatComeOrGo) {
    State with = any_state();
    with.geodetic = Geodetic{1, 2, 3};
    const State coming = interpolate(State(), with, 0.05, 0.5);
    EXPECT_EQ(coming.airspeed, with.airspeed);
    EXPECT_EQ(coming.range_finders[0], with.range_finders[0]);
    EXPECT_EQ(coming.battery->voltage, with.battery->voltage);
    EXPECT_EQ(coming.geodetic->altitude, 3);
    const State going = interpolate(with, State(), 0.05, 0.5);
    EXPECT_FALSE(going.airspeed || going.range_finders[0] || going.battery || going.geodetic);
}

TEST(Interpolate, TheSmallestTurnIsATurn) {
    for (double angle : {0.0, 1e-12, 1e-9, 3e-9, 1e-6, 0.1, 3.0}) {
        for (double sign : {1.0, -1.0}) {
            State b;
            b.quaternion = Quaternion{std::cos(angle / 2), 0, sign * std::sin(angle / 2), 0};
            const State s = interpolate(State(), b, 0.5, 0.5);
            EXPECT_NEAR(s.gyro.y, sign * angle / 0.5, 1e-8 * angle) << angle;
            EXPECT_NEAR(s.quaternion->y, sign * std::sin(angle / 4), 1e-8 * angle) << angle;
            b.quaternion = Quaternion{-b.quaternion->w, 0, -b.quaternion->y, 0};  // the same rotation
            EXPECT_NEAR(interpolate(State(), b, 0.5, 0.5).gyro.y, s.gyro.y, 1e-8 * angle) << angle;
        }
    }
}

class ResamplerTest : public testing::Test {
  protected:
    ResamplerTest() {
        ClientOptions options;
        options.port = 0;
        EXPECT_FALSE(client_.open(options));
    }

    static double north_in(const std::string& line) {
        const auto at = line.find("\"position\":[");
        return at == std::string::npos ? std::nan("") : std::strtod(line.c_str() + at + 12, nullptr);
    }

    static State moving(double time) {
        State state;
        state.velocity = {2, 0, 0};
        state.position = {2 * time, 0, 0};
        return state;
    }

    Client client_;
};

TEST_F(ResamplerTest, ArduPilotGetsEachStep) {
    SitlStandInOptions options;
    options.backend_port = client_.port();
    options.speedup = 0;
    SitlStandIn sitl;
    ASSERT_FALSE(sitl.start(options));
    ASSERT_TRUE(client_.wait(5s));
    Resampler link(client_, 1250us, 10s);
    link.begin(moving(0));
    for (int frame = 1; frame <= 100; ++frame) {  // of a 30 Hz simulator: no whole number of steps
        ASSERT_FALSE(link.frame(moving(frame / 30.0), 1 / 30.0));
    }
    EXPECT_EQ(client_.statistics().sent, 2666U);
    EXPECT_NEAR(link.time(), 100 / 30.0, 1250e-6);
    sitl.wait_until([](const SitlModel& model) { return model.frame_count() >= 2666; }, 5s);
    sitl.use([&](SitlModel& model) {
        EXPECT_NEAR(model.newest_step(), 1250e-6, 1e-9);
        const State& s = model.reader().state();
        EXPECT_NEAR(s.position.x, 2 * s.timestamp, 1e-6) << "each state is that of its time";
    });
    EXPECT_EQ(client_.statistics().refused, 0U);
    EXPECT_EQ(client_.statistics().missed, 0U);
}

TEST_F(ResamplerTest, WithNobodyThereItDoesNotWait) {
    Resampler link(client_, 1250us, 1h);  // one such wait is over the time limit of the tests
    for (int frame = 1; frame <= 50; ++frame) EXPECT_FALSE(link.frame(moving(frame), 0.02));
    EXPECT_NEAR(link.time(), 1, 1e-9);
    EXPECT_EQ(link.servos().channels, 0);
}

TEST_F(ResamplerTest, TellsOfARestartAndBeginsAnew) {
    FakeAutopilot sitl(client_.port());
    Resampler link(client_, 10ms);
    link.begin(moving(0));
    sitl.send_packet(500, 16, 1600);
    EXPECT_FALSE(link.frame(moving(0.01), 0.01));
    EXPECT_TRUE(sitl.receive());
    EXPECT_EQ(link.servos().servo(1), 1600);
    EXPECT_FALSE(link.restarted());
    sitl.send_packet(0);
    EXPECT_FALSE(link.frame(moving(0.055), 0.045));  // no whole number of steps: the rest is forgotten
    EXPECT_FALSE(sitl.receive(0ms)) << "the vehicle has to be put back first";
    EXPECT_TRUE(link.restarted());
    EXPECT_FALSE(link.restarted()) << "once";
    link.begin(moving(0));
    EXPECT_FALSE(link.frame(moving(0.01), 0.01));
    const auto line = sitl.receive().value_or("");
    EXPECT_THAT(line, HasSubstr("{\"timestamp\":0.01,"));
    EXPECT_NEAR(north_in(line), 0.02, 1e-12);
}

/// In frames of one and a quarter steps, each state is that of its time, also at the very end of a frame.
TEST_F(ResamplerTest, EachStateIsThatOfItsTime) {
    FakeAutopilot sitl(client_.port());
    Resampler link(client_, 10ms);
    link.begin(moving(0));
    for (std::uint32_t frame = 1; frame <= 40; ++frame) {
        sitl.send_packet(frame);
        EXPECT_FALSE(link.frame(moving(frame * 0.0125), 0.0125));
        const auto line = sitl.receive();
        ASSERT_TRUE(line) << frame;
        EXPECT_NEAR(north_in(*line), 2 * std::stod(line->substr(line->find(':') + 1)), 1e-9) << *line;
    }
}

TEST_F(ResamplerTest, AnswersARepetitionWithTheLastState) {
    FakeAutopilot sitl(client_.port());
    Resampler link(client_, 10ms);
    sitl.send_packet(0);
    EXPECT_FALSE(link.frame(moving(0.01), 0.01));
    const auto first = sitl.receive();
    sitl.send_packet(0);
    std::thread next([&] {
        EXPECT_EQ(sitl.receive(5s), first);
        sitl.send_packet(1);
    });
    EXPECT_FALSE(link.frame(moving(0.02), 0.01));
    next.join();
    EXPECT_THAT(sitl.receive().value_or(""), HasSubstr("{\"timestamp\":0.02,"));
}

/// A repetition gets the last state that was sent, not one that was refused.
TEST_F(ResamplerTest, ARefusedStateIsNotRepeated) {
    FakeAutopilot sitl(client_.port());
    Resampler link(client_, 10ms);
    sitl.send_packet(0);
    EXPECT_FALSE(link.frame(moving(0.01), 0.01));
    const auto first = sitl.receive();
    sitl.send_packet(1);
    State bad = moving(0.02);
    bad.airspeed = std::nan("");
    EXPECT_EQ(link.frame(bad, 0.01).code(), ErrorCode::not_finite);
    sitl.send_packet(1);
    std::thread next([&] {
        EXPECT_EQ(sitl.receive(5s), first);
        sitl.send_packet(2);
    });
    EXPECT_FALSE(link.frame(moving(0.03), 0.01));
    next.join();
}

TEST_F(ResamplerTest, SaysWhatIsWrongWithAState) {
    FakeAutopilot sitl(client_.port());
    Resampler link(client_, 10ms);
    sitl.send_packet(0);
    State bad = moving(0.01);
    bad.position.y = std::nan("");
    EXPECT_EQ(link.frame(bad, 0.01).code(), ErrorCode::not_finite);
    client_.close();
    EXPECT_EQ(link.frame(moving(0.02), 0.01).code(), ErrorCode::not_open);
}

/// Several states of one frame are refused: the first error is the one to look at.
TEST_F(ResamplerTest, SaysTheFirstOfSeveralErrors) {
    FakeAutopilot sitl(client_.port());
    Resampler link(client_, 10ms, 10s);
    State fast;
    fast.velocity.x = 120000;
    link.begin(fast);
    fast.velocity.x = 129000;
    std::atomic<bool> done{false};
    std::thread asking([&] {
        for (; !done; std::this_thread::yield()) sitl.send_packet(0);
    });
    EXPECT_TRUE(client_.wait(10s));
    const auto error = link.frame(fast, 0.03);
    done = true;
    asking.join();
    EXPECT_THAT(error.message(), HasSubstr("velocity.x is 123000"));
    EXPECT_NEAR(link.time(), 0.03, 1e-12);
}

#if defined(__linux__)
/// The network takes nothing: no error of the simulator's, and each step is tried.
TEST_F(ResamplerTest, ANetworkThatTakesNothingIsNoError) {
    FakeAutopilot sitl(client_.port());
    Resampler link(client_, 10ms, 1h);  // nothing is waited for: the question is still open
    sitl.send_packet(0);
    ASSERT_EQ(shutdown(static_cast<int>(client_.native_handle()), SHUT_WR), -1);  // a socket without a peer
    EXPECT_FALSE(link.frame(moving(0.03), 0.03));
    EXPECT_EQ(client_.statistics().send_errors, 3U);
    EXPECT_EQ(client_.statistics().sent, 0U);
}
#endif

TEST_F(ResamplerTest, StrangeTimesAreNoTrap) {
    Resampler link(client_, 1250us);
    for (double elapsed : {0.0, -1.0, std::nan(""), -HUGE_VAL}) EXPECT_FALSE(link.frame(moving(0), elapsed));
    EXPECT_EQ(link.time(), 0);
    EXPECT_FALSE(link.frame(moving(0), HUGE_VAL));
    EXPECT_NEAR(link.time(), Resampler::longest_frame, 1e-9);
    Resampler tiny(client_, 0us);
    EXPECT_FALSE(tiny.frame(moving(0), 1e-5));
    EXPECT_NEAR(tiny.time(), 1e-5, 2e-6);
}

}  // namespace
