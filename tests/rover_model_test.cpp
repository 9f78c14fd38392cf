// rover_model_test.cpp - the example's rover alone, without sockets: known circles, the limit of grip, energy, stillness,
// and drives with a controller of the tests' own under the doctor's eyes.
#include <algorithm>
#include <cmath>
#include <rover_model.hpp>
#include <vector>

#include "model_flight.hpp"

namespace {

using ap_json::State;
using namespace example;  // norm, dot and operators
using model_flight::Flight;
using model_flight::outputs;

constexpr double gravity = ap_json::standard_gravity;
constexpr double dt = 0.0025;  // s

/// Servo 1 and servo 3.
ap_json::ServoPacket servos(double one, double three) { return outputs({one, 0, three}); }

State after(Rover& rover, double seconds, const ap_json::ServoPacket& packet, double step = dt) {
    State state;
    for (long i = 0; i < std::lround(seconds / step); ++i) rover.step(packet, step, state);
    return state;
}

TEST(Rover, StandsExactlyStill) {
    for (const auto& parameters : {RoverParameters::car(), RoverParameters::skid_steered()}) {
        for (const double pwm : {0.0, 1500.0}) {
            Rover rover(parameters);
            const State state = after(rover, 5, servos(pwm, pwm));
            EXPECT_EQ(norm(state.position), 0);
            EXPECT_EQ(norm(state.velocity), 0);
            EXPECT_EQ(state.gyro.z, 0);
            EXPECT_EQ(state.specific_force.x, 0);
            EXPECT_EQ(state.specific_force.y, 0);
            EXPECT_EQ(state.specific_force.z, -9.80665);
        }
    }
}

TEST(Rover, DrivesStraightAtTheSpeedAskedFor) {
    for (const auto& parameters : {RoverParameters::car(), RoverParameters::skid_steered()}) {
        const double middle = parameters.drive == Drive::ackermann ? 1500 : 1650;
        for (const double pwm : {1650.0, 1350.0}) {
            Rover rover(parameters);
            const double side = parameters.drive == Drive::ackermann ? middle : pwm;
            const double asked = (pwm - 1500) / 500 * parameters.top_speed;
            const State state = after(rover, 10, servos(side, pwm));
            EXPECT_NEAR(state.velocity.x, asked, 0.02 * std::fabs(asked));
            EXPECT_LT(std::fabs(state.velocity.x), std::fabs(asked)) << "wheels slip to drive";
            EXPECT_NEAR(state.velocity.y, 0, 1e-9);
        }
    }
}

/// Slowly, the circle is the geometry's: its radius at the rear axle is wheelbase / tan delta.
TEST(Rover, DrivesTheCircleOfItsSteering) {
    Rover rover;
    const RoverParameters& p = rover.parameters();
    after(rover, 5, servos(2000, 1516));
    const State state = after(rover, dt, servos(2000, 1516));
    const double radius = std::hypot(p.wheelbase / std::tan(p.max_steering), p.wheelbase / 2);
    EXPECT_GT(state.gyro.z, 0) << "more than 1500 us is to the right";
    EXPECT_NEAR(norm(state.velocity) / state.gyro.z, radius, 0.05 * radius);
    EXPECT_NEAR(state.specific_force.y, norm(state.velocity) * state.gyro.z, 0.05);
}

TEST(Rover, GripIsTheLimitOfTheCurve) {
    Rover rover;
    const double limit = rover.parameters().friction * gravity;
    after(rover, 8, servos(1500, 1800));
    State state;
    double most = 0, slides = 0;
    for (int i = 0; i < 4000; ++i) {
        rover.step(servos(1900, 1800), dt, state);
        most = std::max(most, std::hypot(state.specific_force.x, state.specific_force.y));
        slides = std::max(slides, std::fabs(rover.lateral_velocity()));
    }
    EXPECT_LT(most, limit * 1.03) << "with the drag of the air";
    EXPECT_GT(most, limit * 0.9);
    EXPECT_GT(slides, 1);
}

TEST(Rover, SkidSteeringTurnsOnTheSpotAndSlips) {
    Rover rover(RoverParameters::skid_steered());
    const RoverParameters& p = rover.parameters();
    const State state = after(rover, 5, servos(1600, 1400));
    const double without_slip = 2 * 0.2 * p.top_speed / p.track;
    EXPECT_GT(state.gyro.z, 0.3 * without_slip);
    EXPECT_LT(state.gyro.z, 0.9 * without_slip);
    EXPECT_LT(norm(state.position), 0.01);
}

TEST(Rover, LosesItsEnergyWhenNothingIsAskedFor) {
    for (const auto& parameters : {RoverParameters::car(), RoverParameters::skid_steered()}) {
        Rover rover(parameters);
        const bool steers = parameters.drive == Drive::ackermann;
        after(rover, 4, servos(steers ? 1500 : 1800, 1800));
        const auto energy = [&](const State& s) {
            return parameters.mass * dot(s.velocity, s.velocity) / 2 +
                   parameters.yaw_inertia * s.gyro.z * s.gyro.z / 2;
        };
        State state = after(rover, dt, servos(1500, 1500));
        for (int i = 0; i < 4000; ++i) {
            const double before = energy(state);
            rover.step(servos(0, 0), dt, state);
            ASSERT_LE(energy(state), before + 1e-9) << i;
        }
        EXPECT_EQ(norm(state.velocity), 0);
        EXPECT_EQ(state.gyro.z, 0);
    }
}

/// Half the step, half the error: the method is of first order.
TEST(Rover, ConvergesWithTheStepSize) {
    const auto end = [](double step) {
        Rover rover;
        after(rover, 1, servos(1500, 1700), step);
        return after(rover, 1, servos(1650, 1600), step);
    };
    const State exact = end(1.0 / 128000);
    std::vector<double> errors;
    for (const double step : {0.0005, 0.00025, 0.000125})
        errors.push_back(norm(end(step).position - exact.position));
    EXPECT_LT(errors[0], 0.02);
    EXPECT_NEAR(errors[0] / errors[1], 2, 0.3);
    EXPECT_NEAR(errors[1] / errors[2], 2, 0.3);
}

/// The rate of the link hardly matters: long steps are made of short ones.
TEST(Rover, GoesTheSameWayAtAnyRate) {
    Rover fast, slow;
    const State a = after(fast, 4, servos(1600, 1600), 0.0005);
    const State b = after(slow, 4, servos(1600, 1600), 0.01);
    EXPECT_LT(norm(a.position - b.position), 0.001);
    EXPECT_NEAR(a.gyro.z, b.gyro.z, 0.001);
}

/// To a place and to a stop there: throttle by the distance, steering by the bearing.
ap_json::ServoPacket drive_to(const Vector3& place, const State& state, const RoverParameters& p) {
    const double north = place.x - state.position.x, east = place.y - state.position.y;
    const double bearing = std::remainder(std::atan2(east, north) - state.attitude.yaw, 2 * ap_json::pi);
    const double distance = std::hypot(north, east);
    const double speed = distance < 0.2 ? 0 : std::min(distance, 3.0) * std::max(std::cos(bearing), 0.2);
    const double throttle = 500 * speed / p.top_speed;
    if (p.drive == Drive::ackermann)
        return servos(1500 + std::clamp(800 * bearing, -500.0, 500.0), 1500 + throttle);
    const double turn = distance < 0.2 ? 0 : std::clamp(120 * bearing, -120.0, 120.0);
    return servos(1500 + throttle + turn, 1500 + throttle - turn);
}

void expect_drives(const RoverParameters& parameters, double step) {
    Rover rover(parameters);
    Flight flight(rover, step);
    for (int i = 0; i < 2 / step; ++i) flight.step(servos(0, 0));
    for (const Vector3& place : {Vector3{20, 0, 0}, Vector3{20, 20, 0}, Vector3{0, 5, 0}}) {
        const double begin = flight.time();
        while (flight.time() < begin + 25) flight.step(drive_to(place, flight.state(), parameters));
        EXPECT_LT(norm(flight.state().position - place), 0.5);
        EXPECT_LT(norm(flight.state().velocity), 1e-3);
    }
    flight.expect_healthy();
}

TEST(Rover, DrivesWithAController) { expect_drives(RoverParameters::car(), 0.0025); }
TEST(Rover, DrivesSkidSteeredWithAController) { expect_drives(RoverParameters::skid_steered(), 0.01); }

}  // namespace
