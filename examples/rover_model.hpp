// rover_model.hpp - a rover on a plane, with wheels that slip a little: steered by its front wheels (Ackermann) or by
// the difference of its sides (skid steering). No socket, no clock.
//
//     u, v, r    velocity forward and to the right (m/s), yaw rate (rad/s)
//     w          speed of a wheel's circumference (m/s): its angular velocity times its radius
//     delta      angle of the steered wheels (rad), positive to the right
//     sigma      slip of a wheel: how fast its contact patch slides, over how fast it rolls
//
// Source: R. Rajamani, Vehicle Dynamics and Control, 2nd ed., ch. 2 (single-track model) and ch. 13 (combined slip of
// the tyre, here with tanh in place of the brush model's cubic).
#pragma once

#include <ap_json/servo_packet.hpp>
#include <ap_json/state.hpp>
#include <array>
#include <vector>

#include "vectors.hpp"

namespace example {

enum class Drive {
    ackermann,  ///< servo 1 steers, servo 3 drives
    skid,       ///< servo 1 drives the left wheels, servo 3 the right ones
};

struct RoverParameters {
    Drive drive = Drive::ackermann;
    double mass = 4;             // kg
    double yaw_inertia = 0.12;   // kg m2
    double wheelbase = 0.35;     // m, front to rear axle, the centre of mass in the middle
    double track = 0.30;         // m, left to right wheel; the single-track model has no use for it
    double max_steering = 0.45;  // rad, at 1000 and 2000 us
    double steering_lag = 0.05;  // s, time constant of the steering servo
    double top_speed = 16;       // m/s, of the wheels at 1000 and 2000 us
    double motor_lag = 0.25;     // s, time constant of the wheels' speed
    double friction = 0.9;       // of a tyre that slides
    double stiffness = 12;       // of a tyre: force over load for each unit of slip, at small slip
    double slip_speed = 0.3;     // m/s: below this, slip is related to it instead of the wheel's own speed
    double rolling_resistance = 0.02;  // force over load
    double drag_area = 0.05;           // m2: drag coefficient times frontal area
    double air_density = 1.225;        // kg/m3

    /// A car in 1:8, as fast as ArduRover's default parameters take it to be: 30 % throttle for 5 m/s.
    static RoverParameters car();
    /// A slower one with four driven wheels, as ArduRover's default parameters for skid steering take it to be.
    static RoverParameters skid_steered();
};

class Rover {
  public:
    explicit Rover(const RoverParameters& parameters = RoverParameters::car());

    void step(const ap_json::ServoPacket& servos, double dt, ap_json::State& state);
    void reset(ap_json::State& state);

    [[nodiscard]] const RoverParameters& parameters() const { return p_; }
    /// m/s, sideways in body axes: how far the rover slides.
    [[nodiscard]] double lateral_velocity() const;

  private:
    static constexpr int no_motor = -1;

    struct Wheel {
        double x, y;   // m, forward and right of the centre of mass
        bool steered;  // by delta
        int motor;     // that drives it, or no_motor: then it rolls freely
        double load;   // N
    };

    struct Forces {
        double forward, right;  // N, body
        double yaw;             // N m
    };

    void ask(const ap_json::ServoPacket& servos);
    void integrate(double dt);
    [[nodiscard]] Forces forces() const;
    [[nodiscard]] Forces tyre(const Wheel& wheel, double u, double v) const;
    void stand_still();

    RoverParameters p_;
    std::vector<Wheel> wheels_;
    std::array<double, 2> asked_speeds_{};  // m/s, of the motors
    double asked_steering_ = 0;             // rad

    Vector3 position_;                // m, NED
    Vector3 velocity_;                // m/s, NED
    double yaw_ = 0;                  // rad
    double yaw_rate_ = 0;             // rad/s
    double steering_ = 0;             // rad: delta
    std::array<double, 2> speeds_{};  // m/s, of the wheels of each motor: w
};

}  // namespace example
