// drive_controls.cpp - see drive_controls.hpp.
#include "px4_hil/drive_controls.hpp"

#include <algorithm>
#include <cmath>

#include "px4_hil/px4_modes.hpp"

namespace px4_hil {
namespace {

double read(const HilActuatorControls& message, const ControlChannel& channel) noexcept {
    if (channel.index < 0 || static_cast<std::size_t>(channel.index) >= message.controls.size()) return 0;
    const double value = double{message.controls[static_cast<std::size_t>(channel.index)]} * channel.scale;
    if (!std::isfinite(value) || std::fabs(value) < channel.dead_band) return 0;
    return std::clamp(value, -1.0, 1.0);
}

}  // namespace

DriveControls to_drive_controls(const HilActuatorControls& message, const ControlLayout& layout,
                                double forward_speed) noexcept {
    DriveControls controls;
    controls.armed = (message.mode & mode_flag::armed) != 0;
    if (!controls.armed) return controls;
    controls.throttle = read(message, layout.throttle);
    controls.steering = read(message, layout.steering);
    controls.brake = std::max(0.0, read(message, layout.brake));
    if (layout.brake.index < 0 && controls.throttle < 0 && forward_speed > layout.brake_above) {
        controls.brake = -controls.throttle;
        controls.throttle = 0;
    }
    return controls;
}

}  // namespace px4_hil
