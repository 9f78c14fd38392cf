// quadcopter_world.cpp - see quadcopter_world.hpp.
#include "quadcopter_world.hpp"

#include <algorithm>

namespace example {

QuadcopterWorld::QuadcopterWorld(std::size_t quadcopters, const WorldParameters& parameters)
    : p_(parameters), states_(quadcopters), pushes_(quadcopters) {
    quadcopters_.reserve(quadcopters);
    for (std::size_t i = 0; i < quadcopters; ++i) {
        quadcopters_.emplace_back(QuadcopterParameters{}, Vector3{0, static_cast<double>(i) * p_.spacing, 0});
        quadcopters_[i].reset(states_[i]);
    }
}

void QuadcopterWorld::step(const std::vector<ap_json::ServoPacket>& servos, double dt) {
    push_apart();
    for (std::size_t i = 0; i < size(); ++i) quadcopters_[i].step(servos[i], dt, states_[i]);
}

void QuadcopterWorld::reset(std::size_t i) {
    states_[i] = ap_json::State{};
    quadcopters_[i].reset(states_[i]);
}

void QuadcopterWorld::set_wind(const Vector3& wind) {
    for (Quadcopter& quadcopter : quadcopters_) quadcopter.set_wind(wind);
}

/// Every pair: a thousand quadcopters are half a million of them, and most are told apart by one subtraction.
void QuadcopterWorld::push_apart() {
    std::fill(pushes_.begin(), pushes_.end(), Vector3{});
    long touching = 0;
    for (std::size_t i = 0; i < size(); ++i) {
        for (std::size_t j = i + 1; j < size(); ++j) {
            const Vector3& one = quadcopters_[i].position();
            const Vector3& other = quadcopters_[j].position();
            if (std::fabs(one.y - other.y) >= 2 * p_.radius || norm(one - other) >= 2 * p_.radius) continue;
            const Vector3 force = force_between(quadcopters_[i], quadcopters_[j]);
            pushes_[i] += force;
            pushes_[j] += -force;
            ++touching;
        }
    }
    if (touching > touching_) collisions_ += touching - touching_;
    touching_ = touching;
    for (std::size_t i = 0; i < size(); ++i) quadcopters_[i].push(pushes_[i]);
}

/// On the first of two that overlap; its opposite acts on the other.
Vector3 QuadcopterWorld::force_between(const Quadcopter& one, const Quadcopter& other) const {
    const Vector3 apart = one.position() - other.position();
    const double distance = norm(apart);
    // In the very same place, after a reset: any direction parts them.
    const Vector3 direction = distance > 0 ? (1 / distance) * apart : Vector3{0, 0, -1};
    const double sinking = -dot(one.velocity() - other.velocity(), direction);
    const double depth = 2 * p_.radius - distance;
    return p_.stiffness * depth * std::max(1 + p_.damping * sinking, 0.0) * direction;
}

}  // namespace example
