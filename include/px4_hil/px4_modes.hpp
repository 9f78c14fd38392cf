// px4_modes.hpp - what the numbers in PX4's messages mean: modes, commands, results.
#pragma once

#include <cstdint>

#include "px4_hil/export.hpp"

namespace px4_hil {

/// MAV_MODE_FLAG: bits of Heartbeat::base_mode.
namespace mode_flag {
constexpr std::uint8_t custom = 1, test = 2, automatic = 4, guided = 8, stabilize = 16, hil = 32, manual = 64,
                       armed = 128;
}

/// PX4's modes, as Heartbeat::custom_mode: main mode in bits 16 to 23, sub mode in bits 24 to 31.
struct Px4Mode {
    std::uint8_t main = 0;
    std::uint8_t sub = 0;

    [[nodiscard]] static constexpr Px4Mode from(std::uint32_t custom_mode) noexcept {
        return {static_cast<std::uint8_t>(custom_mode >> 16 & 0xFF),
                static_cast<std::uint8_t>(custom_mode >> 24)};
    }
    [[nodiscard]] constexpr std::uint32_t custom_mode() const noexcept {
        return static_cast<std::uint32_t>(main) << 16 | static_cast<std::uint32_t>(sub) << 24;
    }
    friend constexpr bool operator==(const Px4Mode& a, const Px4Mode& b) noexcept {
        return a.main == b.main && a.sub == b.sub;
    }
    friend constexpr bool operator!=(const Px4Mode& a, const Px4Mode& b) noexcept { return !(a == b); }
};

namespace px4_mode {
constexpr Px4Mode manual{1, 0}, position{3, 0}, hold{4, 3}, mission{4, 4}, return_home{4, 5}, offboard{6, 0};
}

/// Such as "AUTO.MISSION". Never null; "unknown" for a mode that is not known.
[[nodiscard]] PX4_HIL_API const char* to_string(Px4Mode mode) noexcept;

namespace mav_type {
constexpr std::uint8_t generic = 0, quadrotor = 2, ground_station = 6, ground_rover = 10, onboard = 18;
}
namespace mav_autopilot {
constexpr std::uint8_t generic = 0, ardupilot = 3, invalid = 8, px4 = 12;
}
namespace component_id {
constexpr std::uint8_t all = 0, autopilot = 1, mission_planner = 190, onboard_computer = 191, simulator = 200;
}
namespace mav_state {
constexpr std::uint8_t boot = 1, standby = 3, active = 4;
}
namespace mav_frame {
constexpr std::uint8_t above_sea_level = 0, mission = 2, above_home = 3;
}
namespace mav_command {
constexpr std::uint16_t waypoint = 16, set_mode = 176, reboot = 246, mission_start = 300, arm = 400,
                        set_message_interval = 511;
}

/// MAV_RESULT: what a command was answered with.
namespace mav_result {
constexpr std::uint8_t accepted = 0, temporarily_rejected = 1, denied = 2, unsupported = 3, failed = 4,
                       in_progress = 5;
}
/// Such as "temporarily rejected". Never null.
[[nodiscard]] PX4_HIL_API const char* command_result(std::uint8_t result) noexcept;

/// MAV_MISSION_RESULT: what a mission transfer was answered with.
namespace mission_result {
constexpr std::uint8_t accepted = 0, error = 1, unsupported_frame = 2, unsupported = 3, no_space = 4,
                       invalid = 5, invalid_param5 = 10, invalid_param6 = 11, invalid_sequence = 13,
                       denied = 14, cancelled = 15;
}
/// Such as "no space". Never null.
[[nodiscard]] PX4_HIL_API const char* mission_result_text(std::uint8_t result) noexcept;

namespace mission_state {
constexpr std::uint8_t unknown = 0, no_mission = 1, not_started = 2, active = 3, paused = 4, complete = 5;
}

constexpr std::uint8_t parameter_int32 = 6;   ///< MAV_PARAM_TYPE
constexpr float force_disarm_or_arm = 21196;  ///< param2 of command 400

}  // namespace px4_hil
