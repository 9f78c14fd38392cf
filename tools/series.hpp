// series.hpp - measurements over time in bounded memory: however many come, a bounded number of buckets keeps their
// smallest and largest values, so that no spike is lost. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

struct Point {
    double x = 0;
    double y = 0;
};

/// One quantity. What is not finite is counted and breaks the line.
class MinMaxSeries {
  public:
    /// @param most_buckets  at least 16
    explicit MinMaxSeries(std::size_t most_buckets = 512) : most_buckets_(most_buckets) {}

    /// @param x  must not fall
    void add(double x, double y);

    /// The next value is not joined to the one before.
    void add_gap() { gap_ = true; }

    /// Pieces of the line through the smallest and largest value of each bucket, and the very first and last.
    [[nodiscard]] std::vector<std::vector<Point>> pieces() const;

    [[nodiscard]] bool empty() const { return buckets_.empty(); }
    [[nodiscard]] double lowest() const { return lowest_; }    ///< 0 when empty
    [[nodiscard]] double highest() const { return highest_; }  ///< 0 when empty
    [[nodiscard]] std::uint64_t not_finite() const { return not_finite_; }

  private:
    struct Bucket {
        Point first, lowest, highest, last;
        bool gap_before = false;
    };

    void merge_pairs();

    std::size_t most_buckets_;
    std::vector<Bucket> buckets_;
    std::uint64_t values_per_bucket_ = 1;
    std::uint64_t values_in_last_ = 0;
    std::size_t gaps_ = 0;  // among the buckets
    bool gap_ = false;
    double lowest_ = 0;
    double highest_ = 0;
    std::uint64_t not_finite_ = 0;
};

/// A path over the ground: keeps a point when it is far enough from the one kept before, and doubles what is far enough
/// when there are too many.
class PathSeries {
  public:
    explicit PathSeries(std::size_t most_points = 4000) : most_points_(most_points) {}

    /// What is not finite, or further than a million kilometres, breaks the path.
    void add(double x, double y);
    void add_gap() { gap_ = true; }

    [[nodiscard]] std::vector<std::vector<Point>> pieces() const;
    [[nodiscard]] bool empty() const { return points_.empty(); }

  private:
    struct Place {
        Point point;
        bool gap_before = false;
    };

    [[nodiscard]] bool is_far(const Place& from, const Point& to) const;
    void thin_out();

    std::size_t most_points_;
    double spacing_ = 1e-3;
    std::vector<Place> points_;
    Place newest_;
    bool gap_ = false;
};

/// How well the link did, in buckets of frames.
class LinkSeries {
  public:
    struct Bucket {
        double begin = 0, end = 0;              // s, the flight's time at the first and last frame
        std::int64_t begin_ns = 0, end_ns = 0;  // the recorder's
        std::uint64_t frames = 0;               // 0 only in a new one
        std::uint64_t repeats = 0, missed = 0;
        std::uint64_t answered = 0;
        double quickest = 0, median = 0,
               slowest = 0;            // s from the packet to the answer; the median within 8 %
        double frames_per_second = 0;  // of real time
        double times_real_time = 0;    // simulated seconds per real second
    };

    explicit LinkSeries(std::size_t most_buckets = 240) : most_buckets_(most_buckets) {}

    /// @param answer_time  s; negative = there was no answer
    void add(double time, std::int64_t ns, std::uint32_t repeats, std::uint32_t missed, double answer_time);

    [[nodiscard]] std::vector<Bucket> buckets() const;

    /// Of all.
    [[nodiscard]] Bucket whole() const;

  private:
    static constexpr int per_decade = 16;
    static constexpr int decades = 10;  // from 100 ns on
    using Histogram = std::array<std::uint32_t, per_decade * decades>;
    struct Entry {
        Bucket bucket;
        Histogram answer_times{};
    };

    static void add_counts(Bucket& into, const Bucket& from);
    static void merge(Entry& into, const Entry& from);
    static Bucket finished(const Entry& entry, const Entry* next);

    std::size_t most_buckets_;
    std::uint64_t frames_per_bucket_ = 1;
    std::vector<Entry> entries_;
};
