// plane_test.cpp - the example's plane alone: forces and moments, known trajectories, equilibrium, the
// ground.
#include <gmock/gmock.h>

#include <ap_json/frames.hpp>
#include <cmath>
#include <functional>

#include "../examples/plane_model.hpp"

namespace {

using ap_json::Quaternion;
using ap_json::ServoPacket;
using ap_json::standard_gravity;
using ap_json::State;
using ap_json::Vector3;
using plane::Controls;
using plane::Motion;
using plane::Parameters;

constexpr double step = 0.0025;  // s
constexpr int neutral = 1500, idle = 1000;

ServoPacket pulses(int aileron, int elevator, int throttle, int rudder) {
    ServoPacket servos;
    servos.channels = 16;
    const int all[] = {aileron, elevator, throttle, rudder};
    for (std::size_t i = 0; i < 4; ++i) servos.pwm[i] = static_cast<std::uint16_t>(all[i]);
    return servos;
}

double length(const Vector3& v) { return std::hypot(v.x, v.y, v.z); }

/// Where f, which rises, is 0.
double zero_of(const std::function<double(double)>& f, double low, double high) {
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (f(middle) < 0 ? low : high) = middle;
    }
    return (low + high) / 2;
}

struct Trim {
    Motion motion;
    Controls controls;
    ServoPacket servos;
};

/// Straight and level flight to the north at this airspeed: the elevator balances the moment, the wing the
/// weight, the propeller the drag.
Trim trimmed(const Parameters& p, double speed) {
    Trim trim;
    const double weight = p.mass * standard_gravity;
    const auto load_at = [&](double alpha) {
        trim.controls.delta_e =
            -(p.coefficients.C_m_0 + p.coefficients.C_m_alpha * std::sin(alpha)) / p.coefficients.C_m_delta_e;
        trim.motion.attitude = to_quaternion(ap_json::EulerAngles{0, alpha, 0});
        const Vector3 through_air{speed * std::cos(alpha), 0, speed * std::sin(alpha)};
        return to_ned(trim.motion.attitude, aerodynamics(p, through_air, {}, trim.controls).force);
    };
    // Level flight: drag D = T cos(alpha), lift L = W - T sin(alpha).
    const double alpha = zero_of(
        [&](double a) {
            const Vector3 force = load_at(a);
            return -force.z - force.x * std::tan(a) - weight;
        },
        -0.1, 0.2);
    const double pull = -load_at(alpha).x / std::cos(alpha);
    const double forwards = speed * std::cos(alpha);
    trim.controls.revolutions =
        zero_of([&](double n) { return thrust(p.propeller, p.air_density, n, forwards) - pull; },
                forwards / (2 * p.propeller.advance_ratio * p.propeller.diameter), p.propeller.fastest);
    trim.motion.velocity = {speed, 0, 0};
    trim.motion.position = {0, 0, -500};
    trim.servos = pulses(
        neutral,
        neutral - static_cast<int>(std::lround(500 * trim.controls.delta_e / p.actuators.elevator_travel)),
        idle + static_cast<int>(std::lround(1000 * trim.controls.revolutions / p.propeller.fastest)),
        neutral);
    return trim;
}

State fly(plane::Model& model, const ServoPacket& servos, double seconds, double dt = step,
          const std::function<void(const State&)>& look = {}) {
    State state;
    for (int i = 0; i < std::lround(seconds / dt); ++i) {
        model.step(servos, dt, state);
        if (look) look(state);
    }
    return state;
}

// ---- air

TEST(Plane, TrimmedFlightIsAnEquilibrium) {
    for (double speed : {12.0, 16.0, 20.0, 26.0}) {
        const Trim trim = trimmed({}, speed);
        plane::Model model;
        model.place(trim.motion, trim.controls);
        State state;
        model.step(trim.servos, step, state);
        EXPECT_LT(std::hypot(state.specific_force.x, state.specific_force.z), standard_gravity * 1.001)
            << speed;
        EXPECT_NEAR(length(to_ned(*state.quaternion, state.specific_force)), standard_gravity, 0.01) << speed;
        EXPECT_NEAR(state.velocity.z, 0, 1e-4) << speed;
        double lowest = speed, highest = speed;
        state = fly(model, trim.servos, 30, step, [&](const State& s) {
            lowest = std::min(lowest, length(s.velocity));
            highest = std::max(highest, length(s.velocity));
        });
        EXPECT_GT(lowest, speed - 0.3);  // the servos' whole microseconds are not quite the trim
        EXPECT_LT(highest, speed + 0.3);
        EXPECT_NEAR(state.position.z, -500, 5);
        EXPECT_NEAR(*state.airspeed, speed * std::cos(state.attitude.pitch), 0.3);
        EXPECT_NEAR(state.position.y, 0, 1e-9) << "straight ahead";
    }
}

/// With everything neutral and no thrust, the plane ends in a glide whose ratio is that of lift and drag.
TEST(Plane, GlidesByTheRatioOfLiftAndDrag) {
    const Parameters parameters;
    plane::Model model;
    Trim trim = trimmed(parameters, 20);
    trim.motion.position.z = -3000;
    model.place(trim.motion, {});
    const State state = fly(model, pulses(neutral, neutral, idle, neutral), 120);
    const Vector3 through_air = to_body(*state.quaternion, state.velocity);
    const double alpha = std::atan2(through_air.z, through_air.x);
    const Vector3 force = aerodynamics(parameters, through_air, state.gyro, {}).force;
    const double drag = -(force.x * std::cos(alpha) + force.z * std::sin(alpha));
    const double lift = force.x * std::sin(alpha) - force.z * std::cos(alpha);
    EXPECT_NEAR(state.velocity.x / state.velocity.z, lift / drag, 0.02 * lift / drag);
    EXPECT_GT(lift / drag, 5);
    EXPECT_LT(lift / drag, 15);
    EXPECT_NEAR(length(force), parameters.mass * standard_gravity, 0.05);
}

double energy(const Parameters& p, const Motion& m) {
    const auto& [wx, wy, wz] = m.rates;
    return p.mass * (std::pow(length(m.velocity), 2) / 2 - standard_gravity * m.position.z) +
           (p.J_x * wx * wx + p.J_y * wy * wy + p.J_z * wz * wz) / 2 - p.J_xz * wx * wz;
}

/// The energy that a wild flight loses is the work of the air.
TEST(Plane, EnergyIsLostToTheAirAlone) {
    const Parameters parameters;
    plane::Model model;
    model.place(trimmed(parameters, 20).motion, {});
    const auto power = [&] {
        const Motion& m = model.motion();
        const Vector3 through_air = to_body(m.attitude, m.velocity);
        const plane::Load load = aerodynamics(parameters, through_air, m.rates, model.controls());
        return load.force.x * through_air.x + load.force.y * through_air.y + load.force.z * through_air.z +
               load.moment.x * m.rates.x + load.moment.y * m.rates.y + load.moment.z * m.rates.z;
    };
    const double before = energy(parameters, model.motion());
    double work = 0;
    State state;
    const ServoPacket servos = pulses(1600, 1560, idle, 1450);  // a spiral
    for (int i = 0; i < 8 / step; ++i) {
        const double first = power();
        model.step(servos, step, state);
        work += (first + power()) / 2 * step;
    }
    EXPECT_LT(work, -100);
    EXPECT_NEAR(energy(parameters, model.motion()) - before, work, 2e-3 * std::fabs(work));
}

/// Dropped nose down with a wing that neither lifts nor turns it: v = V tanh(g t / V), V the terminal
/// velocity.
TEST(Plane, FallsAsAFallingBodyWithDrag) {
    Parameters p;
    p.coefficients = {};
    p.coefficients.C_L_0 = p.coefficients.C_m_0 = 0;
    const double terminal =
        std::sqrt(2 * p.mass * standard_gravity / (p.air_density * p.wing.area * p.coefficients.C_D_p));
    plane::Model model(p);
    Motion motion;
    motion.position.z = -20000;
    motion.attitude = to_quaternion(ap_json::EulerAngles{0, -ap_json::pi / 2, 0});
    model.place(motion, {});
    for (int i = 1; i <= 40; ++i) {
        const State state = fly(model, ServoPacket{}, 1);
        ASSERT_NEAR(state.velocity.z, terminal * std::tanh(standard_gravity * i / terminal), 1e-4) << i;
    }
    EXPECT_NEAR(length(model.motion().velocity), terminal, 0.01);
}

/// In no air, a tumbling body keeps its angular momentum and its energy, whatever its axes do.
TEST(Plane, TumblesAsEulerSays) {
    Parameters p;
    p.air_density = 0;
    plane::Model model(p);
    Motion motion;
    motion.position.z = -10000;
    motion.rates = {2, 3, -1};
    model.place(motion, {});
    const auto angular_momentum = [&] {
        const auto& [wx, wy, wz] = model.motion().rates;
        return to_ned(model.motion().attitude,
                      {p.J_x * wx - p.J_xz * wz, p.J_y * wy, p.J_z * wz - p.J_xz * wx});
    };
    const Vector3 before = angular_momentum();
    const double energy_before = energy(p, model.motion());
    double least = 3;
    fly(model, ServoPacket{}, 20, step, [&](const State& s) { least = std::min(least, s.gyro.y); });
    const Vector3 after = angular_momentum();
    EXPECT_NEAR(length({after.x - before.x, after.y - before.y, after.z - before.z}), 0, 1e-6);
    EXPECT_NEAR(energy(p, model.motion()), energy_before, 1e-6 * energy_before);
    EXPECT_LT(least, -1) << "about the middle axis it turns over";
    EXPECT_NEAR(length(model.motion().velocity), 20 * standard_gravity, 1e-6) << "free fall";
}

/// Wind carries the whole flight along, and the airspeed says nothing of it.
TEST(Plane, WindCarriesTheFlightAlong) {
    const Vector3 wind{-5, 3, 1};
    Trim trim = trimmed({}, 20);
    plane::Model still, windy({}, wind);
    still.place(trim.motion, trim.controls);
    trim.motion.velocity = {20 + wind.x, wind.y, wind.z};
    windy.place(trim.motion, trim.controls);
    ServoPacket servos = trim.servos;
    servos.pwm[0] = 1530;
    const State in_still = fly(still, servos, 5), in_wind = fly(windy, servos, 5);
    EXPECT_NEAR(in_wind.position.x - in_still.position.x, 5 * wind.x, 1e-6);
    EXPECT_NEAR(in_wind.position.y - in_still.position.y, 5 * wind.y, 1e-6);
    EXPECT_NEAR(in_wind.position.z - in_still.position.z, 5 * wind.z, 1e-6);
    EXPECT_NEAR(*in_wind.airspeed, *in_still.airspeed, 1e-9);
    EXPECT_EQ(in_wind.wind->y, wind.y);
}

double lift_coefficient(double alpha) {
    const Parameters p;
    const Vector3 force = aerodynamics(p, {20 * std::cos(alpha), 0, 20 * std::sin(alpha)}, {}, {}).force;
    return (force.x * std::sin(alpha) - force.z * std::cos(alpha)) / (p.air_density * 200 * p.wing.area);
}

TEST(Plane, TheWingStalls) {
    double best = 0, best_alpha = 0;
    for (double alpha = -ap_json::pi; alpha < ap_json::pi; alpha += 0.001) {
        const double C_L = lift_coefficient(alpha);
        ASSERT_LT(std::fabs(C_L - lift_coefficient(alpha + 0.001)), 0.02) << "a jump at " << alpha;
        if (C_L > best) best = C_L, best_alpha = alpha;
    }
    EXPECT_NEAR(best, 1.3, 0.15);
    EXPECT_NEAR(best_alpha, 0.22, 0.04);
    EXPECT_NEAR(lift_coefficient(0.05), 0.25 + 4.9 * 0.05, 0.001) << "linear before the stall";
    EXPECT_LT(lift_coefficient(0.35), 0.6 * best) << "lost after it";
    EXPECT_NEAR(lift_coefficient(ap_json::pi / 4), std::sqrt(0.5), 0.001) << "a flat plate";
    EXPECT_NEAR(lift_coefficient(ap_json::pi / 2), 0, 0.001);
}

/// C_D = C_D_p + C_L^2 / (pi e AR) before the stall; a wall of 2 across the flow.
TEST(Plane, DragGrowsWithLift) {
    const Parameters p;
    const double aspect_ratio = p.wing.span * p.wing.span / p.wing.area;
    const auto drag = [&](double alpha) {
        const Vector3 force = aerodynamics(p, {20 * std::cos(alpha), 0, 20 * std::sin(alpha)}, {}, {}).force;
        return -(force.x * std::cos(alpha) + force.z * std::sin(alpha)) / (p.air_density * 200 * p.wing.area);
    };
    for (double alpha : {-0.1, 0.0, 0.05, 0.12}) {
        const double C_L = lift_coefficient(alpha);
        EXPECT_NEAR(drag(alpha), 0.035 + C_L * C_L / (ap_json::pi * 0.85 * aspect_ratio), 1e-3) << alpha;
    }
    EXPECT_NEAR(drag(ap_json::pi / 2), 2.035, 1e-6);
}

/// Slower than the stall the wing does not carry the plane, whatever the elevator does.
TEST(Plane, SinksWhenItIsTooSlow) {
    plane::Model model;
    Motion motion = trimmed({}, 14).motion;
    motion.velocity.x = 6;
    motion.position.z = -1000;
    model.place(motion, {});
    const double before = motion.position.z;
    const State state = fly(model, pulses(neutral, 1800, idle, neutral), 2);
    EXPECT_GT(state.position.z - before, 4);
}

TEST(Plane, ThrustFallsWithAirspeed) {
    const plane::Propeller propeller;
    double last = thrust(propeller, 1.225, propeller.fastest, 0);
    EXPECT_NEAR(last, 1.225 * std::pow(propeller.diameter, 4) * 0.08 * 150 * 150, 1e-9);
    for (double speed = 1; speed < 60; ++speed) {
        const double now = thrust(propeller, 1.225, propeller.fastest, speed);
        EXPECT_LT(now, last);
        last = now;
    }
    EXPECT_LT(last, 0) << "driven by the air";
    EXPECT_EQ(thrust(propeller, 1.225, 0, 20), 0) << "a propeller that stands is folded";
}

// ---- control

/// What half a second of one servo does to trimmed flight.
State after(int aileron, int elevator, int throttle, int rudder) {
    const Trim trim = trimmed({}, 20);
    plane::Model model;
    model.place(trim.motion, trim.controls);
    ServoPacket servos = trim.servos;
    const int changes[] = {aileron, elevator, throttle, rudder};
    for (std::size_t i = 0; i < 4; ++i)
        servos.pwm[i] = static_cast<std::uint16_t>(servos.pwm[i] + changes[i]);
    return fly(model, servos, 0.5);
}

TEST(Plane, EveryServoActsInItsDirection) {
    for (int sign : {-1, 1}) {
        EXPECT_GT(sign * after(sign * 100, 0, 0, 0).gyro.x, 0.3) << "servo 1 up: right wing down";
        EXPECT_GT(sign * after(sign * 100, 0, 0, 0).attitude.roll, 0.1);
        EXPECT_GT(sign * after(0, sign * 100, 0, 0).attitude.pitch, 0.02) << "servo 2 up: nose up";
        EXPECT_GT(sign * (after(0, 0, sign * 200, 0).velocity.x - 20), 0.2) << "servo 3 up: faster";
        EXPECT_GT(sign * after(0, 0, 0, sign * 100).attitude.yaw, 0.01) << "servo 4 up: nose right";
    }
}

TEST(Plane, ARollToTheRightBecomesATurnToTheRight) {
    const Trim trim = trimmed({}, 20);
    plane::Model model;
    model.place(trim.motion, trim.controls);
    ServoPacket servos = trim.servos;
    servos.pwm[0] = 1600;
    const State banked = fly(model, servos, 0.6);
    EXPECT_GT(banked.attitude.roll, 0.2);
    const State turned = fly(model, trim.servos, 3);
    EXPECT_GT(turned.attitude.yaw - banked.attitude.yaw, 0.3);
    EXPECT_GT(turned.velocity.y, 3) << "eastwards";
    EXPECT_LT(std::fabs(turned.specific_force.y), 2) << "with little slip";
}

TEST(Plane, ZeroMicrosecondsAskForNothing) {
    plane::Model one, other;
    const Trim trim = trimmed({}, 20);
    for (plane::Model* model : {&one, &other}) model->place(trim.motion, trim.controls);
    const State nothing = fly(one, ServoPacket{}, 3);
    const State idling = fly(other, pulses(neutral, neutral, idle, neutral), 3);
    EXPECT_EQ(nothing.position.x, idling.position.x);
    EXPECT_EQ(nothing.attitude.pitch, idling.attitude.pitch);
    EXPECT_NEAR(one.controls().revolutions, 0, 1e-4);
}

// ---- integration

Vector3 end_of_manoeuvre(double dt) {
    const Trim trim = trimmed({}, 20);
    plane::Model model;
    model.place(trim.motion, trim.controls);
    ServoPacket servos = trim.servos;
    servos.pwm[0] = 1540;
    servos.pwm[1] = static_cast<std::uint16_t>(servos.pwm[1] + 60);
    fly(model, servos, 1, dt);
    servos.pwm[0] = 1490;
    fly(model, servos, 2, dt);
    return model.motion().position;
}

/// The motion is of fourth order; that the servos move at the beginning of a step makes the whole one of
/// first order.
TEST(Plane, SmallerStepsConverge) {
    const Vector3 fine = end_of_manoeuvre(0.0003125);
    double last = 1;
    for (double dt : {0.01, 0.005, 0.0025, 0.00125}) {
        const Vector3 end = end_of_manoeuvre(dt);
        const double error = length({end.x - fine.x, end.y - fine.y, end.z - fine.z});
        EXPECT_LT(error, 0.6 * last) << dt;
        last = error;
    }
    EXPECT_LT(last, 0.02);
}

TEST(Plane, SpecificForceIsWhatTheVelocityDoes) {
    plane::Model model;
    State state;
    model.reset(state);
    Vector3 sum;  // of acceleration over time
    const ServoPacket servos = pulses(1520, 1560, 2000, 1490);
    for (int i = 0; i < 8 / step; ++i) {
        const Motion before = model.motion();
        model.step(servos, step, state);
        const Vector3 f = to_ned(*state.quaternion, state.specific_force);
        sum = {sum.x + f.x * step, sum.y + f.y * step, sum.z + (f.z + standard_gravity) * step};
        const double spike = length(state.specific_force);
        ASSERT_LT(spike, 100) << "at " << i * step << " s, z " << before.position.z;
    }
    EXPECT_NEAR(sum.x, state.velocity.x, 0.15);
    EXPECT_NEAR(sum.y, state.velocity.y, 0.15);
    EXPECT_NEAR(sum.z, state.velocity.z, 0.15);
    EXPECT_GT(length(state.velocity), 10);
}

// ---- ground

TEST(Plane, StandsStillToTheLastBit) {
    for (const Vector3& wind : {Vector3{}, Vector3{3, -4, 0}, Vector3{-6, 5, 0}}) {
        plane::Model model({}, wind);
        State state;
        model.reset(state);
        for (int i = 0; i < 40000; ++i) {
            model.step(i % 2 ? ServoPacket{} : pulses(1600, 1400, idle, 1600), step, state);
            ASSERT_EQ(state.position.x, 0);
            ASSERT_EQ(state.position.y, 0);
            ASSERT_EQ(state.position.z, 0);
            ASSERT_EQ(state.specific_force.x, 0);
            ASSERT_EQ(state.specific_force.y, 0);
            ASSERT_EQ(state.specific_force.z, -standard_gravity);
            ASSERT_EQ(state.gyro.y, 0);
        }
    }
}

/// What the wheels carry at the start is the weight, not something that the first movement would reveal.
TEST(Plane, RestIsABalanceOfForces) {
    plane::Model model;
    State state;
    model.reset(state);
    double highest = 0;
    fly(model, pulses(neutral, neutral, 1300, neutral), 0.5, step,
        [&](const State& s) { highest = std::max(highest, std::fabs(s.position.z)); });
    EXPECT_FALSE(model.standing());
    EXPECT_LT(highest, 0.003);
}

TEST(Plane, ComesToRestOnItsWheelsAfterADrop) {
    plane::Model model;
    Motion motion;
    motion.position.z = -0.3;
    motion.velocity.x = 2;
    motion.attitude = to_quaternion(ap_json::EulerAngles{0.1, 0.05, 1});
    model.place(motion, {});
    double hardest = 0;
    const State state = fly(model, ServoPacket{}, 20, step,
                            [&](const State& s) { hardest = std::max(hardest, length(s.specific_force)); });
    EXPECT_LT(hardest, 20 * standard_gravity);
    EXPECT_TRUE(model.standing());
    EXPECT_EQ(length(state.velocity), 0);
    EXPECT_EQ(length(state.gyro), 0);
    EXPECT_NEAR(state.position.z, 0, 0.005);
    EXPECT_NEAR(state.attitude.roll, 0, 0.01);
    EXPECT_NEAR(length(state.specific_force), standard_gravity, 1e-12);
}

TEST(Plane, RollsStraightAndIsSteeredByTheNoseWheel) {
    plane::Model straight, right;
    State state;
    straight.reset(state);
    state = fly(straight, pulses(neutral, neutral, 1300, neutral), 6);
    EXPECT_GT(state.velocity.x, 2);
    EXPECT_NEAR(state.position.y, 0, 1e-6);
    right.reset(state);
    state = fly(right, pulses(neutral, neutral, 1300, 1700), 6);
    EXPECT_GT(state.attitude.yaw, 0.3);
    EXPECT_NEAR(state.attitude.roll, 0, 0.2);
}

/// However it falls, it does not fall through the ground, and nothing becomes infinite; at the largest step
/// too.
TEST(Plane, ACrashStaysFinite) {
    for (double dt : {0.0025, 0.01, 0.02}) {
        plane::Model model;
        Motion motion = trimmed({}, 20).motion;
        motion.position.z = -20;
        motion.velocity = {15, 0, 10};
        model.place(motion, {});
        const State state = fly(model, pulses(1900, 1200, 1000, 1500), 30, dt);
        ASSERT_TRUE(std::isfinite(length(state.position))) << dt;
        EXPECT_LT(state.position.z, 0.3) << dt;
        EXPECT_LT(length(state.velocity), 5) << dt;
    }
}

}  // namespace
