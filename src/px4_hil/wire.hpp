// wire.hpp - what a frame's bytes are called. Private to the library.
#pragma once

#include <cstddef>

namespace px4_hil::wire {

constexpr unsigned char marker_v1 = 0xFE;
constexpr unsigned char marker_v2 = 0xFD;
constexpr unsigned char flag_signed = 0x01;  // the only one of the incompatibility flags
constexpr std::size_t header_v1 = 6;
constexpr std::size_t header_v2 = 10;
constexpr std::size_t checksum_size = 2;

}  // namespace px4_hil::wire
