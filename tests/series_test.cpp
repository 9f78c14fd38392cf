// series_test.cpp - bounded series: no spike is lost, however long they are; order and gaps stay.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <series.hpp>

namespace {

struct Extent {
    double lowest = std::numeric_limits<double>::infinity();
    double highest = -std::numeric_limits<double>::infinity();
    std::size_t points = 0;
};

Extent check_pieces(const std::vector<std::vector<Point>>& pieces) {
    Extent extent;
    double newest = -std::numeric_limits<double>::infinity();
    for (const auto& piece : pieces) {
        for (const Point& point : piece) {
            EXPECT_GE(point.x, newest) << "time never falls";
            newest = point.x;
            extent.lowest = std::min(extent.lowest, point.y);
            extent.highest = std::max(extent.highest, point.y);
            ++extent.points;
        }
    }
    return extent;
}

TEST(MinMaxSeries, KeepsTheExtremesOfAnyLength) {
    std::mt19937 random(1);
    for (const int length : {1, 2, 3, 63, 64, 65, 127, 128, 129, 1000, 4097, 100000}) {
        MinMaxSeries series(64);
        double lowest = 1e9, highest = -1e9, first = 0, last = 0;
        for (int i = 0; i < length; ++i) {
            double y = std::normal_distribution<>()(random);
            if (random() % 1000 == 0) y *= 1000;
            if (i == 0) first = y;
            last = y;
            lowest = std::min(lowest, y);
            highest = std::max(highest, y);
            series.add(i, y);
            if (random() % 50 == 0) series.add_gap();
        }
        const auto pieces = series.pieces();
        const Extent extent = check_pieces(pieces);
        EXPECT_EQ(extent.lowest, lowest);
        EXPECT_EQ(extent.highest, highest);
        EXPECT_EQ(series.lowest(), lowest);
        EXPECT_EQ(series.highest(), highest);
        EXPECT_LE(extent.points, 4U * 64);
        EXPECT_EQ(pieces.front().front().y, first);
        EXPECT_EQ(pieces.back().back().y, last);
        EXPECT_EQ(pieces.back().back().x, length - 1);
        EXPECT_GE(extent.points, std::min<std::size_t>(static_cast<std::size_t>(length), 32));
    }
}

TEST(MinMaxSeries, ShortOnesAreKeptWhole) {
    MinMaxSeries series(64);
    for (int i = 0; i < 60; ++i) series.add(i, i % 7);
    const auto pieces = series.pieces();
    ASSERT_EQ(pieces.size(), 1U);
    ASSERT_EQ(pieces[0].size(), 60U);
    for (int i = 0; i < 60; ++i) EXPECT_EQ(pieces[0][static_cast<std::size_t>(i)].y, i % 7);
}

TEST(MinMaxSeries, GapsStayThroughDecimation) {
    MinMaxSeries series(64);
    for (int i = 0; i < 10000; ++i) {
        if (i == 5001) series.add_gap();
        series.add(i, i < 5001 ? 0 : 100);
    }
    const auto pieces = series.pieces();
    ASSERT_EQ(pieces.size(), 2U);
    EXPECT_EQ(pieces[0].back().y, 0);
    EXPECT_EQ(pieces[1].front().y, 100);
}

/// Gaps without end do not eat up the buckets.
TEST(MinMaxSeries, AGapBeforeEachValueLeavesTheShape) {
    MinMaxSeries series(64);
    for (int i = 0; i < 100000; ++i) {
        series.add_gap();
        series.add(i, i);
    }
    const Extent extent = check_pieces(series.pieces());
    EXPECT_LE(extent.points, 4U * 64);
    EXPECT_GE(extent.points, 32U);
    EXPECT_EQ(extent.highest, 99999);
}

TEST(MinMaxSeries, WhatIsNotFiniteIsAGap) {
    MinMaxSeries series(64);
    series.add(0, 1);
    series.add(1, std::nan(""));
    series.add(2, std::numeric_limits<double>::infinity());
    series.add(std::nan(""), 1);
    series.add(3, 2);
    EXPECT_EQ(series.not_finite(), 3U);
    EXPECT_EQ(series.pieces().size(), 2U);
    EXPECT_EQ(series.highest(), 2);
}

TEST(PathSeries, StaysBoundedAndKeepsItsEnds) {
    PathSeries path(500);
    for (int i = 0; i <= 200000; ++i) path.add(100 * std::cos(i * 1e-3), 100 * std::sin(i * 1e-3));
    std::size_t points = 0;
    double furthest = 0;
    for (const auto& piece : path.pieces()) {
        points += piece.size();
        for (const Point& point : piece)
            furthest = std::max(furthest, std::fabs(std::hypot(point.x, point.y) - 100));
    }
    EXPECT_LE(points, 502U);
    EXPECT_GE(points, 100U);
    EXPECT_LT(furthest, 1e-9);
    EXPECT_EQ(path.pieces().front().front().x, 100);
    EXPECT_NEAR(path.pieces().back().back().y, 100 * std::sin(200.0), 1e-9);
}

TEST(PathSeries, SurvivesAnyValues) {
    PathSeries path(100);
    const double values[] = {0,   1e308,  -1e308, std::nan(""), std::numeric_limits<double>::infinity(),
                             9e8, 1e-300, -9e8};
    std::mt19937 random(2);
    for (int i = 0; i < 20000; ++i) {
        path.add(values[random() % 8], values[random() % 8]);
        if (i % 3 == 0) path.add_gap();
    }
    std::size_t points = 0;
    for (const auto& piece : path.pieces()) points += piece.size();
    EXPECT_LE(points, 102U);
}

TEST(LinkSeries, CountsAndTimesAreKept) {
    LinkSeries link(16);
    for (int i = 0; i < 10000; ++i) {
        const double answer = i == 5000 ? 1.2 : i % 2 == 0 ? 40e-6 : 60e-6;
        link.add(i * 0.0025, std::int64_t{i} * 500000, i == 5000 ? 1 : 0, i == 7000 ? 3 : 0,
                 i == 9999 ? -1 : answer);
    }
    const LinkSeries::Bucket whole = link.whole();
    EXPECT_EQ(whole.frames, 10000U);
    EXPECT_EQ(whole.answered, 9999U);
    EXPECT_EQ(whole.repeats, 1U);
    EXPECT_EQ(whole.missed, 3U);
    EXPECT_EQ(whole.slowest, 1.2);
    EXPECT_EQ(whole.quickest, 40e-6);
    EXPECT_GE(whole.median, 40e-6);
    EXPECT_LE(whole.median, 66e-6);
    EXPECT_NEAR(whole.frames_per_second, 2000, 1e-6);
    EXPECT_NEAR(whole.times_real_time, 5, 1e-6);
    EXPECT_LE(link.buckets().size(), 16U);
    std::uint64_t frames = 0;
    for (const LinkSeries::Bucket& bucket : link.buckets()) {
        frames += bucket.frames;
        EXPECT_NEAR(bucket.frames_per_second, 2000, 1e-6);
    }
    EXPECT_EQ(frames, 10000U);
}

TEST(LinkSeries, NothingAndOne) {
    LinkSeries link;
    EXPECT_TRUE(link.buckets().empty());
    EXPECT_EQ(link.whole().frames, 0U);
    link.add(1, 5, 0, 0, 0);
    ASSERT_EQ(link.buckets().size(), 1U);
    EXPECT_EQ(link.buckets()[0].frames_per_second, 0);
}

}  // namespace
