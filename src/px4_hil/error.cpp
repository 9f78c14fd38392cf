// error.cpp - see error.hpp.
#include "px4_hil/error.hpp"

#include <iterator>

namespace px4_hil {

const char* to_string(ErrorCode code) noexcept {
    static constexpr const char* names[] = {"ok",
                                            "bad_option",
                                            "unsupported",
                                            "wrong_state",
                                            "port_not_found",
                                            "port_open_failed",
                                            "port_write_failed",
                                            "no_heartbeat",
                                            "wrong_autopilot",
                                            "hil_not_enabled",
                                            "disarm_failed",
                                            "link_lost",
                                            "command_timeout",
                                            "command_rejected",
                                            "mode_rejected",
                                            "arm_rejected",
                                            "mission_timeout",
                                            "mission_rejected",
                                            "mission_incomplete",
                                            "cancelled",
                                            "interrupted",
                                            "not_finite",
                                            "stale_controls"};
    static_assert(std::size(names) == static_cast<std::size_t>(ErrorCode::stale_controls) + 1);
    const auto index = static_cast<std::size_t>(code);
    return index < std::size(names) ? names[index] : "unknown";
}

Error::Error(ErrorCode code, std::string_view message) noexcept : code_(code) {
    message.copy(message_, capacity - 1);
}

}  // namespace px4_hil
