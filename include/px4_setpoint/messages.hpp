// messages.hpp - the two messages of the dialogue, as plain structs with PX4's field names.
#pragma once

#include <cstdint>

#include "px4_setpoint/setpoint_type.hpp"

namespace px4_setpoint {

/// The version of both messages that this library speaks; it is part of the topics' names (names.hpp).
inline constexpr unsigned message_version = 0;

/// PX4 gives its external modes the ids (nav_state) from this one ...
inline constexpr std::uint8_t first_external_mode = 23;
/// ... to this one.
inline constexpr std::uint8_t last_external_mode = 30;

/// What a mode asks of PX4 (message SetpointConfig).
struct SetpointConfig {
    std::uint64_t timestamp = 0;  ///< us since PX4's start; 0 lets PX4 fill it in, which is what a mode wants
    SetpointType type = SetpointType::invalid;
    std::uint8_t source_id = 0;  ///< the mode's id: mode_id of PX4's RegisterExtComponentReply
    bool should_apply = false;   ///< false: only ask; true: make it the mode's current type
    /// ms without a setpoint after which PX4 may act; 0 turns it off. The PX4 sources that were read never use it: do
    /// not rely on it, see Negotiator::warning().
    std::uint16_t timeout_ms = 0;
};

/// What PX4 answers (message SetpointConfigReply).
struct SetpointConfigReply {
    std::uint64_t timestamp = 0;  ///< us, of PX4's clock
    SetpointType type = SetpointType::invalid;
    std::uint8_t source_id = 0;
    Result result = Result::success;
    bool mode_req_angular_velocity = false;
    bool mode_req_attitude = false;
    bool mode_req_local_alt = false;
    bool mode_req_local_position = false;
};

/// The reply's four flags. All false unless the result is success.
[[nodiscard]] constexpr Requirements requirements_of(const SetpointConfigReply& reply) noexcept {
    return {reply.mode_req_angular_velocity, reply.mode_req_attitude, reply.mode_req_local_alt,
            reply.mode_req_local_position};
}

}  // namespace px4_setpoint
