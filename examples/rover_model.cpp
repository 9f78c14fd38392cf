// rover_model.cpp - see rover_model.hpp.
#include "rover_model.hpp"

#include <algorithm>
#include <cmath>

namespace example {

namespace {

// The tyres' forces change within milliseconds at low speed; a step of the link may be ten times as long.
constexpr double longest_substep = 0.0005;  // s

// Friction holds a rover that is asked for nothing and moves no faster than this.
constexpr double still = 1e-6;  // m/s and rad/s

/// -1 to +1 for 1000 to 2000 us. 0 us means that ArduPilot gives no output (yet): that asks for nothing.
double command(int pwm) { return pwm == 0 ? 0 : std::clamp((pwm - 1500) / 500.0, -1.0, 1.0); }

double squared(double x) { return x * x; }

}  // namespace

RoverParameters RoverParameters::car() { return {}; }

RoverParameters RoverParameters::skid_steered() {
    RoverParameters p;
    p.drive = Drive::skid;
    p.mass = 10;
    p.yaw_inertia = 0.8;
    p.wheelbase = 0.4;
    p.track = 0.6;
    p.top_speed = 4;
    return p;
}

Rover::Rover(const RoverParameters& parameters) : p_(parameters) {
    const double half = p_.wheelbase / 2, side = p_.track / 2, weight = p_.mass * ap_json::standard_gravity;
    if (p_.drive == Drive::ackermann) {
        wheels_ = {{half, 0, true, no_motor, weight / 2}, {-half, 0, false, 0, weight / 2}};
    } else {
        wheels_ = {{half, -side, false, 0, weight / 4},
                   {-half, -side, false, 0, weight / 4},
                   {half, side, false, 1, weight / 4},
                   {-half, side, false, 1, weight / 4}};
    }
}

void Rover::reset(ap_json::State&) {
    position_ = velocity_ = {};
    yaw_ = yaw_rate_ = steering_ = asked_steering_ = 0;
    speeds_ = asked_speeds_ = {};
}

void Rover::step(const ap_json::ServoPacket& servos, double dt, ap_json::State& state) {
    ask(servos);
    const Vector3 velocity_before = velocity_;
    const int substeps = std::max(1, static_cast<int>(std::ceil(dt / longest_substep - 1e-9)));
    for (int i = 0; i < substeps; ++i) integrate(dt / substeps);
    stand_still();

    // The mean over the step, so that ArduPilot, which holds it for the step, arrives at the same velocity.
    const Vector3 acceleration = (1 / dt) * (velocity_ - velocity_before);
    state.attitude = {0, 0, std::remainder(yaw_, 2 * ap_json::pi)};
    state.specific_force = ap_json::specific_force(acceleration, ap_json::to_quaternion(state.attitude));
    state.gyro = {0, 0, yaw_rate_};
    state.velocity = velocity_;
    state.position = position_;
}

void Rover::ask(const ap_json::ServoPacket& servos) {
    const double one = command(servos.servo(1)), three = command(servos.servo(3));
    if (p_.drive == Drive::ackermann) {
        asked_steering_ = one * p_.max_steering;
        asked_speeds_ = {three * p_.top_speed, 0};
    } else {
        asked_speeds_ = {one * p_.top_speed, three * p_.top_speed};
    }
}

/// Semi-implicit Euler: velocity first, then position with the mean of both velocities.
void Rover::integrate(double dt) {
    // Servo and motors follow with a lag of first order: exact for a constant command.
    steering_ += (asked_steering_ - steering_) * -std::expm1(-dt / p_.steering_lag);
    for (std::size_t i = 0; i < speeds_.size(); ++i)
        speeds_[i] += (asked_speeds_[i] - speeds_[i]) * -std::expm1(-dt / p_.motor_lag);

    const Forces f = forces();
    const double sine = std::sin(yaw_), cosine = std::cos(yaw_);
    const Vector3 acceleration =
        (1 / p_.mass) * Vector3{cosine * f.forward - sine * f.right, sine * f.forward + cosine * f.right, 0};
    const double yaw_rate_before = yaw_rate_;
    yaw_rate_ += f.yaw / p_.yaw_inertia * dt;
    yaw_ += (yaw_rate_before + yaw_rate_) / 2 * dt;
    position_ += dt * velocity_ + (dt * dt / 2) * acceleration;
    velocity_ += dt * acceleration;
}

/// m u' = sum of F_x + m v r, m v' = sum of F_y - m u r, I r' = sum of x F_y - y F_x; the terms with r are those of
/// turning axes, which integrate() does not have since it computes in NED.
Rover::Forces Rover::forces() const {
    const double sine = std::sin(yaw_), cosine = std::cos(yaw_);
    const double u = cosine * velocity_.x + sine * velocity_.y;
    const double v = -sine * velocity_.x + cosine * velocity_.y;
    Forces sum{-0.5 * p_.air_density * p_.drag_area * u * std::fabs(u), 0, 0};
    for (const Wheel& wheel : wheels_) {
        const Forces f = tyre(wheel, u, v);
        sum.forward += f.forward;
        sum.right += f.right;
        sum.yaw += wheel.x * f.right - wheel.y * f.forward;
    }
    return sum;
}

/// The force of the ground on one wheel, in body axes. sigma = (sliding velocity) / (rolling speed); the force is
/// against it, stiffness * load * sigma when small and friction * load at most, in all directions together.
Rover::Forces Rover::tyre(const Wheel& wheel, double u, double v) const {
    const double delta = wheel.steered ? steering_ : 0;
    const double sine = std::sin(delta), cosine = std::cos(delta);
    const double hub_forward = u - wheel.y * yaw_rate_, hub_right = v + wheel.x * yaw_rate_;
    const double along = cosine * hub_forward + sine * hub_right;  // in the wheel's own axes
    const double across = -sine * hub_forward + cosine * hub_right;
    const double w = wheel.motor == no_motor ? along : speeds_[static_cast<std::size_t>(wheel.motor)];

    const double rolling = std::max({std::fabs(along), std::fabs(w), p_.slip_speed});
    const double slip_along = (along - w) / rolling, slip_across = across / rolling;
    const double slip = std::sqrt(squared(slip_along) + squared(slip_across));
    const double force = p_.friction * wheel.load * std::tanh(p_.stiffness / p_.friction * slip);
    const double scale = slip > 0 ? -force / slip : 0;
    // A motor works against rolling resistance without slowing down; only free wheels hand it to the rover.
    const double resistance =
        wheel.motor == no_motor ? -p_.rolling_resistance * wheel.load * std::tanh(along / p_.slip_speed) : 0;
    const double force_along = scale * slip_along + resistance, force_across = scale * slip_across;
    return {cosine * force_along - sine * force_across, sine * force_along + cosine * force_across, 0};
}

void Rover::stand_still() {
    for (std::size_t i = 0; i < speeds_.size(); ++i)
        if (asked_speeds_[i] != 0 || std::fabs(speeds_[i]) > still) return;
    if (norm(velocity_) > still || std::fabs(yaw_rate_) > still) return;
    velocity_ = {};
    yaw_rate_ = 0;
    speeds_ = {};
}

double Rover::lateral_velocity() const {
    return -std::sin(yaw_) * velocity_.x + std::cos(yaw_) * velocity_.y;
}

}  // namespace example
