// quadcopter_model.hpp - a quadcopter in X: a rigid body, four motors on a battery, air, and the ground. No socket, no
// clock.
//
//     omega_i      speed of rotor i (rad/s), never negative; thrust k_T omega^2, drag torque k_Q omega^2
//     u_i          duty of motor i's speed controller, 0 to 1 for 1000 to 2000 us
//     V, i_i       voltage of the battery (V), current of motor i (A)
//     x, v, q      position and velocity (NED), attitude (from body to NED)
//     Omega        angular velocity (rad/s, body FRD)
//
// Sources: R. Mahony, V. Kumar, P. Corke, Multirotor Aerial Vehicles, IEEE Robotics & Automation Magazine 19(3), 2012
// (rigid body, rotors, rotor drag); K. H. Hunt, F. R. E. Crossley, Coefficient of Restitution Interpreted as Damping in
// Vibroimpact, J. Applied Mechanics 42(2), 1975 (contact); P. A. Cundall, O. D. L. Strack, A Discrete Numerical Model
// for Granular Assemblies, Geotechnique 29(1), 1979 (friction that holds).
#pragma once

#include <ap_json/servo_packet.hpp>
#include <ap_json/state.hpp>
#include <array>

#include "vectors.hpp"

namespace example {

struct QuadcopterParameters {
    // Frame, of the size of a "450"
    double mass = 1.6;                     // kg
    Vector3 inertia{0.014, 0.015, 0.025};  // kg m2, about forward, right, down
    double motor_offset = 0.16;            // m, of each motor, forward and sideways of the centre of mass
    double motor_height = 0.03;            // m, above the centre of mass
    double foot_offset = 0.12;             // m, of each foot, forward and sideways of the centre of mass
    double foot_depth = 0.12;              // m, below the centre of mass

    // Rotors of 10 x 4.5 inches
    double thrust_factor = 1.29e-5;  // k_T, N s2
    double torque_factor = 2.35e-7;  // k_Q, N m s2
    double rotor_inertia = 4e-5;     // J, kg m2, with the motor's bell
    double rotor_drag = 1.1e-4;      // k_H, N s2 / m: force against sideways air, for each rad/s

    // Motors of 920 rpm/V, with controllers that brake as they drive
    double motor_constant = 1 / 96.3;  // K, V s = N m / A
    double motor_resistance = 0.12;    // R, ohm

    // Battery: lithium polymer, three cells
    double full_voltage = 12.6;        // V, at no current
    double empty_voltage = 10.8;       // V
    double capacity = 5.1 * 3600;      // A s
    double battery_resistance = 0.02;  // ohm
    double electronics = 0.5;          // A, of what is not a motor

    // Air
    double air_density = 1.225;   // kg/m3
    double drag_area = 0.05;      // m2: drag coefficient times frontal area, the same from all sides
    double angular_drag = 0.004;  // N m s

    // Ground: what touches it is a spring that sinks in by `sag` under the vehicle's weight
    double sag = 0.002;               // m, standing on four feet
    double contact_damping = 10;      // s/m: force grows by this share for each m/s of sinking in
    double damped_speed = 0.3;        // m/s: no more damping for what sinks in faster
    double friction = 0.8;            // sliding
    double sideways_stiffness = 0.7;  // of the stiffness downwards
    double sideways_damping = 0.7;    // of critical damping

    // Range finder, looking down from the centre of mass
    double range = 50;  // m, reported where the ground is further away
};

class Quadcopter {
  public:
    static constexpr int motors = 4;

    /// @param start  m, NED from home: where reset() puts it. Standing on the ground, z is 0
    explicit Quadcopter(const QuadcopterParameters& parameters = {}, const Vector3& start = {});

    void step(const ap_json::ServoPacket& servos, double dt, ap_json::State& state);
    void reset(ap_json::State& state);

    void set_wind(const Vector3& wind) { wind_ = wind; }  ///< m/s, NED: where the air moves to
    /// A force from outside at the centre of mass, for the next step only: N, NED.
    void push(const Vector3& force) { push_ = force; }

    [[nodiscard]] const QuadcopterParameters& parameters() const { return p_; }
    [[nodiscard]] const Vector3& position() const { return position_; }
    [[nodiscard]] const Vector3& velocity() const { return velocity_; }
    [[nodiscard]] const std::array<double, motors>& rotor_speeds() const { return rotors_; }
    [[nodiscard]] double battery_voltage() const { return voltage_; }
    /// 0 to 1: the duty at which the four rotors carry the weight, on a battery of this voltage.
    [[nodiscard]] double hover_duty(double voltage) const;

  private:
    static constexpr std::size_t contacts = 8;  // four feet, four motors

    struct Contact {
        Vector3 place;         // m, body
        bool touches = false;  // in the step before
        Vector3 anchor;        // m, NED: where friction holds it
    };

    struct Load {
        Vector3 force;   // N, NED
        Vector3 torque;  // N m, body
    };

    void run_motors(const ap_json::ServoPacket& servos, double dt);
    [[nodiscard]] Load rotor_load() const;
    [[nodiscard]] Load air_load() const;
    Load ground_load();
    Load contact_load(Contact& contact);
    void move(const Load& load, double dt);
    bool stands_still(const Vector3& acceleration, const Vector3& angular_acceleration) const;
    void write(ap_json::State& state) const;

    QuadcopterParameters p_;
    Vector3 start_;     // m, NED
    double stiffness_;  // N/m, of each contact
    double ground_;     // m, NED: z of the ground's surface
    Vector3 wind_, push_;

    std::array<double, motors> rotors_{};     // rad/s: omega
    std::array<double, motors> reactions_{};  // N m: of each motor on its rotor, and so on the frame
    double voltage_ = 0, current_ = 0;        // V, A
    double charge_used_ = 0;                  // A s
    Vector3 position_, velocity_;             // m, m/s, NED
    Quaternion attitude_;
    Vector3 rate_;          // rad/s, body: Omega
    Vector3 acceleration_;  // m/s2, NED, of the last step
    std::array<Contact, contacts> contacts_;
};

}  // namespace example
