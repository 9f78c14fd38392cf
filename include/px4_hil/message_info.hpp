// message_info.hpp - the description of each message: name, number, fields. Writing, reading, the checksum's extra byte
// and listings for tools all follow from it. Pure: no socket, no clock, no allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "px4_hil/export.hpp"

namespace px4_hil {

enum class FieldType : std::uint8_t { u8, u16, i16, u32, i32, u64, i64, f32, text };

/// Bytes of one element.
[[nodiscard]] constexpr std::size_t size_of(FieldType type) noexcept {
    constexpr std::size_t sizes[] = {1, 2, 2, 4, 4, 8, 8, 4, 1};
    return sizes[static_cast<std::size_t>(type)];
}

/// One field of a message, in wire order.
struct FieldInfo {
    std::string_view name;  ///< as MAVLink calls it
    FieldType type;
    std::uint8_t count;    ///< elements of an array; 0 = no array
    bool extension;        ///< not part of version 1, nor of the checksum's extra byte
    std::uint16_t member;  ///< offset in the struct of messages.hpp

    /// Bytes on the wire.
    [[nodiscard]] constexpr std::size_t size() const noexcept {
        return size_of(type) * (count == 0 ? 1 : count);
    }
};

struct MessageInfo {
    std::string_view name;  ///< such as "HEARTBEAT"
    std::uint32_t id = 0;
    std::uint8_t crc_extra = 0;  ///< goes into the checksum, so that both sides have the same fields in mind
    std::uint8_t base_size = 0;  ///< bytes of payload without extensions
    std::uint8_t full_size = 0;  ///< bytes of payload with extensions
    std::uint16_t struct_size = 0;  ///< bytes of the struct in messages.hpp
    const FieldInfo* fields = nullptr;
    std::size_t field_count = 0;

    [[nodiscard]] const FieldInfo* begin() const noexcept { return fields; }
    [[nodiscard]] const FieldInfo* end() const noexcept { return fields + field_count; }
};

/// All messages that this library knows, by rising id.
struct MessageTable {
    const MessageInfo* first = nullptr;
    const MessageInfo* last = nullptr;
    [[nodiscard]] const MessageInfo* begin() const noexcept { return first; }
    [[nodiscard]] const MessageInfo* end() const noexcept { return last; }
};
[[nodiscard]] PX4_HIL_API MessageTable all_messages() noexcept;

/// @return null when the message is not known
[[nodiscard]] PX4_HIL_API const MessageInfo* find_message(std::uint32_t id) noexcept;
[[nodiscard]] PX4_HIL_API const MessageInfo* find_message(std::string_view name) noexcept;

/// The largest payload of MAVLink.
constexpr std::size_t max_payload = 255;

/// Writes a message's fields, extensions included, without truncation.
/// @param message  the struct of messages.hpp that `info` describes
/// @param payload  room for info.full_size bytes
PX4_HIL_API void write_payload(const MessageInfo& info, const void* message, unsigned char* payload) noexcept;

/// Reads a payload. What a short one lacks is 0; what a long one has more is ignored.
PX4_HIL_API void read_payload(const MessageInfo& info, const unsigned char* payload, std::size_t size,
                              void* message) noexcept;

/// CRC-16/MCRF4XX, which MAVLink uses; continue from an earlier result by giving it as `crc`.
[[nodiscard]] PX4_HIL_API std::uint16_t crc16(const void* data, std::size_t size,
                                              std::uint16_t crc = 0xFFFF) noexcept;

}  // namespace px4_hil
