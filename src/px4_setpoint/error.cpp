// error.cpp - the names of the error codes.
#include "px4_setpoint/error.hpp"

#include <iterator>

namespace px4_setpoint {

const char* to_string(ErrorCode code) noexcept {
    constexpr const char* names[] = {
        "ok",
        "too_short",
        "unknown_encapsulation",
        "bad_boolean",
        "not_registered",
        "bad_type",
        "bad_option",
        "wrong_state",
        "no_reply",
        "setpoints_missing",
        "failure_other",
        "unsupported",
        "unknown_setpoint_type",
        "bad_result",
        "transport",
    };
    static_assert(std::size(names) == static_cast<unsigned>(ErrorCode::transport) + 1);
    const auto number = static_cast<unsigned>(code);
    return number < std::size(names) ? names[number] : "unknown";
}

}  // namespace px4_setpoint
