// crc.hpp - one byte of MAVLink's checksum, also at compile time. Private to the library.
#pragma once

#include <cstdint>

namespace px4_hil {

constexpr std::uint16_t crc16_byte(std::uint16_t crc, unsigned char byte) noexcept {
    unsigned t = byte ^ (crc & 0xFFU);
    t = (t ^ (t << 4)) & 0xFFU;
    return static_cast<std::uint16_t>((crc >> 8) ^ (t << 8) ^ (t << 3) ^ (t >> 4));
}

}  // namespace px4_hil
