// ardupilot_link.hpp - all that links a simulator to ArduPilot: servos in, state out. This is what your
// simulator needs too.
#pragma once

#include <ap_json/ap_json.hpp>
#include <ap_json/frames.hpp>

#include "simulator.hpp"

/// From Bullet's axes (x left or west, y up, z forward or north) to FRD or NED. The same exchange for
/// positions, velocities and, since both frames are right-handed, for rates and attitude.
inline ap_json::Vector3 from_bullet(const btVector3& v) { return {v.z(), -v.x(), -v.y()}; }
inline ap_json::Quaternion from_bullet(const btQuaternion& q) { return {q.w(), q.z(), -q.x(), -q.y()}; }

/// A model for ap_json::Lockstep: servo 1 steers, servo 3 is the throttle.
class ArduPilotLink {
  public:
    /// @param simulator  whose step is the one of Lockstep; outlives this object
    explicit ArduPilotLink(Simulator& simulator) : simulator_(simulator) {}

    void reset(ap_json::State& state) {
        simulator_.restart();
        home_ = from_bullet(simulator_.pose().getOrigin());
        velocity_ = from_bullet(simulator_.velocity());
        write(state, {});
    }

    void step(const ap_json::ServoPacket& servos, double dt, ap_json::State& state) {
        const auto before = from_bullet(simulator_.velocity());
        simulator_.step(command(servos.servo(3)), command(servos.servo(1)));
        velocity_ = from_bullet(simulator_.velocity());
        // The change of velocity over the whole step, divided by the step: then what ArduPilot integrates is
        // the velocity it is told. A force asked of the engine would miss the contacts.
        write(state,
              {(velocity_.x - before.x) / dt, (velocity_.y - before.y) / dt, (velocity_.z - before.z) / dt});
    }

  private:
    /// 1000 to 2000 us as -1 to 1. 0 us asks for nothing.
    static btScalar command(int pulse) {
        return pulse == 0 ? btScalar(0) : std::clamp(btScalar(pulse - 1500) / 500, btScalar(-1), btScalar(1));
    }

    void write(ap_json::State& state, const ap_json::Vector3& acceleration) const {
        const auto place = from_bullet(simulator_.pose().getOrigin());
        // Single precision leaves a norm that is 1 but for 1e-7, or a little more after a while.
        const auto attitude = normalised(from_bullet(simulator_.pose().getRotation()));
        state.position = {place.x - home_.x, place.y - home_.y, place.z - home_.z};
        state.velocity = velocity_;
        state.quaternion = attitude;
        state.attitude = to_euler(attitude);
        state.gyro = to_body(attitude, from_bullet(simulator_.angular_velocity()));
        state.specific_force = specific_force(acceleration, attitude);
        write_range_finders(state);
    }

    /// Forward, right, backward, left, down. Beyond its reach a sensor says its reach: SITL reads a range
    /// finder only beside the others.
    void write_range_finders(ap_json::State& state) const {
        constexpr btScalar reach = 40;  // m
        const btVector3 directions[] = {{0, 0, 1}, {-1, 0, 0}, {0, 0, -1}, {1, 0, 0}, {0, -1, 0}};
        for (std::size_t i = 0; i < std::size(directions); ++i)
            state.range_finders[i] = double{simulator_.ray(directions[i], reach)};
    }

    Simulator& simulator_;
    ap_json::Vector3 home_;      // m, NED, of the chassis at the start
    ap_json::Vector3 velocity_;  // m/s, NED
};
