// frame_tracker_test.cpp - what each frame count means, at the edges of 32 bits as elsewhere.
#include <gmock/gmock.h>

#include <ap_json/frame_tracker.hpp>
#include <random>
#include <utility>

namespace {

using ap_json::FrameKind;
using ap_json::FrameTracker;

FrameTracker at(std::uint32_t count) {
    FrameTracker tracker;
    tracker.track(count);
    return tracker;
}

TEST(FrameTracker, FirstWhateverTheCount) {
    for (std::uint32_t count : {0U, 1U, 5000U, 0x80000000U, 0xFFFFFFFFU}) {
        FrameTracker tracker;
        EXPECT_EQ(tracker.track(count).kind, FrameKind::first) << count;
        EXPECT_EQ(tracker.track(count).kind, FrameKind::repeated) << count;
        tracker.reset();
        EXPECT_EQ(tracker.track(count).kind, FrameKind::first) << count;
    }
}

/// From every kind of place on the circle of 2^32: next, repeated, missed n.
TEST(FrameTracker, CountsModulo32Bits) {
    std::mt19937 engine(1);
    const auto random = [&engine] { return static_cast<std::uint32_t>(engine()); };
    for (int round = 0; round < 20000; ++round) {
        const std::uint32_t last = round % 3 == 0 ? random() : 0xFFFFFFFFU - random() % 5;
        EXPECT_EQ(at(last).classify(last).kind, FrameKind::repeated);
        EXPECT_EQ(at(last).classify(last + 1).kind, FrameKind::next);
        const std::uint32_t ahead = 2 + random() % 0x7FFFFFF0U;
        const auto verdict = at(last).classify(last + ahead);
        EXPECT_EQ(verdict.kind, FrameKind::missed) << last << " " << ahead;
        EXPECT_EQ(verdict.missed, ahead - 1) << last << " " << ahead;
    }
}

TEST(FrameTracker, WrapsRound) {
    FrameTracker tracker = at(0xFFFFFFFEU);
    EXPECT_EQ(tracker.track(0xFFFFFFFFU).kind, FrameKind::next);
    EXPECT_EQ(tracker.track(0).kind, FrameKind::next);
    EXPECT_EQ(tracker.track(1).kind, FrameKind::next);
}

TEST(FrameTracker, ZeroAfterMoreIsARestart) {
    for (std::uint32_t last : {1U, 2U, 16U, 17U, 100000U, 0x7FFFFFFFU}) {
        FrameTracker tracker = at(last);
        EXPECT_EQ(tracker.track(0).kind, FrameKind::restarted) << last;
        EXPECT_EQ(tracker.track(1).kind, FrameKind::next) << last;
    }
}

TEST(FrameTracker, OvertakenPacketsAreStaleAndForgotten) {
    FrameTracker tracker = at(1000);
    for (std::uint32_t count = 1; count < 1000; ++count) {
        EXPECT_EQ(tracker.track(count).kind, FrameKind::stale) << count;
    }
    EXPECT_EQ(tracker.track(1001).kind, FrameKind::next);
}

/// Counts that keep changing are late copies, however many; one that insists is a question.
TEST(FrameTracker, OnlyACountThatInsistsIsBelieved) {
    std::mt19937 engine(3);
    FrameTracker tracker = at(5000);
    std::uint32_t last = 0;
    int in_row = 0;
    for (int round = 0; round < 20000; ++round) {
        const auto count = static_cast<std::uint32_t>(1 + engine() % 3);
        in_row = count == last ? in_row + 1 : 1;
        last = count;
        const bool insists = in_row > FrameTracker::most_stale_in_row;
        ASSERT_EQ(tracker.track(count).kind, insists ? FrameKind::restarted : FrameKind::stale) << round;
        if (insists) {
            tracker = at(5000);
            last = 0;
        }
    }
}

/// A packet of another ArduPilot on the same port must not reset a vehicle, neither when it comes nor after it.
TEST(FrameTracker, AnotherArduPilotChangesNothing) {
    for (std::uint32_t foreign : {1U, 97U, 98U, 101U, 102U, 5000U, 0x7FFFFFFFU, 0x80000063U, 0xFFFFFFFFU}) {
        FrameTracker tracker = at(99);
        for (std::uint32_t own = 100; own < 120; ++own) {
            const std::uint32_t moving = foreign + (own - 100);  // it may have a backend of its own
            if (moving - (own - 1) > 1 && moving != 0) {
                EXPECT_EQ(tracker.track(moving, false).kind, FrameKind::stale) << moving;
            }
            EXPECT_EQ(tracker.track(own, true).kind, FrameKind::next) << foreign << " " << own;
        }
    }
}

/// Otherwise an ArduPilot that was rebooted after a few frames, and whose packet 0 was lost, would never be
/// answered.
TEST(FrameTracker, WhatKeepsComingIsNotOvertaken) {
    FrameTracker tracker = at(10);
    for (int copy = 0; copy < FrameTracker::most_stale_in_row; ++copy) {
        EXPECT_EQ(tracker.track(1).kind, FrameKind::stale);
    }
    EXPECT_EQ(tracker.track(1).kind, FrameKind::restarted);
    EXPECT_EQ(tracker.track(2).kind, FrameKind::next);
    for (int round = 0; round < 10; ++round) {  // never three in a row
        EXPECT_EQ(tracker.track(static_cast<std::uint32_t>(3 + round)).kind, FrameKind::next);
        EXPECT_EQ(tracker.track(static_cast<std::uint32_t>(2 + round)).kind, FrameKind::stale);
        EXPECT_EQ(tracker.track(static_cast<std::uint32_t>(2 + round)).kind, FrameKind::stale);
    }
}

TEST(FrameTracker, ANewPortWithTheCount0IsARestart) {
    EXPECT_EQ(at(1000).classify(0, false).kind, FrameKind::restarted);
    EXPECT_EQ(at(0).classify(0, false).kind, FrameKind::restarted)
        << "the one before died before it was answered";
    EXPECT_EQ(at(0xFFFFFFFFU).classify(0, false).kind, FrameKind::restarted) << "not a wrap: another process";
}

TEST(FrameTracker, HalfTheCircleAheadIsBehind) {
    for (std::uint32_t last : {0U, 5U, 0x80000000U, 0xFFFFFFFFU}) {
        EXPECT_EQ(at(last).classify(last + 0x7FFFFFFFU).kind, FrameKind::missed) << last;
        const FrameKind behind = last == 0x80000000U ? FrameKind::restarted : FrameKind::stale;
        EXPECT_EQ(at(last).classify(last + 0x80000000U).kind, behind) << last;
        EXPECT_EQ(at(last).classify(last + 0x80000000U, false).kind, behind) << last;
    }
}

TEST(FrameTracker, ANewPortThatGoesOnIsTheSameAutopilot) {
    EXPECT_EQ(at(1000).classify(1000, false).kind, FrameKind::repeated);
    EXPECT_EQ(at(1000).classify(1001, false).kind, FrameKind::next);
}

TEST(FrameTracker, ClassifyRemembersNothing) {
    const FrameTracker tracker = at(5);
    EXPECT_EQ(tracker.classify(6).kind, FrameKind::next);
    EXPECT_EQ(tracker.classify(6).kind, FrameKind::next);
}

/// "In a row" means that nothing that went on came between, however often it came before.
TEST(FrameTracker, AFrameThatGoesOnEndsTheRow) {
    FrameTracker tracker = at(10);
    for (std::uint32_t own = 11; own < 15; ++own) {
        for (int copy = 0; copy < FrameTracker::most_stale_in_row; ++copy) {
            EXPECT_EQ(tracker.track(1).kind, FrameKind::stale) << own << " " << copy;
        }
        EXPECT_EQ(tracker.track(own).kind, FrameKind::next) << own;
    }
}

TEST(FrameTracker, OnlyAGapHasMissingFrames) {
    FrameTracker tracker;
    for (const auto& [count, same_sender] :
         {std::pair{7U, true}, {7U, true}, {8U, true}, {5U, true}, {0U, true}, {0U, false}, {1U, true}}) {
        const auto verdict = tracker.track(count, same_sender);
        EXPECT_EQ(verdict.missed, 0U) << to_string(verdict.kind);
    }
    EXPECT_EQ(tracker.track(4).missed, 2U);
}

TEST(FrameTracker, EachKindHasItsName) {
    const std::pair<FrameKind, const char*> names[] = {
        {FrameKind::first, "first"},   {FrameKind::next, "next"},           {FrameKind::repeated, "repeated"},
        {FrameKind::missed, "missed"}, {FrameKind::restarted, "restarted"}, {FrameKind::stale, "stale"}};
    for (const auto& [kind, name] : names) EXPECT_STREQ(to_string(kind), name);
    EXPECT_STREQ(to_string(static_cast<FrameKind>(99)), "unknown");
}

}  // namespace
