// servo_packet.cpp - decodes servo packets byte by byte, so that alignment and byte order do not matter.
#include "ap_json/servo_packet.hpp"

namespace ap_json {
namespace {

std::uint16_t read_u16(const unsigned char* bytes) {
    return static_cast<std::uint16_t>(bytes[0] | (bytes[1] << 8));
}

std::uint32_t read_u32(const unsigned char* bytes) {
    return static_cast<std::uint32_t>(read_u16(bytes)) |
           (static_cast<std::uint32_t>(read_u16(bytes + 2)) << 16);
}

}  // namespace

ErrorCode decode(const void* data, std::size_t size, ServoPacket& packet) noexcept {
    if (size != servo_packet_size_16 && size != servo_packet_size_32) return ErrorCode::wrong_length;
    const auto* bytes = static_cast<const unsigned char*>(data);
    const std::uint16_t magic = read_u16(bytes);
    if (magic != magic_16_channels && magic != magic_32_channels) return ErrorCode::wrong_magic;
    const std::size_t channels = magic == magic_32_channels ? 32 : 16;
    if (size != 8 + 2 * channels) return ErrorCode::wrong_length;

    packet.frame_rate = read_u16(bytes + 2);
    packet.frame_count = read_u32(bytes + 4);
    packet.channels = static_cast<std::uint8_t>(channels);
    for (std::size_t i = 0; i < ServoPacket::max_channels; ++i) {
        packet.pwm[i] = i < channels ? read_u16(bytes + 8 + 2 * i) : std::uint16_t{0};
    }
    return ErrorCode::ok;
}

}  // namespace ap_json
