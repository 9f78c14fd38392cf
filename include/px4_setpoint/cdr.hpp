// cdr.hpp - the two messages as bytes: plain CDR with its header of 4 bytes, as PX4, ROS 2 and the DDS libraries send it.
// Pure functions. Who uses dds.hpp does not need them; they are for Zenoh, for logs, and for transports of one's own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "px4_setpoint/error.hpp"
#include "px4_setpoint/messages.hpp"

namespace px4_setpoint {

/// The order of the bytes in numbers. PX4 and ROS 2 send little.
enum class ByteOrder : std::uint8_t { big = 0, little = 1 };

/// Bytes of an encoded SetpointConfig, header included.
inline constexpr std::size_t setpoint_config_size = 18;
/// Bytes of an encoded SetpointConfigReply, header included.
inline constexpr std::size_t setpoint_config_reply_size = 20;

[[nodiscard]] PX4_SETPOINT_API std::array<std::uint8_t, setpoint_config_size> encode(
    const SetpointConfig& message, ByteOrder order = ByteOrder::little) noexcept;
[[nodiscard]] PX4_SETPOINT_API std::array<std::uint8_t, setpoint_config_reply_size> encode(
    const SetpointConfigReply& message, ByteOrder order = ByteOrder::little) noexcept;

/// Reads either byte order; bytes behind the message are ignored (PX4's Zenoh publisher sends 24 of them). Types and
/// results that are not in their enumerations are kept as they are.
///
/// Errors: too_short, unknown_encapsulation, bad_boolean; `message` is unchanged then.
PX4_SETPOINT_API Error decode(const void* data, std::size_t size, SetpointConfig& message);
PX4_SETPOINT_API Error decode(const void* data, std::size_t size, SetpointConfigReply& message);

}  // namespace px4_setpoint
