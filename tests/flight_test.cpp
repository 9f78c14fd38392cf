// flight_test.cpp - from datagrams to frames: which answer belongs to which packet, and what the flight's time is.
#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "flight_maker.hpp"

namespace {

using ap_json::FrameKind;

TEST(Flight, EachPacketHasItsAnswer) {
    FlightAssembler assembler;
    const auto frames = FlightMaker().frame(0, 0.0025).frame(1, 0.005).frame(2, 0.0075).frames(assembler);
    ASSERT_EQ(frames.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_TRUE(frames[i].answered);
        EXPECT_EQ(frames[i].servos.frame_count, i);
        EXPECT_EQ(frames[i].time, 0.0025 * static_cast<double>(i + 1));
        EXPECT_EQ(frames[i].answer.state.timestamp, frames[i].time);
        EXPECT_EQ(frames[i].answered_ns - frames[i].asked_ns, 1000000);
        EXPECT_EQ(frames[i].packet, servo_packet(static_cast<std::uint32_t>(i)));
    }
    EXPECT_EQ(assembler.counts().frames, 3U);
    EXPECT_EQ(assembler.counts().answered, 3U);
    EXPECT_EQ(assembler.counts().repeats + assembler.counts().missed + assembler.counts().extra, 0U);
    EXPECT_EQ(assembler.counts().sitl_peers, std::vector<std::string>{"127.0.0.1:40000"});
}

TEST(Flight, RepetitionsBelongToTheirFrame) {
    FlightAssembler assembler;
    const auto frames =
        FlightMaker().packet(0).packet(0).line(0.1).packet(0).line(0.1).packet(3).line(0.2).line(0.2).frames(
            assembler);
    ASSERT_EQ(frames.size(), 2U);
    EXPECT_EQ(frames[0].repeats, 2U);
    EXPECT_EQ(frames[1].missed, 2U);
    EXPECT_EQ(assembler.counts().repeats, 2U);
    EXPECT_EQ(assembler.counts().missed, 2U);
    EXPECT_EQ(assembler.counts().extra, 1U) << "the second answer to the last packet";
}

TEST(Flight, ARefusedLineIsNotTheAnswer) {
    FlightAssembler assembler;
    const auto frames =
        FlightMaker().packet(0).line("\n{\"timestamp\":1}\n").packet(0).line(0.1).packet(1).frames(assembler);
    ASSERT_EQ(frames.size(), 2U);
    EXPECT_TRUE(frames[0].answered);
    EXPECT_EQ(frames[0].line, state_line(0.1));
    EXPECT_FALSE(frames[1].answered);
    EXPECT_EQ(assembler.counts().refused, 1U);
}

TEST(Flight, WhatATapLostNeverArrived) {
    FlightAssembler assembler;
    const auto frames = FlightMaker()
                            .packet(0, "127.0.0.1:40000", "lost")
                            .packet(0)
                            .line(0.1, "lost")
                            .packet(0)
                            .line(0.1)
                            .frames(assembler);
    ASSERT_EQ(frames.size(), 1U);
    EXPECT_EQ(frames[0].repeats, 1U);
    EXPECT_TRUE(frames[0].answered);
    EXPECT_EQ(assembler.counts().fates.at("lost"), 2U);
}

TEST(Flight, TimeGoesOnOverRestartsAndSteps) {
    FlightAssembler assembler;
    FlightMaker maker;
    maker.frame(0, 1)
        .frame(1, 2)
        .packet(0, "127.0.0.1:40001")
        .line(0.5)
        .packet(1, "127.0.0.1:40001")
        .line(1.5);
    maker.packet(2, "127.0.0.1:40001").line(0.25);  // the backend's time goes back
    maker.packet(3, "127.0.0.1:40001").line(0.5).packet(4, "127.0.0.1:40001").line(1e9);
    const auto frames = maker.frames(assembler);
    ASSERT_EQ(frames.size(), 7U);
    const double expected[] = {1, 2, 2, 3, 3, 3.25, 3.25};
    for (std::size_t i = 0; i < frames.size(); ++i) EXPECT_DOUBLE_EQ(frames[i].time, expected[i]) << i;
    EXPECT_EQ(frames[2].kind, FrameKind::restarted);
    EXPECT_EQ(assembler.counts().restarts, 1U);
    EXPECT_EQ(assembler.counts().time_went_back, 1U);
    EXPECT_EQ(assembler.counts().time_jumped, 1U);
}

TEST(Flight, TimeFromTheUnixEpochBeginsAtZero) {
    const auto frames = FlightMaker().frame(0, 9e8).frame(1, 9e8 + 0.5).frames();
    ASSERT_TRUE(frames[1].answered);
    EXPECT_EQ(frames[0].time, 0);
    EXPECT_EQ(frames[1].time, 0.5);
}

TEST(Flight, RecordingsOfOneSide) {
    FlightAssembler servos(FlightClock::recording);
    const auto asked = FlightMaker().packet(0).packet(1).packet(2).frames(servos);
    ASSERT_EQ(asked.size(), 3U);
    EXPECT_FALSE(asked[2].answered);
    EXPECT_NEAR(asked[2].time, 0.002, 1e-12);

    const auto states = FlightMaker().line(0.1).line(0.2).line("rubbish").frames();
    ASSERT_EQ(states.size(), 2U);
    EXPECT_FALSE(states[1].has_servos);
    EXPECT_EQ(states[1].time, 0.2);
}

TEST(Flight, ALineHasOnlyItsOwnFields) {
    ap_json::State with;
    with.timestamp = 1;
    with.quaternion = ap_json::Quaternion{};
    with.airspeed = 12;
    with.geodetic = ap_json::Geodetic{50, 8, 100};
    const auto frames = FlightMaker().packet(0).line(state_line(with)).frame(1, 2).frames();
    const auto quaternion = static_cast<std::size_t>(find_state_field("quaternion"));
    EXPECT_TRUE(has_field(frames[0].answer.fields, quaternion));
    EXPECT_TRUE(frames[0].answer.state.geodetic);
    EXPECT_FALSE(has_field(frames[1].answer.fields, quaternion));
    EXPECT_FALSE(frames[1].answer.state.quaternion);
    EXPECT_FALSE(frames[1].answer.state.geodetic);
}

/// A hostile line that fills SITL's buffer for ever does not end the reading.
TEST(Flight, LinesAreReadAgainAfterAFullBuffer) {
    FlightMaker maker;
    maker.packet(0);
    for (int i = 0; i < 3; ++i) maker.line(std::string(40000, 'x'));
    const auto frames = maker.line(0.5).frames();
    ASSERT_EQ(frames.size(), 1U);
    EXPECT_TRUE(frames[0].answered);
}

/// Whatever the datagrams are: no crash, and time that never falls.
TEST(Flight, AnythingIsSurvived) {
    std::mt19937 random(7);
    FlightMaker maker;
    const char* numbers[] = {"nan", "-inf", "1e308", "-5", "0.1", "null", "1e400", "17e8"};
    for (int i = 0; i < 4000; ++i) {
        switch (random() % 5) {
            case 0:
                maker.packet(random() % 3 == 0 ? static_cast<std::uint32_t>(random()) : random() % 8,
                             random() % 4 == 0 ? "a" : "b");
                break;
            case 1:
                maker.line(static_cast<double>(random() % 1000) / 10);
                break;
            case 2: {
                std::string line = state_line(1.5);
                const auto at = random() % line.size();
                line.replace(at, random() % 4, numbers[random() % 8]);
                maker.line(line);
                break;
            }
            case 3:
                maker.line(std::string(random() % 50, static_cast<char>(random())));
                break;
            default:
                maker.add(Record::Kind::mark, "", "mark");
        }
    }
    double newest = 0;
    for (const FlightFrame& frame : maker.frames()) {
        ASSERT_TRUE(std::isfinite(frame.time));
        ASSERT_GE(frame.time, newest);
        newest = frame.time;
    }
}

TEST(Flight, EulerAnglesOfAQuaternion) {
    ap_json::State state;
    state.attitude = {0.1, 0.2, 0.3};
    EXPECT_EQ(attitude_of(state).pitch, 0.2);
    state.quaternion = ap_json::Quaternion{std::cos(0.25), 0, 0, std::sin(0.25)};
    EXPECT_NEAR(attitude_of(state).yaw, 0.5, 1e-12);
    EXPECT_NEAR(attitude_of(state).roll, 0, 1e-12);
    state.quaternion = ap_json::Quaternion{std::sqrt(0.5), 0, std::sqrt(0.5), 0};
    EXPECT_NEAR(attitude_of(state).pitch, 1.5707963, 1e-6);
}

}  // namespace
