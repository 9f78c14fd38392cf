// zenoh.cpp - the attachment as bytes: two numbers, low byte first, then the length of the id and the id.
#include "px4_setpoint/zenoh.hpp"

#include <algorithm>

namespace px4_setpoint {
namespace {

constexpr std::size_t length_at = 16;
constexpr std::size_t gid_at = 17;

void put(std::uint8_t* bytes, std::int64_t number) {
    for (unsigned i = 0; i < 8; ++i)
        bytes[i] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(number) >> (8 * i));
}

std::int64_t get(const std::uint8_t* bytes) {
    std::uint64_t number = 0;
    for (unsigned i = 0; i < 8; ++i) number |= std::uint64_t{bytes[i]} << (8 * i);
    return static_cast<std::int64_t>(number);
}

}  // namespace

std::array<std::uint8_t, zenoh_attachment_size> encode(const ZenohAttachment& attachment) noexcept {
    std::array<std::uint8_t, zenoh_attachment_size> bytes{};
    put(bytes.data(), attachment.sequence_number);
    put(bytes.data() + 8, attachment.time);
    bytes[length_at] = static_cast<std::uint8_t>(attachment.gid.size());
    std::copy(attachment.gid.begin(), attachment.gid.end(), bytes.begin() + gid_at);
    return bytes;
}

bool decode(const void* data, std::size_t size, ZenohAttachment& attachment) noexcept {
    const auto* bytes = static_cast<const std::uint8_t*>(data);
    if (size != zenoh_attachment_size || bytes[length_at] != attachment.gid.size()) return false;
    attachment.sequence_number = get(bytes);
    attachment.time = get(bytes + 8);
    std::copy(bytes + gid_at, bytes + size, attachment.gid.begin());
    return true;
}

}  // namespace px4_setpoint
