// line_faults.cpp - see line_faults.hpp.
#include "px4_hil/line_faults.hpp"

namespace px4_hil {

/// By splitmix64.
bool LineFaults::happens(double rate) noexcept {
    if (rate <= 0) return false;
    std::uint64_t z = random_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    const bool happened = static_cast<double>((z ^ (z >> 31)) >> 11) / 9007199254740992.0 < rate;
    if (happened) ++faults_;
    return happened;
}

std::vector<unsigned char> LineFaults::spoil(const unsigned char* data, std::size_t size) {
    std::vector<unsigned char> arriving;
    arriving.reserve(size);
    for (std::size_t i = 0; i < size; ++i) {
        if (happens(rates_.lost)) continue;
        unsigned char byte = data[i];
        if (happens(rates_.flipped)) byte ^= static_cast<unsigned char>(1U << (random_ >> 40 & 7));
        arriving.push_back(byte);
        if (happens(rates_.doubled)) arriving.push_back(byte);
    }
    return arriving;
}

}  // namespace px4_hil
