// servo_packet.cpp - fuzzes decode(): what it takes is all there and comes back byte for byte; what it refuses gets the
// documented code and changes nothing.
#include <ap_json/servo_packet.hpp>
#include <vector>

#include "fuzz.hpp"

using ap_json::ErrorCode;
using ap_json::ServoPacket;

namespace {

unsigned u16(const std::uint8_t* bytes) { return bytes[0] | unsigned{bytes[1]} << 8; }

/// By the documentation of decode().
ErrorCode expected_code(const std::uint8_t* data, std::size_t size) {
    if (size != ap_json::servo_packet_size_16 && size != ap_json::servo_packet_size_32)
        return ErrorCode::wrong_length;
    const unsigned magic = u16(data);
    if (magic != ap_json::magic_16_channels && magic != ap_json::magic_32_channels)
        return ErrorCode::wrong_magic;
    const bool is_long = size == ap_json::servo_packet_size_32;
    return is_long == (magic == ap_json::magic_32_channels) ? ErrorCode::ok : ErrorCode::wrong_length;
}

std::vector<std::uint8_t> written(const ServoPacket& packet) {
    std::vector<std::uint8_t> bytes;
    const auto put = [&bytes](unsigned value) {
        bytes.push_back(static_cast<std::uint8_t>(value & 255));
        bytes.push_back(static_cast<std::uint8_t>(value >> 8 & 255));
    };
    put(packet.channels == 32 ? ap_json::magic_32_channels : ap_json::magic_16_channels);
    put(packet.frame_rate);
    put(packet.frame_count & 0xFFFF);
    put(packet.frame_count >> 16);
    for (int i = 1; i <= packet.channels; ++i) put(packet.servo(i));
    return bytes;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ServoPacket packet;
    packet.frame_count = 77;
    packet.pwm.fill(78);
    const ServoPacket before = packet;
    const ErrorCode code = ap_json::decode(data, size, packet);
    fuzz::check(code == expected_code(data, size), "the code is the documented one");
    if (code != ErrorCode::ok) {
        fuzz::check(packet.frame_count == before.frame_count && packet.pwm == before.pwm &&
                        packet.channels == before.channels && packet.frame_rate == before.frame_rate,
                    "what is refused leaves the packet untouched");
        return 0;
    }
    fuzz::check(written(packet) == std::vector<std::uint8_t>(data, data + size), "there and back");
    for (int i = packet.channels + 1; i <= 33; ++i)
        fuzz::check(packet.servo(i) == 0, "channels that are not there are 0");
    fuzz::check(packet.servo(0) == 0 && packet.servo(-1) == 0, "servos are counted from 1");
    return 0;
}
