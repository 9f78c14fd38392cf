// quadcopter_model_test.cpp - the example's quadcopter alone, without sockets: known trajectories, equilibrium, energy,
// the ground, and flights with a controller of the tests' own under the doctor's eyes.
#include <cmath>
#include <quadcopter_model.hpp>
#include <vector>

#include "copter_controller.hpp"
#include "model_flight.hpp"

namespace {

using ap_json::State;
using namespace example;  // norm, dot and operators
using model_flight::Flight;
using model_flight::outputs;

constexpr double gravity = ap_json::standard_gravity;
constexpr double dt = 0.00125;  // s

ap_json::ServoPacket all(double pwm) { return outputs({pwm, pwm, pwm, pwm}); }

/// Steps without a doctor: for what no ArduPilot would ask for.
State after(Quadcopter& quadcopter, double seconds, const ap_json::ServoPacket& servos, double step = dt) {
    State state;
    for (long i = 0; i < std::lround(seconds / step); ++i) quadcopter.step(servos, step, state);
    return state;
}

void expect_exactly_at_rest(const State& state) {
    EXPECT_EQ(state.velocity.x, 0);
    EXPECT_EQ(state.velocity.y, 0);
    EXPECT_EQ(state.velocity.z, 0);
    EXPECT_EQ(state.gyro.x, 0);
    EXPECT_EQ(state.gyro.y, 0);
    EXPECT_EQ(state.gyro.z, 0);
}

TEST(Quadcopter, StandsExactlyStill) {
    for (const double pwm : {0.0, 1000.0}) {
        Quadcopter quadcopter;
        Flight flight(quadcopter, dt);
        for (int i = 0; i < 4000; ++i) {
            flight.step(all(pwm));
            expect_exactly_at_rest(flight.state());
            ASSERT_EQ(flight.state().position.z, 0);
            ASSERT_EQ(flight.state().specific_force.x, 0);
            ASSERT_EQ(flight.state().specific_force.y, 0);
            ASSERT_EQ(flight.state().specific_force.z, -9.80665);
        }
        flight.expect_healthy();
    }
}

TEST(Quadcopter, StandsStillWhileItsMotorsIdle) {
    Quadcopter quadcopter;
    const State state = after(quadcopter, 5, all(1120));
    expect_exactly_at_rest(state);
    EXPECT_NEAR(norm(state.specific_force), gravity, 1e-12);
    EXPECT_GT(quadcopter.rotor_speeds()[0], 50);
    EXPECT_NEAR(state.attitude.yaw, 0, 1e-6);
}

TEST(Quadcopter, FallsFreelyWithoutAir) {
    QuadcopterParameters parameters;
    parameters.air_density = 0;
    Quadcopter quadcopter(parameters, {3, 4, -1000});
    const State state = after(quadcopter, 10, all(0));
    EXPECT_NEAR(state.position.z, -1000 + gravity / 2 * 100, 1e-6);
    EXPECT_NEAR(state.velocity.z, gravity * 10, 1e-8);
    EXPECT_EQ(state.position.x, 3);
    EXPECT_NEAR(norm(state.specific_force), 0, 1e-12);
}

TEST(Quadcopter, FallsAtItsTerminalVelocityInAir) {
    Quadcopter quadcopter({}, {0, 0, -1000});
    const QuadcopterParameters& p = quadcopter.parameters();
    const State state = after(quadcopter, 20, all(0));
    EXPECT_NEAR(state.velocity.z, std::sqrt(2 * p.mass * gravity / (p.air_density * p.drag_area)), 1e-3);
    EXPECT_NEAR(state.specific_force.z, -gravity, 1e-3);
}

TEST(Quadcopter, DriftsWithTheWind) {
    Quadcopter quadcopter({}, {0, 0, -1000});
    quadcopter.set_wind({5, -2, 0});
    const State state = after(quadcopter, 30, all(1530));
    EXPECT_NEAR(state.velocity.x, 5, 0.1);
    EXPECT_NEAR(state.velocity.y, -2, 0.1);
    EXPECT_EQ(state.wind->x, 5);
}

TEST(Quadcopter, HoversAtItsHoverDuty) {
    Quadcopter quadcopter({}, {0, 0, -50});
    State state;
    for (int i = 0; i < 2400; ++i)
        quadcopter.step(all(1000 + 1000 * quadcopter.hover_duty(quadcopter.battery_voltage())), dt, state);
    EXPECT_NEAR(state.specific_force.z, -gravity, 0.06) << "1 us is 0.04 m/s2";
    EXPECT_NEAR(quadcopter.hover_duty(12.3), 0.53, 0.01);
    EXPECT_GT(state.battery->current, 10);
    EXPECT_LT(state.battery->current, 25);
}

TEST(Quadcopter, LiftsMoreThanTwiceItsWeightAndSagsItsBattery) {
    Quadcopter quadcopter({}, {0, 0, -50});
    const State state = after(quadcopter, 0.3, all(2000));
    EXPECT_LT(state.specific_force.z, -2 * gravity);
    EXPECT_GT(state.specific_force.z, -3.5 * gravity);
    EXPECT_LT(state.battery->voltage, 12);
    EXPECT_GT(state.battery->voltage, 10.5);
    EXPECT_NEAR(state.battery->voltage, 12.6 - 0.02 * state.battery->current, 0.01);
}

TEST(Quadcopter, ItsBatteryRunsDown) {
    Quadcopter quadcopter({}, {0, 0, -1000});
    const double before = after(quadcopter, 1, all(1530)).battery->voltage;
    const State state = after(quadcopter, 60, all(1530));
    const double used = state.battery->current * 60 / quadcopter.parameters().capacity;
    EXPECT_NEAR(before - state.battery->voltage, used * 1.8, 0.1 * used * 1.8);
}

TEST(Quadcopter, MotorsLag) {
    Quadcopter quadcopter({}, {0, 0, -50});
    after(quadcopter, 1, all(1500));
    const double first = quadcopter.rotor_speeds()[0];
    Quadcopter other = quadcopter;
    after(other, 1, all(1600));
    const double last = other.rotor_speeds()[0];
    double time = 0;
    for (; quadcopter.rotor_speeds()[0] < first + 0.632 * (last - first); time += 1e-4)
        after(quadcopter, 1e-4, all(1600), 1e-4);
    EXPECT_GT(time, 0.02);
    EXPECT_LT(time, 0.06);
}

/// ArduCopter's X: what each motor does when it alone turns faster. 1 front right, 2 rear left, 3 front left, 4 rear
/// right; 1 and 2 turn counter-clockwise and so the frame clockwise.
TEST(Quadcopter, MotorOrderIsArduCoptersX) {
    constexpr double roll[] = {-1, 1, 1, -1}, pitch[] = {1, -1, 1, -1}, yaw[] = {1, 1, -1, -1};
    for (std::size_t i = 0; i < 4; ++i) {
        Quadcopter quadcopter({}, {0, 0, -50});
        ap_json::ServoPacket servos = all(1530);
        after(quadcopter, 1, servos);
        servos.pwm[i] = 1600;
        const State state = after(quadcopter, 0.1, servos);
        EXPECT_GT(state.gyro.x * roll[i], 0.1) << i;
        EXPECT_GT(state.gyro.y * pitch[i], 0.1) << i;
        EXPECT_GT(state.gyro.z * yaw[i], 0.01) << i;
    }
}

TEST(Quadcopter, BouncesLoseEnergyAndEndInStillness) {
    Quadcopter quadcopter({}, {0, 0, -0.3});
    Flight flight(quadcopter, dt);
    double energy = 1e9;
    for (int i = 0; i < 8000; ++i) {
        flight.step(all(0));
        const State& s = flight.state();
        EXPECT_GT(-s.position.z, -0.06) << "sinks too deep";
        if (s.position.z > -0.003) continue;  // the ground's springs hold some of it
        const double now =
            quadcopter.parameters().mass * (dot(s.velocity, s.velocity) / 2 - gravity * s.position.z);
        EXPECT_LE(now, energy + 1e-9);
        energy = now;
    }
    expect_exactly_at_rest(flight.state());
    EXPECT_NEAR(flight.state().position.z, 0, 1e-6);
    EXPECT_NEAR(flight.state().specific_force.z, -gravity, 1e-9);
    flight.expect_healthy();
}

TEST(Quadcopter, CrashesOntoTheGroundAndStaysThere) {
    for (const double height : {2.0, 20.0, 200.0}) {
        Quadcopter quadcopter({}, {0, 0, -height});
        after(quadcopter, 0.15, outputs({2000, 1000, 1000, 1500}));  // tumbles
        State state;
        for (int i = 0; i < 30000; ++i) {
            quadcopter.step(all(1000), dt, state);
            ASSERT_LT(state.position.z, 0.25) << "through the ground after a fall from " << height << " m";
            ASSERT_FALSE(ap_json::validate(state));
        }
        EXPECT_LT(norm(state.velocity), 0.05) << height;
        EXPECT_LT(norm(state.gyro), 0.2) << height;
    }
}

TEST(Quadcopter, FrictionHoldsItInWindAndAGaleMovesIt) {
    Quadcopter quadcopter;
    quadcopter.set_wind({8, 3, 0});
    State state = after(quadcopter, 10, all(1000));
    EXPECT_LT(norm(state.position), 0.005);
    expect_exactly_at_rest(state);
    quadcopter.set_wind({30, 0, 0});
    state = after(quadcopter, 1, all(1000));
    EXPECT_GT(state.position.x, 0.5);
}

TEST(Quadcopter, RangeFinderLooksAlongTheBody) {
    Quadcopter low, high({}, {0, 0, -10}), very_high({}, {0, 0, -500});
    EXPECT_NEAR(*after(low, dt, all(0)).range_finders[0], 0.118, 1e-9);
    EXPECT_NEAR(*after(high, dt, all(0)).range_finders[0], 10.118, 1e-4);
    EXPECT_EQ(*after(very_high, dt, all(0)).range_finders[0], 50);
    after(high, 0.2, outputs({1600, 1400, 1500, 1500}));
    const State state = after(high, dt, all(0));
    const double tilt = std::acos(std::cos(state.attitude.roll) * std::cos(state.attitude.pitch));
    ASSERT_GT(tilt, 0.05);
    EXPECT_NEAR(*state.range_finders[0], (0.118 - state.position.z) / std::cos(tilt), 1e-9);
}

/// Half the step, half the error: the method is of first order.
TEST(Quadcopter, ConvergesWithTheStepSize) {
    const auto end = [](double step) {
        Quadcopter quadcopter({}, {0, 0, -50});
        quadcopter.set_wind({3, 1, 0});
        after(quadcopter, 0.2, outputs({1600, 1590, 1600, 1592}), step);
        return after(quadcopter, 0.8, outputs({1560, 1561, 1562, 1560}), step);
    };
    const State exact = end(0.00002);
    std::vector<double> errors;
    for (const double step : {0.002, 0.001, 0.0005}) {
        const State state = end(step);
        errors.push_back(norm(state.position - exact.position) + norm(state.gyro - exact.gyro));
    }
    EXPECT_LT(errors[1], 0.02);
    EXPECT_NEAR(errors[0] / errors[1], 2, 0.3);
    EXPECT_NEAR(errors[1] / errors[2], 2, 0.3);
}

TEST(Quadcopter, ResetPutsItBack) {
    Quadcopter quadcopter({}, {1, 2, 0});
    after(quadcopter, 3, outputs({1700, 1690, 1700, 1700}));
    State state;
    quadcopter.reset(state);
    EXPECT_EQ(state.position.x, 1);
    EXPECT_EQ(state.position.y, 2);
    expect_exactly_at_rest(state);
    EXPECT_EQ(quadcopter.rotor_speeds()[2], 0);
    EXPECT_GT(state.battery->voltage, 12.5);
}

/// Takes off, holds, flies a leg, lands and stands still.
void expect_flies(double step, const Vector3& wind) {
    Quadcopter quadcopter;
    quadcopter.set_wind(wind);
    Flight flight(quadcopter, step);
    CopterController controller(quadcopter.parameters());
    const auto fly_until = [&](double time, double tolerance) {
        while (flight.time() < time) {
            flight.step(controller.fly(flight.state(), step));
            ASSERT_LT(norm(flight.state().position - controller.target), tolerance) << flight.time();
        }
    };
    const double any = 100;  // m
    while (flight.time() < 1) flight.step(all(1000));
    controller.target = {0, 0, -10};
    fly_until(13, any);
    fly_until(18, 0.2);
    controller.target = {20, 0, -10};
    fly_until(28, any);
    fly_until(30, 0.2);
    controller.descent = 0.8;
    fly_until(46, any);
    while (flight.time() < 48) flight.step(all(1000));
    EXPECT_NEAR(flight.state().position.x, 20, 0.5);
    EXPECT_NEAR(flight.state().position.z, 0, 0.001);
    expect_exactly_at_rest(flight.state());
    flight.expect_healthy();
}

TEST(Quadcopter, FliesWithAController) { expect_flies(0.0025, {}); }
TEST(Quadcopter, FliesInWindWithAController) { expect_flies(0.00125, {4, 3, 0}); }

}  // namespace
