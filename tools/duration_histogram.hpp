// duration_histogram.hpp - percentiles of durations in little memory: counts in classes that are 3 percent
// wide.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>

class DurationHistogram {
  public:
    void add(std::chrono::nanoseconds duration) {
        const auto ns = static_cast<std::uint64_t>(std::max<std::int64_t>(duration.count(), 0));
        ++classes_[class_of(ns)];
        ++count_;
        max_ = std::max(max_, ns);
    }

    void add(const DurationHistogram& other) {
        for (std::size_t i = 0; i < classes_.size(); ++i) classes_[i] += other.classes_[i];
        count_ += other.count_;
        max_ = std::max(max_, other.max_);
    }

    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] std::chrono::nanoseconds max() const { return nanoseconds(max_); }

    /// The duration that this share (0 to 1) of all does not exceed, within 3 percent. 0 when there is none.
    [[nodiscard]] std::chrono::nanoseconds quantile(double share) const {
        const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
        std::uint64_t seen = 0;
        for (std::size_t i = 0; i < classes_.size(); ++i) {
            seen += classes_[i];
            if (seen >= wanted && seen > 0) return nanoseconds(std::min(middle_of(i), max_));
        }
        return nanoseconds(max_);
    }

  private:
    // Below 64 ns each value has a class; above, each power of two has 32 of them. The last holds all from
    // 2^41 ns (37 minutes) on.
    static constexpr unsigned sub_bits = 5;
    static constexpr unsigned octaves = 36;

    static std::chrono::nanoseconds nanoseconds(std::uint64_t ns) {
        return std::chrono::nanoseconds(static_cast<std::int64_t>(ns));
    }

    static std::size_t class_of(std::uint64_t ns) {
        unsigned shift = 0;
        while ((ns >> shift) >= (std::uint64_t{2} << sub_bits)) ++shift;
        if (shift >= octaves) return (std::size_t{octaves} << sub_bits) + (std::size_t{1} << sub_bits) - 1;
        return (std::size_t{shift} << sub_bits) + static_cast<std::size_t>(ns >> shift);
    }

    static std::uint64_t middle_of(std::size_t index) {
        if (index < (std::size_t{2} << sub_bits)) return index;
        const std::size_t shift = (index >> sub_bits) - 1;
        const std::uint64_t lowest = (std::uint64_t{index} - (shift << sub_bits)) << shift;
        return lowest + (std::uint64_t{1} << shift) / 2;
    }

    std::array<std::uint64_t, (octaves + 1U) << sub_bits> classes_{};
    std::uint64_t count_ = 0;
    std::uint64_t max_ = 0;  // ns
};
