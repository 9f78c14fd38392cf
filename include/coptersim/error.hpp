// error.hpp - how every function of the library says what went wrong: a code for programs, a sentence for
// people. Errors are values; the library never throws, prints, or ends the process.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "coptersim/export.hpp"

namespace coptersim {

/// What went wrong, for programs. to_string() gives the name.
enum class ErrorCode : std::uint8_t {
    ok = 0,

    // A datagram is not the message it should be (messages.hpp).
    wrong_length,    ///< not as many bytes as the message has
    wrong_checksum,  ///< the first four bytes are not those the message begins with

    // A request cannot be meant (requests.hpp).
    bad_id,         ///< no vehicle can have this id
    bad_name,       ///< the name is empty, not UTF-8, or has a zero byte in it
    name_too_long,  ///< the name has more than 48 bytes
    out_of_range,   ///< a value is outside of what the quantity can be
    not_finite,     ///< a value is NaN or infinite, or too large for the wire

    // Opening and sending (client.hpp, stand_in.hpp).
    bad_option,             ///< an option has a value that cannot be meant
    bind_in_use,            ///< another program holds the port for itself
    socket_error,           ///< the operating system refused, for the reason in the message
    multicast_unavailable,  ///< a warning: the multicast group cannot be joined, only unicast is left
    no_route,               ///< multicast cannot be used, and the address of the vehicle is not known
    send_failed,            ///< the operating system did not take the datagram
    closed,                 ///< open() has not been called, or has failed
};

/// The name of a code, as in the enumeration ("no_route"). Never null.
[[nodiscard]] COPTERSIM_API const char* to_string(ErrorCode code) noexcept;

/// A code and a sentence. Converts to true when there *is* an error:
///
///     if (auto error = client.open()) return report(error.message());
class [[nodiscard]] Error {
  public:
    Error() noexcept = default;
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

}  // namespace coptersim
