// line_faults.hpp - spoils bytes as a bad serial line does, repeatably. Part of the target ap_json::px4_stand_in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "px4_hil/export.hpp"

namespace px4_hil {

/// How often, for each byte: 0 = never, 1 = always.
struct FaultRates {
    double lost = 0;     ///< the byte does not arrive
    double doubled = 0;  ///< it arrives twice
    double flipped = 0;  ///< one of its bits is wrong
};

class PX4_HIL_API LineFaults {
  public:
    explicit LineFaults(const FaultRates& rates = {}, std::uint64_t seed = 1) noexcept
        : rates_(rates), random_(seed) {}

    /// What arrives of these bytes.
    [[nodiscard]] std::vector<unsigned char> spoil(const unsigned char* data, std::size_t size);

    /// Bytes spoilt so far.
    [[nodiscard]] std::uint64_t faults() const noexcept { return faults_; }

  private:
    bool happens(double rate) noexcept;

    FaultRates rates_;
    std::uint64_t random_;
    std::uint64_t faults_ = 0;
};

}  // namespace px4_hil
