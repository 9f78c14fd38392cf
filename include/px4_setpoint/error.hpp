// error.hpp - how px4_setpoint says what went wrong: a code for programs, a sentence for people. Errors are values;
// nothing here throws, prints, or ends the process.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "px4_setpoint/export.hpp"

namespace px4_setpoint {

/// What went wrong, for programs. to_string() gives the name.
enum class ErrorCode : std::uint8_t {
    ok = 0,

    // Bytes that are no message (cdr.hpp).
    too_short,              ///< fewer bytes than the message has
    unknown_encapsulation,  ///< neither little- nor big-endian plain CDR
    bad_boolean,            ///< an octet that has to be 0 or 1 is neither

    // What the caller asks for (negotiator.hpp).
    not_registered,  ///< the source id is none that PX4 gives to external modes (23 to 30)
    bad_type,        ///< no setpoint type that PX4 knows (1 to 16)
    bad_option,      ///< another option has a value that cannot be meant
    wrong_state,     ///< the call does not fit the negotiation's state; the message names both

    // What PX4 says, or does not (negotiator.hpp).
    no_reply,               ///< PX4 has not answered, after all tries
    setpoints_missing,      ///< the mode is active but has sent no setpoint for longer than its timeout
    failure_other,          ///< PX4 knows no external mode of this source id
    unsupported,            ///< PX4 knows the type, but not for this kind of vehicle
    unknown_setpoint_type,  ///< this PX4 does not know the type
    bad_result,  ///< PX4 answered with a result that is not in the enumeration; its value is in the message

    // The road there (dds.hpp).
    transport,  ///< DDS refused; its own words are in the message
};

/// The name of a code, as in the enumeration ("no_reply"). Never null.
[[nodiscard]] PX4_SETPOINT_API const char* to_string(ErrorCode code) noexcept;

/// A code and a sentence. Converts to true when there *is* an error:
///
///     if (auto error = negotiator.check(now)) return report(error.message());
class [[nodiscard]] PX4_SETPOINT_API Error {
  public:
    Error() = default;
    Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

    /// True when something went wrong.
    explicit operator bool() const noexcept { return code_ != ErrorCode::ok; }

    [[nodiscard]] ErrorCode code() const noexcept { return code_; }

    /// What went wrong and what to do about it. Empty when there is no error.
    [[nodiscard]] const std::string& message() const noexcept { return message_; }

  private:
    ErrorCode code_ = ErrorCode::ok;
    std::string message_;
};

}  // namespace px4_setpoint
