// simple_rover.hpp - a rover on a rail: it drives north and south. Servo 3 asks for a speed, and the rover
// gets there with a bounded acceleration, so that its accelerometer tells the truth.
#pragma once

#include <algorithm>
#include <ap_json/servo_packet.hpp>
#include <ap_json/state.hpp>

class SimpleRover {
  public:
    void step(const ap_json::ServoPacket& servos, double dt, ap_json::State& state) {
        const double asked = asked_velocity(servos.servo(3));
        const double change = std::clamp(asked - velocity_, -max_acceleration * dt, max_acceleration * dt);
        position_ += (velocity_ + change / 2) * dt;
        velocity_ += change;

        state.specific_force = {change / dt, 0, -ap_json::standard_gravity};
        state.velocity = {velocity_, 0, 0};
        state.position = {position_, 0, 0};
    }

    void reset(ap_json::State&) { position_ = velocity_ = 0; }

  private:
    static constexpr double max_velocity = 1;      // m/s
    static constexpr double max_acceleration = 2;  // m/s2

    /// 1100 to 1900 microseconds ask for -1 to +1 m/s. 0 means that ArduPilot is not ready: that asks for
    /// nothing.
    static double asked_velocity(int pwm) {
        if (pwm == 0) return 0;
        return std::clamp((pwm - 1500) / 400.0, -1.0, 1.0) * max_velocity;
    }

    double position_ = 0;  // m north of home
    double velocity_ = 0;  // m/s northwards
};
