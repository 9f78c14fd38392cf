// copter_controller.hpp - flies example::Quadcopter in the tests: a cascade from position to motors that knows the truth.
// A controller of the tests' own, so that the models are flown where no ArduPilot is.
#pragma once

#include <algorithm>
#include <ap_json/frames.hpp>
#include <ap_json/servo_packet.hpp>
#include <ap_json/state.hpp>
#include <cmath>
#include <cstdint>
#include <quadcopter_model.hpp>

class CopterController {
  public:
    explicit CopterController(const example::QuadcopterParameters& parameters) : p_(parameters) {}

    ap_json::Vector3 target;  // m, NED
    /// Comes down at this speed, whatever the target's altitude is; 0 = holds the altitude. m/s
    double descent = 0;

    /// @return the servo outputs that bring the vehicle to the target, nose north
    ap_json::ServoPacket fly(const ap_json::State& state, double dt) {
        const ap_json::Vector3 acceleration = wanted_acceleration(state, dt);
        const ap_json::Quaternion& q = *state.quaternion;
        // The thrust that makes it is along the body's -z: tilt as it is now, wanted tilt from the acceleration.
        const ap_json::Vector3 thrust_per_mass{acceleration.x, acceleration.y, acceleration.z - gravity};
        const double up = std::max(-thrust_per_mass.z, 1.0);
        const ap_json::EulerAngles wanted{std::atan2(thrust_per_mass.y, up),
                                          -std::atan2(thrust_per_mass.x, up), 0};
        const ap_json::EulerAngles is = ap_json::to_euler(q);
        const double thrust = p_.mass * up / std::max(std::cos(is.roll) * std::cos(is.pitch), 0.5);
        const ap_json::Vector3 torque{p_.inertia.x * turn(wanted.roll - is.roll, state.gyro.x),
                                      p_.inertia.y * turn(wanted.pitch - is.pitch, state.gyro.y),
                                      p_.inertia.z * 0.3 * turn(wanted.yaw - is.yaw, state.gyro.z)};
        return mix(thrust, torque, state.battery->voltage);
    }

  private:
    static constexpr double gravity = ap_json::standard_gravity;

    static double turn(double angle, double rate) { return 100 * angle - 18 * rate; }  // rad/s2

    ap_json::Vector3 wanted_acceleration(const ap_json::State& state, double dt) {
        const auto axis = [dt](double off, double velocity, double fastest, double& sum) {
            const double speed = std::clamp(0.9 * off, -fastest, fastest);
            sum = std::clamp(sum + 0.6 * (speed - velocity) * dt, -2.0, 2.0);
            return std::clamp(2.2 * (speed - velocity) + sum, -4.0, 4.0);
        };
        const ap_json::Vector3 off{target.x - state.position.x, target.y - state.position.y,
                                   descent > 0 ? 100 : target.z - state.position.z};
        return {axis(off.x, state.velocity.x, 4, sum_.x), axis(off.y, state.velocity.y, 4, sum_.y),
                axis(off.z, state.velocity.z, descent > 0 ? descent : 2.5, sum_.z)};
    }

    ap_json::ServoPacket mix(double thrust, const ap_json::Vector3& torque, double voltage) const {
        constexpr double forward[] = {1, -1, 1, -1}, right[] = {1, -1, -1, 1}, reaction[] = {1, 1, -1, -1};
        ap_json::ServoPacket servos;
        for (std::size_t i = 0; i < 4; ++i) {
            const double own = thrust / 4 +
                               (forward[i] * torque.y - right[i] * torque.x) / (4 * p_.motor_offset) +
                               reaction[i] * torque.z * p_.thrust_factor / p_.torque_factor / 4;
            const double rotor = std::sqrt(std::max(own, 0.0) / p_.thrust_factor);
            const double current = p_.torque_factor * rotor * rotor / p_.motor_constant;
            const double duty = (p_.motor_constant * rotor + p_.motor_resistance * current) / voltage;
            servos.pwm[i] = static_cast<std::uint16_t>(std::lround(1000 + 1000 * std::clamp(duty, 0.0, 1.0)));
        }
        return servos;
    }

    example::QuadcopterParameters p_;
    ap_json::Vector3 sum_;  // m/s2: what holds against wind
};
