// plane_flight_test.cpp - a small autopilot of the test's own flies the example's plane: take-off, climb, a
// turn, level flight, a landing; and the doctor finds nothing wrong with what is sent meanwhile.
#include <gmock/gmock.h>

#include <algorithm>
#include <ap_json/frames.hpp>
#include <ap_json/state_json.hpp>
#include <cmath>
#include <doctor.hpp>

#include "../examples/plane_model.hpp"

namespace {

using ap_json::State;

constexpr double step = 0.01;  // s
constexpr double degree = ap_json::radians_per_degree;

struct Wish {
    double height = 0;   // m
    double heading = 0;  // rad
    double speed = 20;   // m/s
    double steepest = 10 * degree;
};

/// Proportional control in cascades: heading to roll to aileron; height to pitch to elevator; speed to
/// throttle.
class Autopilot {
  public:
    ap_json::ServoPacket servos(const State& state, const Wish& wish) {
        const double turn = std::remainder(wish.heading - state.attitude.yaw, 2 * ap_json::pi);
        const double roll = std::clamp(1.2 * turn, -35 * degree, 35 * degree);
        const double aileron = 0.8 * (roll - state.attitude.roll) - 0.08 * state.gyro.x;
        const double climb = wish.height + state.position.z;
        const double pitch = std::clamp(0.02 * climb + sum_, -8 * degree, wish.steepest);
        if (std::fabs(climb) < 10) sum_ += 0.002 * climb * step;  // the pitch of level flight
        const double elevator =
            1.5 * (pitch - state.attitude.pitch) - 0.15 * state.gyro.y + 0.3 * std::fabs(state.attitude.roll);
        const double throttle = 0.6 + 0.15 * (wish.speed - *state.airspeed);
        const double rudder = -0.05 * state.specific_force.y - 0.1 * state.gyro.z;
        ap_json::ServoPacket packet;
        packet.channels = 16;
        packet.pwm = {pulse(1500, 500 * aileron), pulse(1500, 500 * elevator), pulse(1000, 1000 * throttle),
                      pulse(1500, 500 * rudder)};
        return packet;
    }

  private:
    static std::uint16_t pulse(double centre, double change) {
        return static_cast<std::uint16_t>(std::lround(std::clamp(centre + change, 1000.0, 2000.0)));
    }

    double sum_ = 0;  // rad
};

/// The plane, its autopilot, and the doctor who listens to the line.
class Flight {
  public:
    explicit Flight(const ap_json::Vector3& wind) : model_({}, wind) { model_.reset(state); }

    void stand(double seconds) {
        for (int i = 0; i < seconds / step; ++i) advance({});
    }
    void fly(double seconds, const Wish& wish) {
        for (int i = 0; i < seconds / step; ++i) advance(autopilot_.servos(state, wish));
    }

    State state;
    Doctor doctor;

  private:
    void advance(ap_json::ServoPacket servos) {
        servos.frame_count = count_++;
        doctor.packet(servos);
        model_.step(servos, step, state);
        state.timestamp = count_ * step;
        char line[ap_json::max_state_line];
        std::size_t length = 0;
        ASSERT_FALSE(ap_json::encode(state, line, sizeof line, length));
        doctor.line({line, length}, std::int64_t{count_} * 1000000);
    }

    plane::Model model_;
    Autopilot autopilot_;
    std::uint32_t count_ = 0;
};

class PlaneFlight : public testing::TestWithParam<ap_json::Vector3> {};

TEST_P(PlaneFlight, TakesOffClimbsTurnsHoldsAndLands) {
    Flight flight(GetParam());
    const State& state = flight.state;
    flight.stand(3);
    EXPECT_EQ(state.position.z, 0);
    flight.fly(12, {50, 0, 20});
    EXPECT_LT(state.position.z, -20) << "took off";
    flight.fly(20, {50, 0, 20});
    EXPECT_NEAR(state.position.z, -50, 3);
    EXPECT_GT(state.position.x, 300) << "northwards";

    flight.fly(20, {50, 90 * degree, 20});
    EXPECT_NEAR(state.attitude.yaw, 90 * degree, 5 * degree) << "turned to the right";
    for (int i = 0; i < 20; ++i) {
        flight.fly(1, {50, 90 * degree, 20});
        ASSERT_NEAR(state.position.z, -50, 2) << "held the height";
        ASSERT_NEAR(*state.airspeed, 20, 1.5);
    }

    // Down to where the ground begins to be near, then with little sink onto the wheels.
    flight.fly(30, {5, 90 * degree, 14});
    for (int i = 0; i < 30; ++i) flight.fly(1, {5 - i / 3.0, 90 * degree, i < 14 ? 13.0 : -10.0, 6 * degree});
    flight.stand(40);
    EXPECT_NEAR(state.position.z, 0, 0.02) << "on its wheels";
    EXPECT_EQ(std::hypot(state.velocity.x, state.velocity.y, state.velocity.z), 0) << "at rest";

    for (const Finding& finding : flight.doctor.conclude())
        ADD_FAILURE() << finding.id << ": " << finding.title << " " << finding.seen;
}

INSTANTIATE_TEST_SUITE_P(Winds, PlaneFlight, testing::Values(ap_json::Vector3{}, ap_json::Vector3{-3, 2, 0}));

}  // namespace
