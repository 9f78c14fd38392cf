// fingerprint.hpp - servo outputs that are a function of everything else in their packet and of who sent it, so that a
// wrong or a mixed packet is seen. Bits that were flipped on the way are seen, too.
#pragma once

#include <ap_json/servo_packet.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace soak {

/// Which SITL sent a packet: each life of each SITL has its own.
using Identity = std::uint16_t;

/// From here on they are those of strangers, whose packets are never to be handed over.
constexpr Identity first_stranger = 60000;

/// The least that a hash has to do: every bit of the input changes the result.
inline std::uint64_t mix(std::uint64_t value) noexcept {  // the finaliser of SplitMix64
    value = (value ^ value >> 30U) * 0xbf58476d1ce4e5b9U;
    value = (value ^ value >> 27U) * 0x94d049bb133111ebU;
    return value ^ value >> 31U;
}

inline std::uint64_t hash(std::string_view bytes) noexcept {
    std::uint64_t value = bytes.size();
    for (const char byte : bytes) value = mix(value * 0x9e3779b97f4a7c15U + static_cast<unsigned char>(byte));
    return value;
}

/// What the output of a channel has to be; channel 0 is the identity itself.
inline std::uint16_t fingerprint(Identity identity, const ap_json::ServoPacket& packet,
                                 std::size_t channel) noexcept {
    if (channel == 0) return identity;
    const std::uint64_t rest = std::uint64_t{identity} << 32U | std::uint64_t{packet.frame_rate} << 16U |
                               std::uint64_t{packet.channels} << 8U | channel;
    return static_cast<std::uint16_t>(mix(mix(packet.frame_count + 1) ^ rest) & 0xFFFFU);
}

/// Writes the outputs into a packet as SITL sends it.
inline void sign(Identity identity, unsigned char* bytes, std::size_t size) noexcept {
    ap_json::ServoPacket packet;
    if (ap_json::decode(bytes, size, packet) != ap_json::ErrorCode::ok) return;
    for (std::size_t channel = 0; channel < packet.channels; ++channel) {
        const std::uint16_t pwm = fingerprint(identity, packet, channel);
        bytes[8 + 2 * channel] = static_cast<unsigned char>(pwm & 255U);
        bytes[9 + 2 * channel] = static_cast<unsigned char>(pwm >> 8U);
    }
}

/// Who signed a packet; nothing when something in it is wrong.
inline std::optional<Identity> signer(const ap_json::ServoPacket& packet) noexcept {
    const Identity identity = packet.pwm[0];
    for (std::size_t channel = 1; channel < ap_json::ServoPacket::max_channels; ++channel) {
        const std::uint16_t right =
            channel < packet.channels ? fingerprint(identity, packet, channel) : std::uint16_t{0};
        if (packet.pwm[channel] != right) return std::nullopt;
    }
    return identity;
}

}  // namespace soak
