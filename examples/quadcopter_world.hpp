// quadcopter_world.hpp - several quadcopters in one world: a row along east, which do not pass through each other. No
// socket, no clock.
//
// Each quadcopter is a sphere to the others. Two that overlap push each other apart along the line between their
// centres, like the contact with the ground in quadcopter_model.hpp: F = k d (1 + chi d'), d how deep they overlap.
#pragma once

#include <ap_json/servo_packet.hpp>
#include <ap_json/state.hpp>
#include <vector>

#include "quadcopter_model.hpp"

namespace example {

struct WorldParameters {
    double spacing = 5;       // m, between the starting places
    double radius = 0.35;     // m, of the sphere: the rotors' tips
    double stiffness = 8000;  // N/m: k. At 5 m/s two quadcopters of 1.6 kg overlap by a twentieth of a metre
    double damping = 0.3;     // s/m: chi
};

class QuadcopterWorld {
  public:
    explicit QuadcopterWorld(std::size_t quadcopters, const WorldParameters& parameters = {});

    /// Steps all of them at once.
    /// @param servos  of each quadcopter
    void step(const std::vector<ap_json::ServoPacket>& servos, double dt);

    /// Puts one back to its starting place.
    void reset(std::size_t i);

    void set_wind(const Vector3& wind);  ///< m/s, NED: where the air moves to

    [[nodiscard]] std::size_t size() const { return quadcopters_.size(); }
    [[nodiscard]] ap_json::State& state(std::size_t i) { return states_[i]; }
    [[nodiscard]] const WorldParameters& parameters() const { return p_; }
    /// How often two quadcopters have begun to touch.
    [[nodiscard]] long collisions() const { return collisions_; }

  private:
    void push_apart();
    [[nodiscard]] Vector3 force_between(const Quadcopter& one, const Quadcopter& other) const;

    WorldParameters p_;
    std::vector<Quadcopter> quadcopters_;
    std::vector<ap_json::State> states_;
    std::vector<Vector3> pushes_;  // N, NED
    long touching_ = 0;            // pairs, in the step before
    long collisions_ = 0;
};

}  // namespace example
