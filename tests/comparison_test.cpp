// comparison_test.cpp - what counts as a difference: tolerances, angles, signs of quaternions, missing fields.
#include <gmock/gmock.h>

#include <cmath>
#include <comparison.hpp>

#include "flight_maker.hpp"

namespace {

using testing::HasSubstr;

StateAnswer answer(const ap_json::State& state) { return StateLineReader().read(state_line(state)); }

/// The first difference between two states.
std::optional<Difference> difference(const ap_json::State& recorded, const ap_json::State& now,
                                     const std::vector<std::string>& tolerances = {}) {
    Tolerances chosen;
    for (const std::string& text : tolerances) EXPECT_EQ(chosen.set(text), "");
    Comparison comparison(chosen);
    comparison.compare({12, 34, 5.5}, answer(recorded), answer(now));
    return comparison.first();
}

ap_json::State flying() {
    ap_json::State state;
    state.timestamp = 10;
    state.position = {100, 0, -20};
    state.velocity = {1, 2, 3};
    state.attitude = {0.1, 0.2, 3.1};
    return state;
}

TEST(Comparison, TheSameIsTheSame) { EXPECT_FALSE(difference(flying(), flying())); }

TEST(Comparison, NamesTheFirstDifference) {
    ap_json::State now = flying();
    now.velocity.y = 2.5;
    const auto found = difference(flying(), now);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->field, "velocity.east");
    EXPECT_EQ(found->frame.number, 12U);
    EXPECT_EQ(found->frame.count, 34U);
    EXPECT_EQ(found->frame.time, 5.5);
    EXPECT_EQ(found->recorded, 2);
    EXPECT_EQ(found->now, 2.5);
    EXPECT_EQ(found->difference, 0.5);
    EXPECT_EQ(found->unit, "m/s");
}

TEST(Comparison, TolerancesAreRelativeOrOfAField) {
    ap_json::State now = flying();
    now.position.x = 100.00005;
    EXPECT_FALSE(difference(flying(), now)) << "1e-6 of 100 m";
    EXPECT_TRUE(difference(flying(), now, {"1e-7"}));
    EXPECT_TRUE(difference(flying(), now, {"position=1e-6"}));
    now.position.x = 100.4;
    EXPECT_TRUE(difference(flying(), now));
    EXPECT_FALSE(difference(flying(), now, {"position=0.5"}));
    EXPECT_FALSE(difference(flying(), now, {"0.01"}));
    now.gyro.x = 1e-10;
    EXPECT_FALSE(difference(flying(), now, {"0.01"})) << "near zero";
    EXPECT_TRUE(difference(flying(), now, {"position=1", "0"})) << "0: not a bit";
}

TEST(Comparison, ATurnIsNoDifference) {
    constexpr double pi = 3.141592653589793;
    ap_json::State recorded = flying(), now = flying();
    recorded.attitude.yaw = pi - 1e-9;
    now.attitude.yaw = -pi + 1e-9;
    EXPECT_FALSE(difference(recorded, now));
    now.attitude.yaw = 0;
    ASSERT_TRUE(difference(recorded, now));
    EXPECT_NEAR(difference(recorded, now)->difference, pi, 1e-6);
    EXPECT_NEAR(angle_difference(0.1, 0.1 + 20 * pi), 0, 1e-9);
    EXPECT_NEAR(angle_difference(-3, 3), 2 * pi - 6, 1e-12);
}

TEST(Comparison, TheSignOfAQuaternionIsNoDifference) {
    ap_json::State recorded = flying(), now = flying();
    recorded.quaternion = ap_json::Quaternion{0.5, 0.5, -0.5, 0.5};
    now.quaternion = ap_json::Quaternion{-0.5, -0.5, 0.5, -0.5};
    EXPECT_FALSE(difference(recorded, now));
    now.quaternion = ap_json::Quaternion{0.5, 0.5, -0.5, -0.5};
    ASSERT_TRUE(difference(recorded, now));
}

TEST(Comparison, MissingAndAdditionalFieldsAreDifferences) {
    ap_json::State with = flying();
    with.airspeed = 0;
    EXPECT_THAT(difference(with, flying())->problem, HasSubstr("not in the line now"));
    EXPECT_THAT(difference(flying(), with)->problem, HasSubstr("not recorded"));
    EXPECT_EQ(difference(flying(), with)->field, "airspeed");
}

TEST(Comparison, ALineThatSitlRefusesIsADifference) {
    Comparison comparison{Tolerances()};
    comparison.compare({}, answer(flying()), StateLineReader().read("\n{\"timestamp\":1}\n"));
    ASSERT_TRUE(comparison.first());
    EXPECT_THAT(comparison.first()->problem, HasSubstr("would not take it over"));
    EXPECT_EQ(comparison.different_frames(), 1U);
}

TEST(Comparison, ValuesThatAreNoNumbers) {
    const auto read = [](const std::string& north) {
        return StateLineReader().read(
            "\n{\"timestamp\":1,\"imu\":{\"gyro\":[0,0,0],\"accel_body\":[0,0,0]},\"position\":[" + north +
            ",0,0],\"attitude\":[0,0,0],\"velocity\":[0,0,0]}\n");
    };
    Comparison comparison{Tolerances()};
    comparison.compare({}, read("-inf"), read("-inf"));
    EXPECT_FALSE(comparison.first());
    comparison.compare({}, read("1"), read("-inf"));
    ASSERT_TRUE(comparison.first());
    EXPECT_TRUE(std::isinf(comparison.first()->difference));
}

TEST(Comparison, KeepsTheLargestOfEachField) {
    Comparison comparison{Tolerances()};
    ap_json::State now = flying();
    for (int i = 0; i < 10; ++i) {
        now.velocity.z = 3 + (i == 6 ? 2 : 0.1);
        comparison.compare({static_cast<std::uint64_t>(i), 0, 0}, answer(flying()), answer(now));
    }
    EXPECT_EQ(comparison.frames(), 10U);
    EXPECT_EQ(comparison.different_frames(), 10U);
    EXPECT_EQ(comparison.first()->frame.number, 0U);
    for (const FieldResult& field : comparison.fields()) {
        EXPECT_EQ(field.compared, 10U);
        if (field.field != "velocity") continue;
        EXPECT_EQ(field.largest.frame.number, 6U);
        EXPECT_EQ(field.largest.field, "velocity.down");
        EXPECT_EQ(field.different, 10U);
    }
}

TEST(Comparison, ServosWithinMicroseconds) {
    ap_json::ServoPacket recorded, now;
    recorded.pwm[2] = 1500;
    now.pwm[2] = 1501;
    Comparison usual{Tolerances()};
    usual.compare({}, recorded, now);
    EXPECT_FALSE(usual.first());
    Tolerances none;
    EXPECT_EQ(none.set("servo=0"), "");
    Comparison strict{none};
    strict.compare({}, recorded, now);
    ASSERT_TRUE(strict.first());
    EXPECT_EQ(strict.first()->field, "servo 3");
    EXPECT_EQ(strict.fields().size(), 1U);
}

TEST(Tolerances, WhatIsWrongIsSaid) {
    Tolerances tolerances;
    for (const char* bad : {"", "x", "-1", "nan", "inf", "1e-6x", "position=", "position=-1", "=1", "1,5"})
        EXPECT_NE(tolerances.set(bad), "") << bad;
    EXPECT_THAT(tolerances.set("colour=1"), HasSubstr("velocity"));
    for (const char* good : {"0", "1e-6", "gyro=0.1", "imu.gyro=0.1", "windvane.speed=2", "servo=3"})
        EXPECT_EQ(tolerances.set(good), "") << good;
}

}  // namespace
