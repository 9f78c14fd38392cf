// series.cpp - see series.hpp.
#include "series.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace {

constexpr double furthest_place = 1e9;    // m
constexpr double shortest_answer = 1e-7;  // s, where the histogram begins

/// Halves a list by joining neighbours.
template <class Item, class Merge>
void join_pairs(std::vector<Item>& items, const Merge& merge) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < items.size(); i += 2) {
        if (kept != i) items[kept] = items[i];
        if (i + 1 < items.size()) merge(items[kept], items[i + 1]);
        ++kept;
    }
    items.resize(kept);
}

}  // namespace

// ---- MinMaxSeries

void MinMaxSeries::add(double x, double y) {
    if (!std::isfinite(x) || !std::isfinite(y)) {
        ++not_finite_;
        gap_ = true;
        return;
    }
    const Point point{x, y};
    lowest_ = buckets_.empty() ? y : std::min(lowest_, y);
    highest_ = buckets_.empty() ? y : std::max(highest_, y);
    // A gap ends a bucket early, but not so often that the buckets run out.
    const bool gap_counts = gap_ && gaps_ < most_buckets_ / 8;
    if (buckets_.empty() || values_in_last_ >= values_per_bucket_ || gap_counts) {
        if (buckets_.size() >= most_buckets_) merge_pairs();
        if (gap_) ++gaps_;
        buckets_.push_back({point, point, point, point, gap_});
        values_in_last_ = 1;
    } else {
        Bucket& last = buckets_.back();
        if (y < last.lowest.y) last.lowest = point;
        if (y > last.highest.y) last.highest = point;
        last.last = point;
        ++values_in_last_;
    }
    gap_ = false;
}

void MinMaxSeries::merge_pairs() {
    std::vector<Bucket> kept;
    kept.reserve(most_buckets_);
    gaps_ = 0;
    bool joined = true;  // whether the last one kept is a pair
    for (const Bucket& bucket : buckets_) {
        const bool keep_gap = bucket.gap_before && gaps_ < most_buckets_ / 8;
        if (joined || keep_gap) {
            kept.push_back(bucket);
            if (bucket.gap_before) ++gaps_;
            joined = false;
            continue;
        }
        Bucket& into = kept.back();
        if (bucket.lowest.y < into.lowest.y) into.lowest = bucket.lowest;
        if (bucket.highest.y > into.highest.y) into.highest = bucket.highest;
        into.last = bucket.last;
        joined = true;
    }
    buckets_ = std::move(kept);
    values_per_bucket_ *= 2;
    values_in_last_ = values_per_bucket_;
}

std::vector<std::vector<Point>> MinMaxSeries::pieces() const {
    std::vector<std::vector<Point>> all;
    for (const Bucket& bucket : buckets_) {
        if (all.empty() || bucket.gap_before) all.emplace_back();
        std::vector<Point>& line = all.back();
        const bool lowest_first = bucket.lowest.x <= bucket.highest.x;
        const Point order[] = {bucket.first, lowest_first ? bucket.lowest : bucket.highest,
                               lowest_first ? bucket.highest : bucket.lowest, bucket.last};
        for (const Point& point : order) {
            if (line.empty() || line.back().x != point.x || line.back().y != point.y) line.push_back(point);
        }
    }
    return all;
}

// ---- PathSeries

bool PathSeries::is_far(const Place& from, const Point& to) const {
    return std::hypot(to.x - from.point.x, to.y - from.point.y) >= spacing_;
}

void PathSeries::add(double x, double y) {
    if (!(std::fabs(x) < furthest_place && std::fabs(y) < furthest_place)) {
        gap_ = true;
        return;
    }
    newest_ = {{x, y}, gap_};
    if (!points_.empty() && !gap_ && !is_far(points_.back(), newest_.point)) return;
    points_.push_back(newest_);
    gap_ = false;
    while (points_.size() > most_points_) thin_out();
}

void PathSeries::thin_out() {
    spacing_ *= 2;
    std::vector<Place> kept;
    bool gap = false;
    for (const Place& place : points_) {
        // Gaps are given up when there are too many of them to keep.
        const bool keep_gap = place.gap_before && spacing_ < 1;
        gap = gap || place.gap_before;
        if (!kept.empty() && !keep_gap && !is_far(kept.back(), place.point)) continue;
        kept.push_back({place.point, gap});
        gap = false;
    }
    points_ = std::move(kept);
}

std::vector<std::vector<Point>> PathSeries::pieces() const {
    std::vector<std::vector<Point>> all;
    for (const Place& place : points_) {
        if (all.empty() || place.gap_before) all.emplace_back();
        all.back().push_back(place.point);
    }
    if (!all.empty()) all.back().push_back(newest_.point);  // where it ended, to the millimetre
    return all;
}

// ---- LinkSeries

void LinkSeries::add(double time, std::int64_t ns, std::uint32_t repeats, std::uint32_t missed,
                     double answer_time) {
    if (entries_.empty() || entries_.back().bucket.frames >= frames_per_bucket_) {
        if (entries_.size() == most_buckets_) {
            join_pairs(entries_, merge);
            frames_per_bucket_ *= 2;
        }
        entries_.emplace_back();
    }
    Bucket one;
    one.begin = one.end = time;
    one.begin_ns = one.end_ns = ns;
    one.frames = 1;
    one.repeats = repeats;
    one.missed = missed;
    if (answer_time >= 0) {
        one.answered = 1;
        one.quickest = one.slowest = answer_time;
        const double place =
            std::log10(std::max(answer_time, shortest_answer) / shortest_answer) * per_decade;
        const double last_place = per_decade * decades - 1;
        ++entries_.back().answer_times[static_cast<std::size_t>(std::clamp(place, 0.0, last_place))];
    }
    add_counts(entries_.back().bucket, one);
}

void LinkSeries::add_counts(Bucket& into, const Bucket& from) {
    if (into.frames == 0) {
        into.begin = from.begin;
        into.begin_ns = from.begin_ns;
    }
    into.end = from.end;
    into.end_ns = from.end_ns;
    if (from.answered > 0) {
        into.quickest = into.answered == 0 ? from.quickest : std::min(into.quickest, from.quickest);
        into.slowest = std::max(into.slowest, from.slowest);
    }
    into.frames += from.frames;
    into.repeats += from.repeats;
    into.missed += from.missed;
    into.answered += from.answered;
}

void LinkSeries::merge(Entry& into, const Entry& from) {
    add_counts(into.bucket, from.bucket);
    for (std::size_t i = 0; i < into.answer_times.size(); ++i) into.answer_times[i] += from.answer_times[i];
}

/// @param next  what follows it; null at the end
LinkSeries::Bucket LinkSeries::finished(const Entry& entry, const Entry* next) {
    Bucket bucket = entry.bucket;
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < entry.answer_times.size() && bucket.answered > 0; ++i) {
        before += entry.answer_times[i];
        if (2 * before < bucket.answered) continue;
        bucket.median = shortest_answer * std::pow(10.0, (static_cast<double>(i) + 0.5) / per_decade);
        bucket.median = std::clamp(bucket.median, bucket.quickest, bucket.slowest);
        break;
    }
    // n frames take n intervals if the next one is known, n - 1 if not.
    const auto intervals = static_cast<double>(next != nullptr ? bucket.frames : bucket.frames - 1);
    const double real =
        static_cast<double>((next != nullptr ? next->bucket.begin_ns : bucket.end_ns) - bucket.begin_ns) /
        1e9;
    if (real > 0) {
        bucket.frames_per_second = intervals / real;
        bucket.times_real_time = ((next != nullptr ? next->bucket.begin : bucket.end) - bucket.begin) / real;
    }
    return bucket;
}

std::vector<LinkSeries::Bucket> LinkSeries::buckets() const {
    std::vector<Bucket> all;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        all.push_back(finished(entries_[i], i + 1 < entries_.size() ? &entries_[i + 1] : nullptr));
    }
    return all;
}

LinkSeries::Bucket LinkSeries::whole() const {
    Entry all;
    for (const Entry& entry : entries_) merge(all, entry);
    return finished(all, nullptr);
}
