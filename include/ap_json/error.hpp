// error.hpp - how every function of the library says what went wrong: a code for programs, a sentence for
// people. Errors are values; the library never throws, prints, or ends the process.
#pragma once

#include <cstdint>

#include "ap_json/export.hpp"

namespace ap_json {

/// What went wrong, for programs. to_string() gives the name.
enum class ErrorCode : std::uint8_t {
    ok = 0,  ///< nothing went wrong

    // A datagram is not a servo packet (servo_packet.hpp).
    wrong_length,  ///< neither 40 bytes (16 channels) nor 72 bytes (32 channels), or not what its magic asks
                   ///< for
    wrong_magic,   ///< has the length of a servo packet but begins with neither 18458 nor 29569

    // A state cannot be sent safely (state_json.hpp).
    not_finite,        ///< a value is NaN or infinite; one such value ends the SITL process
    out_of_range,      ///< a value is outside of what SITL survives, or of what the quantity can be
    not_normalised,    ///< the quaternion's norm is not about 1
    incomplete,        ///< a value is set whose neighbour has to be set too, or SITL would misread it
    buffer_too_small,  ///< the caller's buffer does not hold the line; max_state_line always does

    // Opening a client (client.hpp).
    bad_option,           ///< an option has a value that cannot be meant
    address_unavailable,  ///< no network interface of this machine has the address to listen on
    port_busy,            ///< another program listens on this port already
    system_error,         ///< the operating system refused for another reason, quoted in the message

    // Answering (client.hpp).
    not_open,          ///< open() has not been called, or has failed
    no_autopilot,      ///< no servo packet has arrived yet, so there is nobody to answer
    already_answered,  ///< the newest servo packet has its answer; a second one would lag in SITL's queue for
                       ///< ever
    time_not_advanced,  ///< the timestamp is that of the state sent before
    time_went_back,     ///< the timestamp is before that of the state sent before; see
                        ///< Client::allow_time_reset()
    time_jumped,        ///< the timestamp is too long after that of the state sent before; see longest_jump
    not_sent,           ///< the operating system did not take the datagram; its reason is in the message
};

/// The name of a code, as in the enumeration ("port_busy"). Never null.
[[nodiscard]] AP_JSON_API const char* to_string(ErrorCode code) noexcept;

/// A code and a sentence. Converts to true when there *is* an error:
///
///     if (auto error = client.open({"127.0.0.1", 9002})) return report(error.message());
///
/// Holds its text itself: copying or creating one never allocates.
class [[nodiscard]] AP_JSON_API Error {
  public:
    /// The longest message, in bytes, with its terminating zero. A longer text is cut.
    static constexpr unsigned capacity = 256;

    /// No error.
    Error() noexcept {}  // NOLINT(modernize-use-equals-default): leaves the text unset on purpose
    /// Copies the message; a longer one than `capacity` is cut. Null counts as empty.
    Error(ErrorCode code, const char* message) noexcept;
    /// Copies code and text.
    Error(const Error& other) noexcept { *this = other; }
    /// Copies code and text.
    Error& operator=(const Error& other) noexcept;
    ~Error() = default;

    /// True when something went wrong.
    explicit operator bool() const noexcept { return code_ != ErrorCode::ok; }

    /// What went wrong, for programs; `ok` when nothing did.
    [[nodiscard]] ErrorCode code() const noexcept { return code_; }

    /// What went wrong and what to do about it: names the field and its value, or the address, the port and
    /// the operating system's words. Empty when there is no error; never null.
    [[nodiscard]] const char* message() const noexcept { return code_ == ErrorCode::ok ? "" : message_; }

  private:
    ErrorCode code_ = ErrorCode::ok;
    char message_[capacity];  // read only when code_ is not ok, so that success costs nothing
};

}  // namespace ap_json
