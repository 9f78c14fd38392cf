// servo_packet.hpp - what ArduPilot SITL sends: one binary packet for each frame, with the output of every
// servo channel. Pure: no socket, no clock, no allocation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ap_json/error.hpp"

namespace ap_json {

/// A decoded servo packet.
struct ServoPacket {
    /// SITL never sends more channels.
    static constexpr std::size_t max_channels = 32;

    /// Hz. An echo of the inverse of your own last time step, not a command: choose the step yourself.
    std::uint16_t frame_rate = 0;

    /// Counts the states SITL has accepted since it started; stays the same until it has accepted one more.
    std::uint32_t frame_count = 0;

    /// How many channels the packet had: 16, or 32 when the parameter SERVO_32_ENABLE is 1.
    std::uint8_t channels = 0;

    /// Microseconds of pulse width, typically 1000 to 2000. pwm[0] is SERVO1. 0 means no output (yet): all
    /// channels are 0 until ArduPilot has initialised them (about 2 s), a channel without a function stays 0.
    /// Treat 0 as "asks for nothing", never as "full reverse". Channels beyond `channels` are 0.
    std::array<std::uint16_t, max_channels> pwm{};

    /// Pulse width in microseconds of a servo by ArduPilot's number: servo(3) is SERVO3, which is pwm[2].
    /// 0 for a number that the packet does not have.
    [[nodiscard]] std::uint16_t servo(int number) const noexcept {
        return number >= 1 && number <= static_cast<int>(max_channels)
                   ? pwm[static_cast<std::size_t>(number - 1)]
                   : std::uint16_t{0};
    }
};

constexpr std::uint16_t magic_16_channels = 18458;  ///< begins a packet of 40 bytes
constexpr std::uint16_t magic_32_channels = 29569;  ///< begins a packet of 72 bytes
constexpr std::size_t servo_packet_size_16 = 40;    ///< bytes, with 16 channels
constexpr std::size_t servo_packet_size_32 = 72;    ///< bytes, with 32 channels

/// Decodes one datagram. The packet itself says whether it has 16 or 32 channels; SITL may change that while
/// flying. Works on machines of either byte order.
///
/// @param data    the datagram; needs no alignment; may be null when size is 0
/// @param size    its length in bytes
/// @param packet  where the result goes; left untouched unless `ok` is returned
/// @return ok, wrong_length or wrong_magic
[[nodiscard]] AP_JSON_API ErrorCode decode(const void* data, std::size_t size, ServoPacket& packet) noexcept;

}  // namespace ap_json
