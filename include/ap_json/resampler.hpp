// resampler.hpp - for simulators that are slower than ArduPilot wants: a game engine or a robotics simulator gives 20
// to 100 frames a second, ArduPilot arms a copter from 720 states a second on. The simulator hands over one state for
// each of its own frames; in between, ArduPilot is answered in lockstep with states that are interpolated so that they
// agree with one another: velocity is the derivative of position, specific force and attitude that of velocity, the
// gyro that of attitude.
//
//     ap_json::Resampler link(client, std::chrono::microseconds(1250));  // 800 states a second for ArduPilot
//     link.begin(simulator.state());
//     while (running) {
//         simulator.step(link.servos(), frame_time);
//         if (auto error = link.frame(simulator.state(), frame_time)) ...
//         if (link.restarted()) { simulator.reset(); link.begin(simulator.state()); }
//     }
//
// What it cannot do is to make the vehicle react within a frame: servo outputs take effect with the next one.
// docs/vehicles.md has a table of the frame rates that a copter still flies with.
//
// Thread rule: as for Client. No allocation.
#pragma once

#include <chrono>
#include <cstdint>

#include "ap_json/client.hpp"
#include "ap_json/export.hpp"

namespace ap_json {

/// The state between two others.
///
/// Velocity changes linearly, so acceleration is constant; position follows it, and ends where `after` is. The vehicle
/// turns about a fixed axis at a constant rate. Specific force and gyro are computed from these, not taken from the two
/// states. Range finders, airspeed and battery change linearly; what else there is, is that of `after`.
///
/// @param before, after  their timestamps do not matter
/// @param duration       s between them; more than 0
/// @param part           0 = before, 1 = after
/// @return               with a quaternion; its timestamp is that of `after`
[[nodiscard]] AP_JSON_API State interpolate(const State& before, const State& after, double duration,
                                            double part) noexcept;

/// The link of a simulator with few frames a second: fills in the states that ArduPilot wants in between. How to use it
/// is at the top of this file.
class AP_JSON_API Resampler {
  public:
    /// A frame longer than this, in seconds, counts as a pause of the simulator: time goes on by this much.
    static constexpr double longest_frame = 0.5;

    /// @param client    open; outlives this object
    /// @param step      of the states that ArduPilot gets; whole microseconds. 1250 us (800 Hz) for copters, 2500 us
    ///                  (400 Hz) for others
    /// @param patience  how long one frame() waits in all for an ArduPilot that is there. Without one it never waits
    Resampler(Client& client, std::chrono::microseconds step,
              std::chrono::nanoseconds patience = std::chrono::milliseconds(500)) noexcept;

    /// Where the vehicle is now, without a past: at the start, and after a reset.
    void begin(const State& state) noexcept;

    /// Where the vehicle is `elapsed` seconds of simulated time after the state before. Answers ArduPilot for all of
    /// that time. With --speedup 1, ArduPilot lets this take `elapsed` seconds of real time, unless it has to catch up.
    /// @param state    its timestamp does not matter: time is the sum of `elapsed`
    /// @param elapsed  s of simulated time; at most longest_frame counts
    /// @return ok, also when ArduPilot is not there or the network takes nothing; otherwise why a state was not sent, or
    ///         not_open
    Error frame(const State& state, double elapsed) noexcept;

    /// The newest servo outputs, for the next frame; all 0 before the first.
    [[nodiscard]] const ServoPacket& servos() const noexcept { return servos_; }

    /// Whether ArduPilot has been started again since the last call: put the vehicle back and call begin().
    [[nodiscard]] bool restarted() noexcept;

    /// s of simulated time that ArduPilot has been told.
    [[nodiscard]] double time() const noexcept;

  private:
    bool ask(std::chrono::steady_clock::time_point deadline) noexcept;
    Error answer(const State& state) noexcept;

    Client& client_;
    std::chrono::microseconds step_;
    std::chrono::nanoseconds patience_;
    ServoPacket servos_;
    State before_;
    State newest_;            // sent
    std::int64_t steps_ = 0;  // told
    double since_step_ = 0;   // s of simulated time since the newest step
    bool asked_ = false;      // ArduPilot waits for an answer
    bool restarted_ = false;
};

}  // namespace ap_json
