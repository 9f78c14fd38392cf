// quadcopter_model.cpp - see quadcopter_model.hpp.
#include "quadcopter_model.hpp"

#include <algorithm>
#include <cmath>

namespace example {

namespace {

constexpr double gravity = ap_json::standard_gravity;

// ArduCopter's order for a quadcopter in X: 1 front right, 2 rear left, 3 front left, 4 rear right. Seen from above, 1
// and 2 turn counter-clockwise, so the frame is turned clockwise, which is positive yaw.
struct Corner {
    double forward, right;
    double reaction;  // sign of the yaw torque on the frame
};
constexpr Corner corners[Quadcopter::motors] = {{1, 1, 1}, {-1, -1, 1}, {1, -1, -1}, {-1, 1, -1}};

// Slower than this and with less acceleration, friction and the ground's grip end all movement.
constexpr double still_speed = 1e-5;         // m/s
constexpr double still_acceleration = 1e-3;  // m/s2
constexpr double still_rate = 1e-4;          // rad/s
constexpr double still_rotation = 1e-2;      // rad/s2

constexpr double gyro_range = 34.9;  // rad/s: 2000 deg/s, where real gyros end too

/// 0 to 1 for 1000 to 2000 us; 0 us (no output yet) asks for nothing, as 1000 us does.
double duty(int pwm) { return std::clamp((pwm - 1000) / 1000.0, 0.0, 1.0); }

Vector3 limited(const Vector3& v, double limit) {
    return {std::clamp(v.x, -limit, limit), std::clamp(v.y, -limit, limit), std::clamp(v.z, -limit, limit)};
}

}  // namespace

Quadcopter::Quadcopter(const QuadcopterParameters& parameters, const Vector3& start)
    : p_(parameters),
      start_(start),
      stiffness_(p_.mass * gravity / (motors * p_.sag)),
      ground_(p_.foot_depth - p_.sag) {
    for (std::size_t i = 0; i < motors; ++i) {
        const Corner& c = corners[i];
        contacts_[i].place = {c.forward * p_.foot_offset, c.right * p_.foot_offset, p_.foot_depth};
        contacts_[motors + i].place = {c.forward * p_.motor_offset, c.right * p_.motor_offset,
                                       -p_.motor_height};
    }
    ap_json::State ignored;
    reset(ignored);
}

void Quadcopter::reset(ap_json::State& state) {
    rotors_ = {};
    reactions_ = {};
    voltage_ = p_.full_voltage - p_.battery_resistance * p_.electronics;
    current_ = p_.electronics;
    charge_used_ = 0;
    position_ = start_;
    velocity_ = rate_ = acceleration_ = push_ = {};
    attitude_ = {};
    for (Contact& contact : contacts_) contact.touches = false;
    write(state);
}

void Quadcopter::step(const ap_json::ServoPacket& servos, double dt, ap_json::State& state) {
    run_motors(servos, dt);
    Load sum{push_ + Vector3{0, 0, p_.mass * gravity}, {}};
    for (const Load& load : {rotor_load(), air_load(), ground_load()}) {
        sum.force += load.force;
        sum.torque += load.torque;
    }
    move(sum, dt);
    push_ = {};
    write(state);
}

/// A motor: u V = K omega + R i. A rotor: J omega' = K i - k_Q omega^2. The battery gives u i to each motor and sags by
/// its resistance r: V = V_0 - r (sum of u i + i_0), which is linear in V and solved for it.
void Quadcopter::run_motors(const ap_json::ServoPacket& servos, double dt) {
    std::array<double, motors> u{};
    double square_sum = 0, back_sum = 0;
    for (std::size_t i = 0; i < motors; ++i) {
        u[i] = duty(servos.servo(static_cast<int>(i) + 1));
        square_sum += u[i] * u[i];
        back_sum += u[i] * p_.motor_constant * rotors_[i];
    }
    const double used = std::min(charge_used_ / p_.capacity, 1.0);
    const double open_voltage = p_.full_voltage - used * (p_.full_voltage - p_.empty_voltage);
    const double share = p_.battery_resistance / p_.motor_resistance;
    voltage_ =
        (open_voltage + share * back_sum - p_.battery_resistance * p_.electronics) / (1 + share * square_sum);
    current_ = (open_voltage - voltage_) / p_.battery_resistance;
    charge_used_ += current_ * dt;

    for (std::size_t i = 0; i < motors; ++i) {
        const double current = (u[i] * voltage_ - p_.motor_constant * rotors_[i]) / p_.motor_resistance;
        reactions_[i] = p_.motor_constant * current;
        rotors_[i] += (reactions_[i] - p_.torque_factor * rotors_[i] * rotors_[i]) / p_.rotor_inertia * dt;
        rotors_[i] = std::max(rotors_[i], 0.0);
    }
}

/// Thrusts up along the body's z, their torques, the motors' reactions, and the rotors' angular momentum h, which
/// turns with the body: - Omega x h.
Quadcopter::Load Quadcopter::rotor_load() const {
    double thrust = 0, momentum = 0;
    Vector3 torque;
    for (std::size_t i = 0; i < motors; ++i) {
        const Corner& c = corners[i];
        const double t = p_.thrust_factor * rotors_[i] * rotors_[i];
        thrust += t;
        torque += t * p_.motor_offset * Vector3{-c.right, c.forward, 0};
        torque.z += c.reaction * reactions_[i];
        momentum -= c.reaction * p_.rotor_inertia * rotors_[i];
    }
    torque += -cross(rate_, {0, 0, momentum});
    return {ap_json::to_ned(attitude_, {0, 0, -thrust}), torque};
}

/// The frame's drag, 1/2 rho C A |v| v, and the rotors', k_H omega v across their axis; both of the velocity through
/// air.
Quadcopter::Load Quadcopter::air_load() const {
    const Vector3 through_air = ap_json::to_body(attitude_, velocity_ - wind_);
    double rotors = 0;
    for (const double rotor : rotors_) rotors += rotor;
    const double frame = 0.5 * p_.air_density * p_.drag_area * norm(through_air);
    const Vector3 across{through_air.x, through_air.y, 0};
    const Vector3 drag = -(frame * through_air) - p_.rotor_drag * rotors * across;
    return {ap_json::to_ned(attitude_, drag), -p_.angular_drag * rate_};
}

Quadcopter::Load Quadcopter::ground_load() {
    Load sum;
    const double reach = std::hypot(p_.motor_offset, p_.motor_offset) + p_.foot_depth;
    if (position_.z + reach < ground_) return sum;  // high above it
    for (Contact& contact : contacts_) {
        const Load load = contact_load(contact);
        sum.force += load.force;
        sum.torque += load.torque;
    }
    return sum;
}

/// Upwards Hunt and Crossley's k d (1 + chi d'), d the depth; sideways a spring to where the contact got hold, which
/// gives way at friction times that.
Quadcopter::Load Quadcopter::contact_load(Contact& contact) {
    const Vector3 arm = ap_json::to_ned(attitude_, contact.place);
    const Vector3 place = position_ + arm;
    const double depth = place.z - ground_;
    if (depth <= 0) {
        contact.touches = false;
        return {};
    }
    if (!contact.touches) contact.anchor = place;
    contact.touches = true;

    const Vector3 velocity = velocity_ + ap_json::to_ned(attitude_, cross(rate_, contact.place));
    const double damping = p_.contact_damping * std::clamp(velocity.z, -p_.damped_speed, p_.damped_speed);
    const double normal = stiffness_ * depth * std::max(1 + damping, 0.0);

    const double spring = p_.sideways_stiffness * stiffness_;
    const double damper = 2 * p_.sideways_damping * std::sqrt(spring * p_.mass / motors);
    Vector3 grip = -(spring * (place - contact.anchor)) - damper * velocity;
    grip.z = 0;
    const double limit = p_.friction * normal;
    if (norm(grip) > limit) {  // slides, and takes its hold along
        grip = (limit / norm(grip)) * grip;
        contact.anchor = place + (1 / spring) * grip;
    }
    const Vector3 force = grip + Vector3{0, 0, -normal};
    return {force, cross(contact.place, ap_json::to_body(attitude_, force))};
}

/// m v' = F, I Omega' = torque - Omega x I Omega; velocities first, then position and attitude with the mean of the
/// velocities before and after (semi-implicit Euler; exact for constant forces).
void Quadcopter::move(const Load& load, double dt) {
    const Vector3 momentum{p_.inertia.x * rate_.x, p_.inertia.y * rate_.y, p_.inertia.z * rate_.z};
    const Vector3 torque = load.torque - cross(rate_, momentum);
    const Vector3 turning{torque.x / p_.inertia.x, torque.y / p_.inertia.y, torque.z / p_.inertia.z};
    acceleration_ = (1 / p_.mass) * load.force;
    if (stands_still(acceleration_, turning)) {
        velocity_ = rate_ = acceleration_ = {};
        return;
    }
    position_ += dt * velocity_ + (dt * dt / 2) * acceleration_;
    velocity_ += dt * acceleration_;
    attitude_ = turned(attitude_, dt * rate_ + (dt * dt / 2) * turning);
    rate_ += dt * turning;
}

bool Quadcopter::stands_still(const Vector3& acceleration, const Vector3& angular_acceleration) const {
    const auto touching =
        std::count_if(contacts_.begin(), contacts_.end(), [](const Contact& c) { return c.touches; });
    constexpr int fewest = 3;  // that stand firmly
    return touching >= fewest && norm(velocity_) < still_speed && norm(acceleration) < still_acceleration &&
           norm(rate_) < still_rate && norm(angular_acceleration) < still_rotation;
}

void Quadcopter::write(ap_json::State& state) const {
    state.position = position_;
    state.velocity = velocity_;
    state.quaternion = attitude_;
    state.attitude = ap_json::to_euler(attitude_);
    state.gyro = limited(rate_, gyro_range);
    state.specific_force = ap_json::specific_force(acceleration_, attitude_);
    state.wind = wind_;
    state.battery = ap_json::Battery{voltage_, current_};
    const double downwards = ap_json::to_ned(attitude_, {0, 0, 1}).z;  // cosine of the beam to the vertical
    const double height = ground_ - position_.z;
    state.range_finders[0] = downwards * p_.range > height ? std::max(height / downwards, 0.0) : p_.range;
}

double Quadcopter::hover_duty(double voltage) const {
    const double rotor = std::sqrt(p_.mass * gravity / (motors * p_.thrust_factor));
    const double current = p_.torque_factor * rotor * rotor / p_.motor_constant;
    return (p_.motor_constant * rotor + p_.motor_resistance * current) / voltage;
}

}  // namespace example
