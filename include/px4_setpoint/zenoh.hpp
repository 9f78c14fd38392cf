// zenoh.hpp - what goes with a sample over Zenoh: the attachment that PX4 and ROS 2's rmw_zenoh send. There is no Zenoh
// transport in this library; the key is in names.hpp, the payload in cdr.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "px4_setpoint/export.hpp"

namespace px4_setpoint {

struct ZenohAttachment {
    std::int64_t sequence_number = 0;    ///< the first sample has 1
    std::int64_t time = 0;               ///< PX4 sends us of its own clock, rmw_zenoh ns since 1970
    std::array<std::uint8_t, 16> gid{};  ///< who sends: PX4's board id, or any 16 bytes that stay the same
};

inline constexpr std::size_t zenoh_attachment_size = 33;

[[nodiscard]] PX4_SETPOINT_API std::array<std::uint8_t, zenoh_attachment_size> encode(
    const ZenohAttachment& attachment) noexcept;

/// False, and `attachment` unchanged, for bytes that are not one: another size, or another length of the gid than 16.
[[nodiscard]] PX4_SETPOINT_API bool decode(const void* data, std::size_t size,
                                           ZenohAttachment& attachment) noexcept;

}  // namespace px4_setpoint
