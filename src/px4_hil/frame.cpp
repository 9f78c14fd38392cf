// frame.cpp - see frame.hpp.
#include "px4_hil/frame.hpp"

#include "crc.hpp"
#include "wire.hpp"

namespace px4_hil {

EncodedFrame FrameEncoder::encode(const MessageInfo& info, const void* message) noexcept {
    EncodedFrame frame;
    const bool v1 = version_ == MavlinkVersion::v1;
    if (v1 && info.id > 0xFF) return frame;

    unsigned char payload[max_payload];
    write_payload(info, message, payload);
    std::size_t size = v1 ? info.base_size : info.full_size;
    while (!v1 && size > 1 && payload[size - 1] == 0) --size;

    unsigned char* const begin = frame.data();
    unsigned char* to = begin;
    const auto put = [&to](std::size_t byte) { *to++ = static_cast<unsigned char>(byte & 0xFF); };
    put(v1 ? wire::marker_v1 : wire::marker_v2);
    put(size);
    if (!v1) {
        put(signer_ ? wire::flag_signed : 0);
        put(0);
    }
    put(sequence_++);
    put(sender_.system);
    put(sender_.component);
    put(info.id);
    if (!v1) {
        put(info.id >> 8);
        put(info.id >> 16);
    }
    std::memcpy(to, payload, size);
    to += size;
    const std::uint16_t crc =
        crc16_byte(crc16(begin + 1, static_cast<std::size_t>(to - begin) - 1), info.crc_extra);
    put(crc);
    put(crc >> 8U);
    frame.resize(static_cast<std::size_t>(to - begin));
    if (!v1 && signer_) {
        write_signature(*signer_, begin, frame.size());
        frame.resize(frame.size() + signature_size);
    }
    return frame;
}

}  // namespace px4_hil
