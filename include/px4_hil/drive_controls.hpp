// drive_controls.hpp - from PX4's actuator controls to what drives a ground vehicle: throttle, steering, brake. Pure.
#pragma once

#include <cstdint>

#include "px4_hil/export.hpp"
#include "px4_hil/messages.hpp"

namespace px4_hil {

/// What the vehicle's actuators are to do. A new one is the safe state: no throttle, wheels straight, brake on.
struct DriveControls {
    double throttle = 0;  ///< -1 (full astern) to 1 (full ahead)
    double steering = 0;  ///< -1 (left) to 1 (right)
    double brake = 1;     ///< 0 to 1
    bool armed = false;
};

/// Where in the 16 controls a quantity is, and how it is to be read.
struct ControlChannel {
    int index = -1;        ///< 0 to 15; -1 = there is none
    double scale = 1;      ///< -1 turns it round
    double dead_band = 0;  ///< what is smaller than this counts as 0
};

/// The layout of the controls depends on PX4's release and airframe.
struct ControlLayout {
    ControlChannel throttle{1};
    ControlChannel steering{0};
    ControlChannel brake{};  ///< PX4's rovers have none: derived from the throttle when there is none

    /// m/s: with a throttle below 0 a vehicle that goes forward faster than this brakes; a slower one reverses.
    double brake_above = 0.5;

    /// PX4 1.15 and later: Ackermann rover; HIL_ACT_FUNC1 = 201 (servo 1), HIL_ACT_FUNC2 = 101 (motor 1, reversible).
    static constexpr ControlLayout ackermann() noexcept { return {}; }
    /// PX4 1.10 and 1.11 on hardware, generic car mixer; throttle 0 to 1 only.
    static constexpr ControlLayout generic_car() noexcept { return {{3}, {1}, {}, 0.5}; }
    /// PX4 1.10 SITL, rover mixer.
    static constexpr ControlLayout sitl_1_10() noexcept { return {{5}, {0}, {}, 0.5}; }
};

/// @param forward_speed  m/s, of the vehicle
/// @return the safe state while PX4 is disarmed; values that are not finite count as 0
[[nodiscard]] PX4_HIL_API DriveControls to_drive_controls(const HilActuatorControls& message,
                                                          const ControlLayout& layout,
                                                          double forward_speed) noexcept;

}  // namespace px4_hil
