// plane_model.hpp - a small fixed wing: wing with stall, tail, propeller, three wheels. Knows nothing of
// sockets; plane.cpp links it to ArduPilot.
//
// Equations and their notation: R. W. Beard and T. W. McLain, "Small Unmanned Aircraft", Princeton 2012,
// chapters 3 and 4 (there also: B. L. Stevens and F. L. Lewis, "Aircraft Control and Simulation"). The values
// are our own: a trainer of 3 kg that cruises at 20 m/s with neutral surfaces and stalls at 9 m/s.
//
// Left out: propeller wash, torque and gyroscopic moments of the propeller, ground effect, spins, gusts.
#pragma once

#include <ap_json/servo_packet.hpp>
#include <ap_json/state.hpp>
#include <vector>

namespace plane {

using ap_json::Quaternion;
using ap_json::Vector3;

struct Wing {
    double area = 0.475;          // S, m2
    double span = 1.9;            // b, m
    double chord = 0.25;          // c, m, mean
    double efficiency = 0.85;     // e, Oswald's
    double stall_angle = 0.26;    // alpha_0, rad: half of the flow has separated
    double stall_sharpness = 50;  // M, 1/rad: how suddenly it does
};

/// Dimensionless coefficients, by rad or by the dimensionless rates p b / 2V, q c / 2V, r b / 2V. Surfaces as
/// in the book: positive delta_e is trailing edge down (nose down), positive delta_a rolls to the right,
/// positive delta_r is trailing edge left (nose left).
struct Coefficients {
    double C_L_0 = 0.25, C_L_alpha = 4.9, C_L_q = 6, C_L_delta_e = 0.35;
    double C_D_p = 0.035;  // of everything but lift
    double C_Y_beta = -0.45, C_Y_p = 0, C_Y_r = 0.15, C_Y_delta_a = 0, C_Y_delta_r = 0.15;
    double C_l_beta = -0.06, C_l_p = -0.5, C_l_r = 0.10, C_l_delta_a = 0.24, C_l_delta_r = 0.005;
    double C_m_0 = 0, C_m_alpha = -0.7, C_m_q = -14, C_m_delta_e = -1.0;
    double C_n_beta = 0.075, C_n_p = -0.03, C_n_r = -0.12, C_n_delta_a = -0.012, C_n_delta_r = -0.065;
};

struct Propeller {
    double diameter = 0.356;           // D, m
    double fastest = 150;              // revolutions per second, at full throttle
    double thrust_coefficient = 0.08;  // C_T of the standing propeller
    double advance_ratio = 1.0;        // J at which it pulls no more
    double time_constant = 0.2;        // s: how fast the motor follows
};

struct Actuators {
    double aileron_travel = 0.44;   // rad, to either side
    double elevator_travel = 0.40;  // rad
    double rudder_travel = 0.44;    // rad
    double steering_travel = 0.20;  // rad: the nose wheel turns with the rudder
    double time_constant = 0.04;    // s: how fast the servos follow
};

/// Three wheels, one in front. Stiffness follows from how far the weight pushes them in, so that the plane is
/// level at rest.
struct LandingGear {
    double nose_ahead = 0.30;   // m, from the centre of gravity
    double main_behind = 0.06;  // m
    double half_track = 0.22;   // m
    double height = 0.20;       // m, from the unloaded wheels up to the centre of gravity
    double sag = 0.015;         // m, of all wheels under the weight
    double damping_ratio = 0.5;
    double rolling_friction = 0.06;  // short grass
    double side_friction = 0.8;
    double skid_friction = 0.5;  // of wing tips, tail and nose, should they touch
};

struct Parameters {
    double mass = 3.0;                                        // kg
    double J_x = 0.17, J_y = 0.20, J_z = 0.33, J_xz = 0.015;  // kg m2
    double air_density = 1.225;                               // kg/m3
    double length_ahead = 0.4, length_behind = 0.8;  // m, from the centre of gravity to nose and tail
    Wing wing;
    Coefficients coefficients;
    Propeller propeller;
    Actuators actuators;
    LandingGear gear;
};

/// What the actuators do at the moment.
struct Controls {
    double delta_a = 0, delta_e = 0, delta_r = 0;  // rad
    double revolutions = 0;                        // of the propeller, per second
};

struct Motion {
    Vector3 position;     // m, NED, of the centre of gravity from where it stands at the start
    Vector3 velocity;     // m/s, NED
    Quaternion attitude;  // from body to NED
    Vector3 rates;        // p, q, r: rad/s, body
};

/// At the centre of gravity, in the body's axes.
struct Load {
    Vector3 force;   // N
    Vector3 moment;  // l, m, n: N m
};

/// @param velocity_air  u_r, v_r, w_r: m/s through the air, body
Load aerodynamics(const Parameters& parameters, const Vector3& velocity_air, const Vector3& rates,
                  const Controls& controls);

/// N, forwards. Falls with airspeed; a propeller that turns too slowly for the airspeed brakes.
double thrust(const Propeller& propeller, double air_density, double revolutions, double airspeed);

/// A point that the ground may push: wheels, and skids where nothing should touch.
struct Contact {
    Vector3 place;              // m, body, unloaded
    double stiffness, damping;  // N/m, N s/m
    double rolling, side;       // friction along and across the direction of rolling
    double steering;            // how far it turns with the rudder: -1, 0 or 1
};

/// A model for ap_json::Lockstep: servos 1 to 4 are ailerons, elevator, throttle, rudder.
class Model {
  public:
    /// @param wind  m/s, NED: where the air moves to
    explicit Model(const Parameters& parameters = {}, const Vector3& wind = {});

    void step(const ap_json::ServoPacket& servos, double dt, ap_json::State& state);
    void reset(ap_json::State& state);

    /// Puts the plane anywhere, such as into flight.
    void place(const Motion& motion, const Controls& controls);

    [[nodiscard]] const Motion& motion() const { return motion_; }
    [[nodiscard]] const Controls& controls() const { return controls_; }
    [[nodiscard]] bool standing() const { return standing_; }

  private:
    struct Rates;  // the derivative of Motion

    void follow(const ap_json::ServoPacket& servos, double dt);
    [[nodiscard]] Load air_load(const Motion& motion) const;
    [[nodiscard]] Load ground_load(const Motion& motion) const;
    [[nodiscard]] Vector3 push_of_ground(const Contact& contact, const Motion& motion) const;
    [[nodiscard]] Rates derivative(const Motion& motion) const;
    [[nodiscard]] Motion runge_kutta(double dt) const;
    [[nodiscard]] bool would_stand() const;
    [[nodiscard]] Motion eased_to_rest(double dt) const;
    void write(const Motion& before, double dt, ap_json::State& state) const;

    Parameters parameters_;
    Vector3 wind_;
    std::vector<Contact> contacts_;
    Motion motion_;
    Controls controls_;
    bool standing_ = true;
};

}  // namespace plane
