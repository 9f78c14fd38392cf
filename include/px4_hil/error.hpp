// error.hpp - how every function of px4_hil says what went wrong: a code for programs, a sentence for people. Errors are
// values; the library never throws, prints, or ends the process.
#pragma once

#include <cstdint>
#include <string_view>

#include "px4_hil/export.hpp"

namespace px4_hil {

/// What went wrong, for programs. to_string() gives the name. docs/px4_hil.md says what to do about each.
enum class ErrorCode : std::uint8_t {
    ok = 0,
    bad_option,          ///< an option has a value that cannot be meant
    unsupported,         ///< not on this operating system
    wrong_state,         ///< cannot be done now, such as a task before the link is up
    port_not_found,      ///< no device, or none with a PX4 behind it
    port_open_failed,    ///< a device or a socket could not be opened
    port_write_failed,   ///< the link did not take bytes
    no_heartbeat,        ///< the link is open, and no PX4 says anything
    wrong_autopilot,     ///< somebody says something, but no PX4
    hil_not_enabled,     ///< PX4 is not in HIL mode, and does not get into it
    disarm_failed,       ///< PX4 stays armed
    link_lost,           ///< PX4 has gone silent, or its device has gone
    command_timeout,     ///< PX4 does not acknowledge a command
    command_rejected,    ///< PX4 refuses a command
    mode_rejected,       ///< PX4 does not enter the mode asked for
    arm_rejected,        ///< PX4 does not arm
    mission_timeout,     ///< PX4 has stopped in the middle of an upload
    mission_rejected,    ///< PX4 refuses a route
    mission_incomplete,  ///< PX4 says it has the route before it had all of it
    cancelled,           ///< by the caller
    interrupted,         ///< a task ended because PX4 rebooted or left mission mode
    not_finite,          ///< a value is NaN or infinite; nothing was sent
    stale_controls,      ///< no actuator controls have come for too long: the outputs are safe
};

/// The name of a code, as in the enumeration ("port_not_found"). Never null.
[[nodiscard]] PX4_HIL_API const char* to_string(ErrorCode code) noexcept;

/// A code and a sentence. Converts to true when there *is* an error. Holds its text itself: never allocates.
class [[nodiscard]] PX4_HIL_API Error {
  public:
    /// The longest message, in bytes, with its terminating zero. A longer text is cut.
    static constexpr unsigned capacity = 256;

    Error() noexcept = default;
    Error(ErrorCode code, std::string_view message) noexcept;

    /// True when something went wrong.
    explicit operator bool() const noexcept { return code_ != ErrorCode::ok; }

    [[nodiscard]] ErrorCode code() const noexcept { return code_; }

    /// What went wrong and what to do about it. Empty when there is no error; never null.
    [[nodiscard]] const char* message() const noexcept { return message_; }

  private:
    ErrorCode code_ = ErrorCode::ok;
    char message_[capacity] = {};
};

}  // namespace px4_hil
