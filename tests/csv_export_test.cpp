// csv_export_test.cpp - the table: what is read back from it is what was in the flight.
#include <gmock/gmock.h>

#include <algorithm>
#include <clocale>
#include <cstdlib>
#include <csv_export.hpp>
#include <random>
#include <set>

#include "flight_maker.hpp"

namespace {

std::vector<std::string> cells(const std::string& row) {
    EXPECT_EQ(row.back(), '\n');
    std::vector<std::string> all(1);
    for (const char c : row.substr(0, row.size() - 1)) {
        if (c == ',') {
            all.emplace_back();
        } else {
            all.back() += c;
        }
    }
    return all;
}

class Table {
  public:
    explicit Table(const FlightFrame& frame) : names_(cells(csv_header())), values_(cells(csv_row(frame))) {
        EXPECT_EQ(names_.size(), values_.size());
    }
    std::string operator[](const std::string& name) const {
        const auto found = std::find(names_.begin(), names_.end(), name);
        if (found == names_.end()) {
            ADD_FAILURE() << "no column " << name;
            return {};
        }
        return values_[static_cast<std::size_t>(found - names_.begin())];
    }
    double number(const std::string& name) const { return std::strtod((*this)[name].c_str(), nullptr); }

  private:
    std::vector<std::string> names_, values_;
};

TEST(CsvExport, NumbersReadBackTheSame) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<> any(-20, 20);
    for (int i = 0; i < 200; ++i) {
        ap_json::State state;
        state.timestamp = any(random) + 30;
        state.gyro = {any(random), any(random), any(random)};
        state.position = {any(random), any(random), any(random)};
        state.attitude = {any(random) / 10, any(random) / 20, any(random) / 10};
        state.airspeed = any(random) + 21;
        state.rc[2] = 1234;
        const Table row(FlightMaker().packet(7).line(state_line(state)).frames().at(0));
        EXPECT_EQ(row.number("timestamp [s]"), state.timestamp);
        EXPECT_EQ(row.number("time [s]"), state.timestamp);
        EXPECT_EQ(row.number("imu.gyro.y [rad/s]"), state.gyro.y);
        EXPECT_EQ(row.number("imu.accel_body.z [m/s2]"), state.specific_force.z);
        EXPECT_EQ(row.number("position.north [m]"), state.position.x);
        EXPECT_EQ(row.number("position.down [m]"), state.position.z);
        EXPECT_EQ(row.number("attitude.yaw [rad]"), state.attitude.yaw);
        EXPECT_EQ(row.number("airspeed [m/s]"), *state.airspeed);
        EXPECT_EQ(row["rc.rc_3 [us]"], "1234");
        EXPECT_EQ(row["frame_count"], "7");
        EXPECT_EQ(row["kind"], "first");
        EXPECT_EQ(row["verdict"], "accepted");
        EXPECT_EQ(row["servo_16 [us]"], "1500");
    }
}

TEST(CsvExport, WhatIsMissingIsEmpty) {
    const auto frames = FlightMaker().packet(0).line(1).packet(1).frames();
    const Table row(frames[0]);
    for (const char* name : {"airspeed [m/s]", "quaternion.w", "rng_1 [m]", "rc.rc_1 [us]", "latitude [deg]",
                             "no_lockstep", "servo_17 [us]"})
        EXPECT_EQ(row[name], "") << name;
    EXPECT_EQ(csv_row(frames[1]), "") << "not answered";

    const Table alone(FlightMaker().line(1).frames().at(0));
    EXPECT_EQ(alone["frame_count"], "");
    EXPECT_EQ(alone["servo_1 [us]"], "");
    EXPECT_EQ(alone["timestamp [s]"], "1");
}

TEST(CsvExport, ColumnsHaveNamesOfTheirOwn) {
    const auto names = cells(csv_header());
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
}

TEST(CsvExport, ADecimalCommaStaysOut) {
    const std::string before = std::setlocale(LC_ALL, nullptr);
    std::setlocale(LC_ALL, "de_DE.UTF-8");
    const Table row(FlightMaker().packet(0).line(1.25).frames().at(0));
    std::setlocale(LC_ALL, before.c_str());
    EXPECT_EQ(row["timestamp [s]"], "1.25");
}

}  // namespace
