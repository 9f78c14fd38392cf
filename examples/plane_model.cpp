// plane_model.cpp - the equations of motion of plane_model.hpp. Numbers in brackets are equations of Beard
// and McLain.
#include "plane_model.hpp"

#include <algorithm>
#include <ap_json/frames.hpp>
#include <cmath>

namespace plane {

namespace {

using ap_json::pi;
using ap_json::standard_gravity;

Vector3 operator+(const Vector3& a, const Vector3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vector3 operator-(const Vector3& a, const Vector3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Vector3 operator*(double s, const Vector3& v) { return {s * v.x, s * v.y, s * v.z}; }
Vector3 cross(const Vector3& a, const Vector3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
Quaternion operator+(const Quaternion& a, const Quaternion& b) {
    return {a.w + b.w, a.x + b.x, a.y + b.y, a.z + b.z};
}
Quaternion operator*(double s, const Quaternion& q) { return {s * q.w, s * q.x, s * q.y, s * q.z}; }
double norm(const Vector3& v) { return std::hypot(v.x, v.y, v.z); }
double square(double x) { return x * x; }

/// The servo's pulse as -1 to 1. 0 us asks for nothing.
double deflection(int pulse) {
    constexpr double centre = 1500, travel = 500;  // us
    return pulse == 0 ? 0 : std::clamp((pulse - centre) / travel, -1.0, 1.0);
}

/// The throttle's pulse as 0 to 1.
double throttle(int pulse) {
    constexpr double idle = 1000, travel = 1000;  // us
    return pulse == 0 ? 0 : std::clamp((pulse - idle) / travel, 0.0, 1.0);
}

/// sigma(alpha) [4.10]: 0 where the flow follows the wing, 1 where it has separated.
double separation(const Wing& wing, double alpha) {
    const double below = std::exp(-wing.stall_sharpness * (alpha - wing.stall_angle));
    const double above = std::exp(wing.stall_sharpness * (alpha + wing.stall_angle));
    return (1 + below + above) / ((1 + below) * (1 + above));
}

struct LiftAndDrag {
    double lift, drag;  // C_L(alpha), C_D(alpha)
};

/// [4.9], [4.11]: a linear wing that becomes a flat plate when it stalls. The book blends lift only; a
/// plate's drag is what stops a stalled wing, so it is blended likewise.
LiftAndDrag lift_and_drag(const Wing& wing, const Coefficients& C, double alpha) {
    const double sigma = separation(wing, alpha), sine = std::sin(alpha), cosine = std::cos(alpha);
    const double linear = C.C_L_0 + C.C_L_alpha * alpha;
    const double induced = square(linear) / (pi * wing.efficiency * square(wing.span) / wing.area);
    const double plate_lift = 2 * sine * std::fabs(sine) * cosine;
    const double plate_drag = 2 * sine * sine * std::fabs(sine);
    return {(1 - sigma) * linear + sigma * plate_lift, C.C_D_p + (1 - sigma) * induced + sigma * plate_drag};
}

}  // namespace

// ---- air

Load aerodynamics(const Parameters& parameters, const Vector3& velocity_air, const Vector3& rates,
                  const Controls& controls) {
    const Wing& wing = parameters.wing;
    const Coefficients& C = parameters.coefficients;
    const double V_a = norm(velocity_air);
    if (V_a == 0) return {};
    const double alpha = std::atan2(velocity_air.z, velocity_air.x);
    const double beta = std::asin(std::clamp(velocity_air.y / V_a, -1.0, 1.0));
    const double qS = parameters.air_density * V_a * V_a / 2 * wing.area;
    const double p = rates.x * wing.span / (2 * V_a), r = rates.z * wing.span / (2 * V_a);
    const double q = rates.y * wing.chord / (2 * V_a);
    const auto [delta_a, delta_e, delta_r, revolutions] = controls;

    // [4.6], [4.7], [4.14] to [4.16]. Sines of alpha and beta in the moments, so that a plane that flies
    // backwards turns round rather than ever faster.
    const auto [C_L_of_alpha, C_D] = lift_and_drag(wing, C, alpha);
    const double lift = qS * (C_L_of_alpha + C.C_L_q * q + C.C_L_delta_e * delta_e), drag = qS * C_D;
    const double side = qS * (C.C_Y_beta * std::sin(beta) + C.C_Y_p * p + C.C_Y_r * r +
                              C.C_Y_delta_a * delta_a + C.C_Y_delta_r * delta_r);
    const double l = qS * wing.span *
                     (C.C_l_beta * std::sin(beta) + C.C_l_p * p + C.C_l_r * r + C.C_l_delta_a * delta_a +
                      C.C_l_delta_r * delta_r);
    const double m =
        qS * wing.chord * (C.C_m_0 + C.C_m_alpha * std::sin(alpha) + C.C_m_q * q + C.C_m_delta_e * delta_e);
    const double n = qS * wing.span *
                     (C.C_n_beta * std::sin(beta) + C.C_n_p * p + C.C_n_r * r + C.C_n_delta_a * delta_a +
                      C.C_n_delta_r * delta_r);

    // Drag is against the motion through the air; lift is normal to it in the plane of symmetry.
    const double sin_alpha = std::sin(alpha), cos_alpha = std::cos(alpha);
    const Vector3 along = 1 / V_a * velocity_air;
    const Vector3 lift_direction{sin_alpha, 0, -cos_alpha};
    return {lift * lift_direction - drag * along + Vector3{0, side, 0}, {l, m, n}};
}

double thrust(const Propeller& propeller, double air_density, double revolutions, double airspeed) {
    // T = rho n^2 D^4 C_T(J), J = V / (n D), with C_T falling in a straight line; multiplied out, so that a
    // standing propeller is no division by nothing.
    const double n = revolutions, D = propeller.diameter;
    const double C_T_slope = propeller.thrust_coefficient / propeller.advance_ratio;
    return air_density * square(D * D) *
           (propeller.thrust_coefficient * n * n - C_T_slope * n * airspeed / D);
}

Load Model::air_load(const Motion& motion) const {
    const Vector3 velocity_air = to_body(motion.attitude, motion.velocity - wind_);
    Load load = aerodynamics(parameters_, velocity_air, motion.rates, controls_);
    load.force.x += thrust(parameters_.propeller, parameters_.air_density, controls_.revolutions,
                           std::max(velocity_air.x, 0.0));
    return load;
}

// ---- ground

namespace {

/// The wheels, each as stiff as its share of the weight asks for, and the ends of the airframe as skids.
std::vector<Contact> contacts_of(const Parameters& parameters) {
    const LandingGear& gear = parameters.gear;
    const double nose_share = gear.main_behind / (gear.nose_ahead + gear.main_behind);
    const double weight = parameters.mass * standard_gravity;
    const double damping_time = 2 * gear.damping_ratio * std::sqrt(gear.sag / standard_gravity);  // s
    const auto wheel = [&](double x, double y, double share, double steering) {
        const double stiffness = share * weight / gear.sag;
        return Contact{{x, y, gear.height},   stiffness,          stiffness * damping_time,
                       gear.rolling_friction, gear.side_friction, steering};
    };
    const auto skid = [&](double x, double y, double z) {
        const double stiffness = weight / gear.sag;
        return Contact{{x, y, z},          stiffness,          stiffness * damping_time,
                       gear.skid_friction, gear.skid_friction, 0};
    };
    return {wheel(gear.nose_ahead, 0, nose_share, 1),
            wheel(-gear.main_behind, -gear.half_track, (1 - nose_share) / 2, 0),
            wheel(-gear.main_behind, gear.half_track, (1 - nose_share) / 2, 0),
            skid(parameters.length_ahead, 0, 0),
            skid(-parameters.length_behind, 0, 0),
            skid(0, -parameters.wing.span / 2, 0),
            skid(0, parameters.wing.span / 2, 0)};
}

/// Friction over the load. Below it, the sliding speed at which it is fully there: some part of the speed
/// over ground, since tyres take side force by slipping at an angle; a little more than nothing, since the
/// equations must not jump.
double friction(double coefficient, double sliding, double rolling) {
    constexpr double full_slip_angle = 0.1;  // rad
    constexpr double creep = 0.05;           // m/s
    return -coefficient * sliding / std::hypot(sliding, creep + full_slip_angle * std::fabs(rolling));
}

}  // namespace

/// N, NED.
Vector3 Model::push_of_ground(const Contact& contact, const Motion& motion) const {
    const Vector3 arm = to_ned(motion.attitude, contact.place);
    const double ground =
        parameters_.gear.height - parameters_.gear.sag;  // below the centre of gravity at the start
    const double depth = motion.position.z + arm.z - ground;
    if (depth <= 0) return {};
    const Vector3 velocity = motion.velocity + to_ned(motion.attitude, cross(motion.rates, contact.place));
    const double load = std::max(0.0, contact.stiffness * depth + contact.damping * velocity.z);

    const Actuators& actuators = parameters_.actuators;
    const double steering =  // positive to the right, where the rudder's angle is positive to the left
        -contact.steering * controls_.delta_r / actuators.rudder_travel * actuators.steering_travel;
    const double heading = to_euler(motion.attitude).yaw + steering;
    const double sine = std::sin(heading), cosine = std::cos(heading);
    const double rolling = cosine * velocity.x + sine * velocity.y;
    const double sliding = -sine * velocity.x + cosine * velocity.y;
    const double along = load * friction(contact.rolling, rolling, 0);
    const double across = load * friction(contact.side, sliding, rolling);
    return {cosine * along - sine * across, sine * along + cosine * across, -load};
}

Load Model::ground_load(const Motion& motion) const {
    Load load;
    for (const Contact& contact : contacts_) {
        const Vector3 push = to_body(motion.attitude, push_of_ground(contact, motion));
        load.force = load.force + push;
        load.moment = load.moment + cross(contact.place, push);
    }
    return load;
}

// ---- motion

struct Model::Rates {
    Vector3 velocity, acceleration;  // m/s, m/s2, NED
    Quaternion attitude;             // 1/s
    Vector3 angular_acceleration;    // rad/s2, body
};

/// Newton and Euler [3.14] to [3.17], with quaternions for [3.16].
Model::Rates Model::derivative(const Motion& motion) const {
    const Load air = air_load(motion), ground = ground_load(motion);
    const Vector3 force = air.force + ground.force;
    const auto& [p, q, r] = motion.rates;
    const double J_x = parameters_.J_x, J_y = parameters_.J_y, J_z = parameters_.J_z, J_xz = parameters_.J_xz;
    const Vector3 angular_momentum{J_x * p - J_xz * r, J_y * q, J_z * r - J_xz * p};
    const Vector3 moment = air.moment + ground.moment - cross(motion.rates, angular_momentum);
    const double gamma = J_x * J_z - J_xz * J_xz;
    const Quaternion turn = product(motion.attitude, {0, p / 2, q / 2, r / 2});
    return {motion.velocity,
            1 / parameters_.mass * to_ned(motion.attitude, force) + Vector3{0, 0, standard_gravity},
            turn,
            {(J_z * moment.x + J_xz * moment.z) / gamma, moment.y / J_y,
             (J_xz * moment.x + J_x * moment.z) / gamma}};
}

/// The classical Runge-Kutta method of fourth order.
Motion Model::runge_kutta(double dt) const {
    const auto advanced = [&m = motion_](const Rates& rates, double h) {
        return Motion{m.position + h * rates.velocity, m.velocity + h * rates.acceleration,
                      normalised(m.attitude + h * rates.attitude), m.rates + h * rates.angular_acceleration};
    };
    const Rates a = derivative(motion_);
    const Rates b = derivative(advanced(a, dt / 2));
    const Rates c = derivative(advanced(b, dt / 2));
    const Rates d = derivative(advanced(c, dt));
    const auto mean = [&](auto Rates::*what) {
        return 1.0 / 6 * (a.*what + 2 * b.*what + 2 * c.*what + d.*what);
    };
    return advanced({mean(&Rates::velocity), mean(&Rates::acceleration), mean(&Rates::attitude),
                     mean(&Rates::angular_acceleration)},
                    dt);
}

/// Whether static friction holds the plane: nearly at rest on its wheels, and the air pulls less than the
/// wheels take. The smooth friction above would let it creep for ever.
bool Model::would_stand() const {
    constexpr double slow = 0.02;    // m/s, and rad/s
    constexpr double balance = 0.1;  // of the weight
    constexpr double grip = 0.5;     // of side friction and weight: the rest is for gusts
    const LandingGear& gear = parameters_.gear;
    const double weight = parameters_.mass * standard_gravity;
    if (norm(motion_.velocity) > slow || norm(motion_.rates) > slow) return false;
    const Load air = air_load(motion_), ground = ground_load(motion_);
    const double lift = -to_ned(motion_.attitude, air.force).z;
    const double unloaded = to_ned(motion_.attitude, ground.force).z + weight;  // by lift, in balance
    return std::fabs(air.force.x) < gear.rolling_friction * weight &&
           std::fabs(air.force.y) < grip * gear.side_friction * weight &&
           std::fabs(air.moment.z) < grip * gear.side_friction * weight * gear.half_track &&
           lift < grip * weight && unloaded > -balance * weight &&
           unloaded < std::max(lift, 0.0) + balance * weight;
}

/// What is left of the motion dies away, without a jump that an accelerometer would feel.
Motion Model::eased_to_rest(double dt) const {
    constexpr double time_constant = 0.05;  // s
    constexpr double still = 1e-6;          // m/s, and rad/s
    const bool rest = norm(motion_.velocity) < still && norm(motion_.rates) < still;
    const double kept = rest ? 0 : std::exp(-dt / time_constant);
    Motion eased = motion_;
    eased.velocity = kept * motion_.velocity;
    eased.rates = kept * motion_.rates;
    eased.position = motion_.position + dt * eased.velocity;
    const Vector3 half = dt / 2 * eased.rates;
    eased.attitude = rest ? motion_.attitude
                          : normalised(product(motion_.attitude, Quaternion{1, half.x, half.y, half.z}));
    return eased;
}

// ---- the model

Model::Model(const Parameters& parameters, const Vector3& wind)
    : parameters_(parameters), wind_(wind), contacts_(contacts_of(parameters)) {}

void Model::place(const Motion& motion, const Controls& controls) {
    motion_ = motion;
    controls_ = controls;
    standing_ = false;
}

void Model::reset(ap_json::State& state) {
    place({}, {});
    standing_ = true;
    write(motion_, 1, state);
}

/// ArduPilot's conventions: more than 1500 us rolls right, pulls the nose up, turns right.
void Model::follow(const ap_json::ServoPacket& servos, double dt) {
    const Actuators& actuators = parameters_.actuators;
    const double gain = 1 - std::exp(-dt / actuators.time_constant);
    const double motor_gain = 1 - std::exp(-dt / parameters_.propeller.time_constant);
    controls_.delta_a += gain * (actuators.aileron_travel * deflection(servos.servo(1)) - controls_.delta_a);
    controls_.delta_e +=
        gain * (-actuators.elevator_travel * deflection(servos.servo(2)) - controls_.delta_e);
    controls_.delta_r += gain * (-actuators.rudder_travel * deflection(servos.servo(4)) - controls_.delta_r);
    controls_.revolutions +=
        motor_gain * (parameters_.propeller.fastest * throttle(servos.servo(3)) - controls_.revolutions);
}

void Model::step(const ap_json::ServoPacket& servos, double dt, ap_json::State& state) {
    follow(servos, dt);
    const Motion before = motion_;
    standing_ = would_stand();
    motion_ = standing_ ? eased_to_rest(dt) : runge_kutta(dt);
    write(before, dt, state);
}

void Model::write(const Motion& before, double dt, ap_json::State& state) const {
    const Quaternion halfway = normalised(before.attitude + motion_.attitude);
    // The mean over the step, so that what ArduPilot integrates is the velocity that it is told.
    state.specific_force = specific_force(1 / dt * (motion_.velocity - before.velocity), halfway);
    state.gyro = motion_.rates;
    state.position = motion_.position;
    state.velocity = motion_.velocity;
    state.quaternion = motion_.attitude;
    state.attitude = to_euler(motion_.attitude);
    state.airspeed = airspeed(wind_, motion_.velocity, motion_.attitude);
    state.wind = wind_;
}

}  // namespace plane
