// disturber_test.cpp - what `ap_json tap` does to datagrams on purpose: each disturbance alone, all together, as often
// as was asked for, the same again with the same seed, and counters that add up.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <disturber.hpp>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using Time = Disturber::Time;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr Time start = 1000s;
constexpr int many = 20000;

struct Left {
    Time time{};
    std::uint64_t route = 0;
    std::string bytes;
    bool operator==(const Left& other) const {
        return time == other.time && route == other.route && bytes == other.bytes;
    }
};

struct Outcome {
    std::vector<std::string> fates;
    std::vector<Left> left;
    DisturbanceCounts counts;
};

void take_all(Disturber& disturber, Time now, std::vector<Left>& left) {
    while (auto each = disturber.take_departure(now)) left.push_back({each->time, each->route, each->bytes});
}

void expect_adds_up(const DisturbanceCounts& c) {
    ASSERT_EQ(c.arrived + c.duplicated, c.lost + c.left + c.waiting);
}

/// A datagram each ms, numbered, then what still waits.
Outcome disturb(const Disturbance& disturbance, std::uint64_t seed = 1, int count = many) {
    Disturber disturber(disturbance, seed, start);
    Outcome run;
    for (int i = 0; i < count; ++i) {
        const Time now = start + i * 1ms;
        run.fates.push_back(
            disturber.arrive(now, static_cast<std::uint64_t>(i % 3), "datagram number " + std::to_string(i)));
        take_all(disturber, now, run.left);
        expect_adds_up(disturber.counts());
    }
    take_all(disturber, start + 1000000s, run.left);
    run.counts = disturber.counts();
    EXPECT_EQ(run.counts.waiting, 0U);
    EXPECT_EQ(run.counts.left, run.left.size());
    expect_adds_up(run.counts);
    return run;
}

std::ptrdiff_t with_fate(const Outcome& run, const std::string& fate) {
    return std::count_if(run.fates.begin(), run.fates.end(),
                         [&](const std::string& each) { return each.find(fate) != std::string::npos; });
}

/// Within four standard deviations of a drawn share.
void expect_share(std::uint64_t count, double share) {
    const double deviation = std::sqrt(many * share * (1 - share));
    EXPECT_NEAR(static_cast<double>(count), many * share, 4 * deviation + 1);
}

Disturbance everything() {
    Disturbance d;
    d.loss = 5;
    d.delay = 3;
    d.jitter = 7;
    d.duplicate = 11;
    d.reorder = 13;
    d.truncate = 17;
    d.flip = 19;
    d.pause_every = 5;
    d.pause_for = 0.5;
    return d;
}

TEST(Disturber, PassesAllOnAsItIsIfNotTold) {
    EXPECT_FALSE(Disturbance().any());
    const Outcome r = disturb({});
    ASSERT_EQ(r.left.size(), std::size_t{many});
    for (int i = 0; i < many; ++i) {
        const auto at = static_cast<std::size_t>(i);
        EXPECT_EQ(r.fates[at], "");
        EXPECT_EQ(r.left[at], (Left{start + i * 1ms, at % 3, "datagram number " + std::to_string(i)}));
    }
}

TEST(Disturber, EmptyAndLargeDatagramsAndAllBytesPass) {
    Disturber disturber({}, 1, start);
    std::string all(65507, '\0');
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<char>(i);
    EXPECT_EQ(disturber.arrive(start, 7, ""), "");
    EXPECT_EQ(disturber.arrive(start, 8, all), "");
    std::vector<Left> left;
    take_all(disturber, start, left);
    EXPECT_THAT(left, ElementsAre(Left{start, 7, ""}, Left{start, 8, all}));
    EXPECT_FALSE(disturber.next_time());
}

TEST(Disturber, TheSameSeedDoesTheSame) {
    const Outcome a = disturb(everything(), 42);
    const Outcome b = disturb(everything(), 42);
    EXPECT_EQ(a.fates, b.fates);
    EXPECT_EQ(a.left, b.left);
    EXPECT_NE(a.fates, disturb(everything(), 43).fates);
}

/// The draws themselves are the same on every machine and with every standard library.
TEST(Disturber, TheSeedMeansTheSameEverywhere) {
    Disturbance d;
    d.loss = 50;
    std::string pattern;
    for (const std::string& fate : disturb(d, 1, 32).fates) pattern += fate.empty() ? '.' : 'x';
    EXPECT_EQ(pattern, "x.xx...x...xx...xx.xxxxx.x.xx...");
}

TEST(Disturber, OneOptionDoesNotChangeWhatAnotherDoes) {
    Disturbance d;
    d.loss = 20;
    const Outcome alone = disturb(d);
    d.delay = 5;
    d.jitter = 5;
    d.duplicate = 30;
    d.flip = 30;
    d.truncate = 30;
    const Outcome together = disturb(d);
    for (std::size_t i = 0; i < alone.fates.size(); ++i)
        ASSERT_EQ(alone.fates[i] == "lost", together.fates[i] == "lost") << i;
}

TEST(Disturber, Loss) {
    Disturbance d;
    d.loss = 20;
    const Outcome r = disturb(d);
    expect_share(r.counts.lost, 0.2);
    EXPECT_EQ(with_fate(r, "lost"), static_cast<std::ptrdiff_t>(r.counts.lost));
    d.loss = 100;
    EXPECT_THAT(disturb(d).left, IsEmpty());
}

TEST(Disturber, Duplicates) {
    Disturbance d;
    d.duplicate = 30;
    const Outcome r = disturb(d);
    expect_share(r.counts.duplicated, 0.3);
    EXPECT_EQ(with_fate(r, "duplicated"), static_cast<std::ptrdiff_t>(r.counts.duplicated));
    std::map<std::string, int> copies;
    for (const Left& each : r.left) ++copies[each.bytes];
    for (std::size_t i = 0; i < r.fates.size(); ++i)
        ASSERT_EQ(copies["datagram number " + std::to_string(i)], r.fates[i].empty() ? 1 : 2);
}

TEST(Disturber, DelayAndJitterKeepTheOrder) {
    Disturbance d;
    d.delay = 20;
    const Outcome steady = disturb(d);
    for (int i = 0; i < many; ++i)
        ASSERT_EQ(steady.left[static_cast<std::size_t>(i)].time, start + (i + 20) * 1ms);
    EXPECT_EQ(steady.counts.delayed, std::uint64_t{many});

    d.jitter = 10;
    const Outcome shaky = disturb(d);
    double sum = 0;
    for (int i = 0; i < many; ++i) {
        const Left& each = shaky.left[static_cast<std::size_t>(i)];
        ASSERT_EQ(each.bytes, "datagram number " + std::to_string(i));
        const double delay = std::chrono::duration<double, std::milli>(each.time - start).count() - i;
        ASSERT_GE(delay, 20);
        ASSERT_LE(delay, 30);
        sum += delay;
    }
    // Later than 25 on average, since none overtakes another.
    EXPECT_GT(sum / many, 25);
    EXPECT_LT(sum / many, 30);
}

TEST(Disturber, AChangeIsForThoseThatArriveLater) {
    Disturbance late;
    late.delay = 20;
    Disturber disturber(late, 1, start);
    EXPECT_EQ(disturber.arrive(start, 0, "a"), "delayed");
    Disturbance lossy;
    lossy.loss = 100;
    disturber.change(lossy);
    EXPECT_EQ(disturber.arrive(start, 0, "b"), "lost");
    disturber.change({});
    EXPECT_EQ(disturber.arrive(start, 0, "c"), "delayed") << "the order stays";
    std::vector<Left> left;
    take_all(disturber, start + 20ms, left);
    EXPECT_THAT(left, ElementsAre(Left{start + 20ms, 0, "a"}, Left{start + 20ms, 0, "c"}));
}

TEST(Disturber, NextTimeSaysWhenToLookAgain) {
    Disturbance d;
    d.delay = 20;
    Disturber disturber(d, 1, start);
    EXPECT_FALSE(disturber.next_time());
    EXPECT_EQ(disturber.arrive(start, 0, "a"), "delayed");
    EXPECT_EQ(disturber.next_time(), start + 20ms);
    EXPECT_FALSE(disturber.take_departure(start + 19999us));
    EXPECT_TRUE(disturber.take_departure(start + 20ms));
    EXPECT_FALSE(disturber.next_time());
}

TEST(Disturber, ReorderedOnesChangePlacesWithTheNext) {
    Disturbance d;
    d.reorder = 30;
    const Outcome r = disturb(d);
    // One that waits already keeps the next from waiting too.
    EXPECT_NEAR(static_cast<double>(r.counts.reordered), many * 0.3 / 1.3, 4 * std::sqrt(many * 0.3));
    std::size_t place = 0;
    for (std::size_t i = 0; i + 1 < r.fates.size(); ++i, ++place) {
        if (r.fates[i] == "reordered") {
            ASSERT_EQ(r.left[place].bytes, "datagram number " + std::to_string(i + 1));
            ASSERT_EQ(r.left[place + 1].bytes, "datagram number " + std::to_string(i));
            ASSERT_EQ(r.left[place].time, r.left[place + 1].time);
            ++i;
            ++place;
        } else {
            ASSERT_EQ(r.left[place].bytes, "datagram number " + std::to_string(i));
        }
    }
}

TEST(Disturber, AReorderedOneDoesNotWaitForEver) {
    Disturbance d;
    d.reorder = 100;
    d.duplicate = 100;
    Disturber disturber(d, 1, start);
    EXPECT_EQ(disturber.arrive(start, 0, "a"), "duplicated,reordered");
    EXPECT_EQ(disturber.next_time(), start + Disturber::longest_hold);
    std::vector<Left> left;
    take_all(disturber, start + Disturber::longest_hold - 1ns, left);
    EXPECT_THAT(left, IsEmpty());
    take_all(disturber, start + Disturber::longest_hold, left);
    EXPECT_THAT(left, ElementsAre(Left{start + Disturber::longest_hold, 0, "a"},
                                  Left{start + Disturber::longest_hold, 0, "a"}));
    expect_adds_up(disturber.counts());
}

TEST(Disturber, TruncatedOnesKeepAtLeastOneByteAndLoseOne) {
    Disturbance d;
    d.truncate = 40;
    const Outcome r = disturb(d);
    expect_share(r.counts.truncated, 0.4);
    std::size_t shortest = 1000;
    std::size_t least_cut = 1000;
    for (std::size_t i = 0; i < r.fates.size(); ++i) {
        const std::string whole = "datagram number " + std::to_string(i);
        const std::string& bytes = r.left[i].bytes;
        ASSERT_EQ(whole.substr(0, bytes.size()), bytes);
        ASSERT_EQ(r.fates[i], bytes == whole ? "" : "truncated");
        shortest = std::min(shortest, bytes.size());
        if (bytes != whole) least_cut = std::min(least_cut, whole.size() - bytes.size());
    }
    EXPECT_EQ(shortest, 1U);
    EXPECT_EQ(least_cut, 1U);
    d.truncate = 100;
    Disturber disturber(d, 1, start);
    EXPECT_EQ(disturber.arrive(start, 0, ""), "");
    EXPECT_EQ(disturber.arrive(start, 0, "x"), "");
    EXPECT_EQ(disturber.arrive(start, 0, "xy"), "truncated");
    EXPECT_EQ(disturber.counts().truncated, 1U);
}

TEST(Disturber, FlippedOnesDifferInOneBitAnywhere) {
    Disturbance d;
    d.flip = 40;
    const Outcome r = disturb(d);
    expect_share(r.counts.flipped, 0.4);
    std::map<std::size_t, int> bits_hit;
    for (std::size_t i = 0; i < r.fates.size(); ++i) {
        const std::string whole = "datagram number " + std::to_string(i);
        ASSERT_EQ(r.left[i].bytes.size(), whole.size());
        int different = 0;
        for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
            const int changed = (r.left[i].bytes[bit / 8] ^ whole[bit / 8]) >> (bit % 8) & 1;
            different += changed;
            if (changed != 0) ++bits_hit[bit];
        }
        ASSERT_EQ(different, r.fates[i] == "flipped" ? 1 : 0);
    }
    EXPECT_GE(bits_hit.size(), 8U * 17) << "some bits are never hit";
    d.flip = 100;
    Disturber disturber(d, 1, start);
    EXPECT_EQ(disturber.arrive(start, 0, ""), "");
    EXPECT_EQ(disturber.counts().flipped, 0U);
}

TEST(Disturber, PausesHoldBackAndThenLetAllGoAtOnce) {
    Disturbance d;
    d.pause_every = 5;
    d.pause_for = 0.5;
    EXPECT_TRUE(d.any());
    const Outcome r = disturb(d);  // 20 s: pauses at 5, 10 and 15 s
    EXPECT_EQ(r.counts.delayed, 3U * 500);
    for (std::size_t i = 0; i < r.left.size(); ++i) {
        const auto ms = static_cast<std::int64_t>(i);
        const bool paused = ms >= 5000 && ms % 5000 < 500;
        ASSERT_EQ(r.left[i].time, start + (paused ? ms / 5000 * 5000 + 500 : ms) * 1ms) << i;
        ASSERT_EQ(r.fates[i], paused ? "delayed" : "");
    }
}

TEST(Disturber, AllTogetherNeverLosesCountOrSendsTooEarly) {
    const Outcome r = disturb(everything());
    EXPECT_TRUE(std::is_sorted(r.left.begin(), r.left.end(),
                               [](const Left& a, const Left& b) { return a.time < b.time; }));
    EXPECT_EQ(r.left.size(), many + r.counts.duplicated - r.counts.lost);
    for (const std::uint64_t count : {r.counts.lost, r.counts.duplicated, r.counts.delayed,
                                      r.counts.reordered, r.counts.truncated, r.counts.flipped})
        EXPECT_GT(count, 100U);
    EXPECT_EQ(with_fate(r, "truncated"), static_cast<std::ptrdiff_t>(r.counts.truncated));
    EXPECT_EQ(with_fate(r, "flipped"), static_cast<std::ptrdiff_t>(r.counts.flipped));
    EXPECT_EQ(with_fate(r, "reordered"), static_cast<std::ptrdiff_t>(r.counts.reordered));
    EXPECT_EQ(with_fate(r, "delayed"), static_cast<std::ptrdiff_t>(r.counts.delayed));
}

/// A flood into a long delay: memory has an end, what is too much is lost and counted.
TEST(Disturber, WhatWaitsHasALimit) {
    Disturbance d;
    d.delay = 60000;
    d.duplicate = 50;
    Disturber disturber(d, 1, start);
    const std::string large(60000, 'x');
    for (int i = 0; i < 2000; ++i) {
        const std::string fate = disturber.arrive(start, 0, large);
        if (disturber.counts().overflowed > 0 && i > 1500) {
            EXPECT_EQ(fate, "lost");
        }
    }
    const DisturbanceCounts c = disturber.counts();
    EXPECT_LE(c.waiting * large.size(), Disturber::most_waiting);
    EXPECT_GT(c.overflowed, 0U);
    EXPECT_EQ(c.lost, c.overflowed);
    expect_adds_up(c);
    std::vector<Left> left;
    take_all(disturber, start + 61s, left);
    EXPECT_EQ(left.size(), c.waiting);
    EXPECT_EQ(disturber.arrive(start + 62s, 0, large).find("lost"), std::string::npos)
        << "there is room again";
}

}  // namespace
