// link_monitor_test.cpp - what LinkMonitor makes of the datagrams on the link: rates, round trips, frames, lines, and
// what it advises.
#include <gmock/gmock.h>

#include <ap_json/sitl_model.hpp>
#include <ap_json/state_json.hpp>
#include <duration_histogram.hpp>
#include <link_monitor.hpp>
#include <string>

namespace {

using namespace std::chrono_literals;
using ap_json::LinkStatus;
using testing::HasSubstr;
using Time = LinkMonitor::Time;

const std::string sitl = "127.0.0.1:40000";
const std::string backend = "127.0.0.1:9003";

std::string packet(std::uint32_t count, std::uint16_t pwm3 = 1500) {
    std::string bytes(40, '\0');
    const auto put = [&](std::size_t offset, std::uint32_t value, std::size_t size) {
        for (std::size_t i = 0; i < size; ++i) bytes[offset + i] = static_cast<char>(value >> (8 * i) & 0xff);
    };
    put(0, ap_json::magic_16_channels, 2);
    put(2, 401, 2);
    put(4, count, 4);
    put(8 + 2 * 2, pwm3, 2);
    return bytes;
}

std::string line(double timestamp, double north = 0) {
    char text[300];
    std::snprintf(text, sizeof text,
                  "\n{\"timestamp\":%.6f,\"imu\":{\"gyro\":[0,0,0],\"accel_body\":[0,0,-9.81]},"
                  "\"position\":[%.3f,0,0],\"attitude\":[0,0,0],\"velocity\":[0,0,0]}\n",
                  timestamp, north);
    return text;
}

class LinkMonitorTest : public testing::Test {
  protected:
    /// One frame: packet, answer after `round_trip`, the next 2.5 ms later.
    void frame(Time round_trip = 100us) {
        monitor.from_sitl(now, sitl, packet(count));
        monitor.to_sitl(now + round_trip, backend, sitl, line(0.0025 * ++steps));
        ++count;
        now += 2500us;
    }
    void frames(int number) {
        for (int i = 0; i < number; ++i) frame();
    }
    [[nodiscard]] LinkSnapshot look() const { return monitor.snapshot(now); }

    Time now = 1000s;
    std::uint32_t count = 0;
    int steps = 0;
    LinkMonitor monitor{now, "127.0.0.1:9002", backend};
};

TEST_F(LinkMonitorTest, NothingYet) {
    const LinkSnapshot s = look();
    EXPECT_EQ(s.status, LinkStatus::waiting);
    EXPECT_THAT(s.advice, HasSubstr("--model JSON"));
    EXPECT_THAT(s.advice, HasSubstr("127.0.0.1:9002"));
    EXPECT_EQ(s.sitl, "");
    EXPECT_EQ(s.backend, backend);
    EXPECT_FALSE(s.servos);
    EXPECT_FALSE(s.state);
    EXPECT_EQ(s.round_trips_total.count, 0U);
    EXPECT_EQ(s.round_trips_total.p99, 0);
}

TEST_F(LinkMonitorTest, ALinkThatWorks) {
    frames(4000);  // 10 s
    const LinkSnapshot s = look();
    EXPECT_EQ(s.status, LinkStatus::online);
    EXPECT_EQ(s.advice, "");
    EXPECT_EQ(s.sitl, sitl);
    EXPECT_NEAR(s.packets_per_second, 400, 2);
    EXPECT_NEAR(s.lines_per_second, 400, 2);
    EXPECT_NEAR(s.speed, 1, 0.01);
    EXPECT_NEAR(s.simulated, 10, 1e-6);
    EXPECT_NEAR(s.step, 0.0025, 1e-9);
    EXPECT_NEAR(s.elapsed, 10, 1e-9);
    EXPECT_EQ(s.counts.packets, 4000U);
    EXPECT_EQ(s.counts.first, 1U);
    EXPECT_EQ(s.counts.next, 3999U);
    EXPECT_EQ(s.counts.accepted, 4000U);
    EXPECT_EQ(s.counts.unasked + s.counts.unanswered + s.counts.repeated + s.counts.missed, 0U);
    ASSERT_TRUE(s.servos);
    EXPECT_EQ(s.servos->servo(3), 1500);
    EXPECT_EQ(s.servos->frame_rate, 401);
    ASSERT_TRUE(s.state);
    EXPECT_NEAR(s.state->timestamp, 10, 1e-6);
}

TEST_F(LinkMonitorTest, RoundTripsOfTheNewestSecondsAndOfAll) {
    for (int i = 0; i < 2000; ++i) frame(i % 100 == 0 ? 900us : 100us);
    LinkSnapshot s = look();
    for (const RoundTrips& each : {s.round_trips, s.round_trips_total}) {
        EXPECT_NEAR(each.p50, 100, 3);
        EXPECT_NEAR(each.p90, 100, 3);
        EXPECT_EQ(each.max, 900);
    }
    EXPECT_EQ(s.round_trips_total.count, 2000U);
    EXPECT_LT(s.round_trips.count, 1300U) << "3 s";
    for (int i = 0; i < 2000; ++i) frame(200us);
    s = look();
    EXPECT_NEAR(s.round_trips.p50, 200, 6);
    EXPECT_EQ(s.round_trips.max, 200) << "what is long ago is forgotten";
    EXPECT_EQ(s.round_trips_total.max, 900);
}

TEST_F(LinkMonitorTest, RatesFallWhenTheLinkStops) {
    frames(4000);
    now += 1500ms;
    EXPECT_LT(look().packets_per_second, 250);
    EXPECT_EQ(look().status, LinkStatus::online);
    now += 1500ms;
    EXPECT_EQ(look().packets_per_second, 0);
    EXPECT_EQ(look().speed, 0);
    EXPECT_EQ(look().status, LinkStatus::lost);
    EXPECT_THAT(look().advice, HasSubstr("SITL has been silent for 3.0 s"));
}

TEST_F(LinkMonitorTest, FramesThatAreLostRepeatedOrStale) {
    frames(10);
    count += 5;
    frame();
    EXPECT_EQ(look().counts.gaps, 1U);
    EXPECT_EQ(look().counts.missed, 5U);
    EXPECT_THAT(look().advice, HasSubstr("5 frames were lost"));
    now += 4s;
    frame();
    monitor.from_sitl(now, sitl, packet(count));
    now += 1102ms;
    monitor.from_sitl(now, sitl, packet(count));
    EXPECT_EQ(look().counts.repeated, 1U);
    EXPECT_EQ(look().counts.unanswered, 1U);
    EXPECT_THAT(look().advice, HasSubstr("1.1 s"));
    monitor.to_sitl(now + 50us, backend, sitl, line(1));
    EXPECT_LT(look().round_trips_total.max, 1000) << "counted from the packet that was answered";
    monitor.from_sitl(now, sitl, packet(count - 2));
    EXPECT_EQ(look().counts.stale, 1U);
}

TEST_F(LinkMonitorTest, ARestartedSitl) {
    frames(100);
    EXPECT_NEAR(look().state->timestamp, 0.25, 1e-9);
    monitor.from_sitl(now, "127.0.0.1:40001", packet(0));
    const LinkSnapshot s = look();
    EXPECT_EQ(s.counts.restarted, 1U);
    EXPECT_EQ(monitor.newest_kind(), ap_json::FrameKind::restarted);
    EXPECT_EQ(s.sitl, "127.0.0.1:40001");
    EXPECT_FALSE(s.state) << "the new SITL knows nothing yet";
    monitor.to_sitl(now, backend, sitl, line(0.2525));
    EXPECT_EQ(look().counts.elsewhere, 1U) << "an answer to the old one";
    monitor.to_sitl(now, backend, "127.0.0.1:40001", line(0.0025));
    EXPECT_EQ(look().counts.lines, 101U);
    EXPECT_EQ(look().state->timestamp, 0.0025);
}

TEST_F(LinkMonitorTest, ASecondSitl) {
    frames(100);
    for (std::uint32_t i = 0; i < 3; ++i) monitor.from_sitl(now, "127.0.0.1:40009", packet(5000 + i));
    EXPECT_EQ(look().sitl, sitl);
    EXPECT_EQ(look().counts.stale, 3U);
    EXPECT_THAT(look().advice, HasSubstr("Another SITL sends here too: 127.0.0.1:40009"));
}

TEST_F(LinkMonitorTest, WhatIsNoServoPacketIsCountedAndChangesNothing) {
    monitor.from_sitl(now, "127.0.0.1:5", "hello");
    monitor.from_sitl(now, "127.0.0.1:5", "");
    monitor.from_sitl(now, "127.0.0.1:5", std::string(40, 'x'));
    LinkSnapshot s = look();
    EXPECT_EQ(s.status, LinkStatus::unrecognised);
    EXPECT_EQ(s.counts.rejected_length, 2U);
    EXPECT_EQ(s.counts.rejected_magic, 1U);
    EXPECT_EQ(s.counts.packets, 0U);
    EXPECT_THAT(s.advice, HasSubstr("none is a servo packet"));
    frames(10);
    monitor.from_sitl(now, "127.0.0.1:5", "hello");
    s = look();
    EXPECT_EQ(s.sitl, sitl);
    EXPECT_EQ(s.status, LinkStatus::online);
}

TEST_F(LinkMonitorTest, ABackendThatDoesNotAnswer) {
    monitor.from_sitl(now, sitl, packet(0));
    EXPECT_EQ(look().status, LinkStatus::unanswered);
    EXPECT_THAT(look().advice, HasSubstr("No answer from the backend yet"));
    EXPECT_THAT(look().advice, HasSubstr(backend));
    frames(10);
    for (int i = 0; i < 4; ++i, now += 1102ms) monitor.from_sitl(now, sitl, packet(count));
    EXPECT_EQ(look().status, LinkStatus::unanswered);
    EXPECT_THAT(look().advice, HasSubstr("The backend 127.0.0.1:9003 has been silent for 4."));
}

TEST_F(LinkMonitorTest, LinesThatSitlRefusesAreSaidInWords) {
    frames(10);
    monitor.from_sitl(now, sitl, packet(count));
    monitor.to_sitl(now, backend, sitl, "\n{\"timestamp\":1}\n");
    monitor.from_sitl(now, sitl, packet(count));
    EXPECT_EQ(look().counts.rejected, 1U);
    EXPECT_THAT(look().advice, HasSubstr("\"imu\""));
    monitor.to_sitl(now, backend, sitl, line(1));
    monitor.from_sitl(now, sitl, packet(count + 1));
    monitor.to_sitl(now, backend, sitl,
                    "\n{\"timestamp\":2,\"imu\":{\"gyro\":[0,0,1e30],\"accel_body\":[0,0,-9.81]},"
                    "\"position\":[0,0,0],\"attitude\":[0,0,0],\"velocity\":[0,0,0]}\n");
    EXPECT_EQ(look().counts.fatal, 1U);
    EXPECT_THAT(look().advice, HasSubstr("floating point exception"));
    EXPECT_EQ(look().counts.lines, look().counts.accepted + look().counts.rejected +
                                       look().counts.incomplete + look().counts.full + look().counts.fatal);
}

TEST_F(LinkMonitorTest, LinesThatNobodyAskedFor) {
    frames(10);
    monitor.to_sitl(now, backend, sitl, line(1));
    EXPECT_EQ(look().counts.unasked, 1U);
    EXPECT_THAT(look().advice, HasSubstr("More lines than packets"));
    EXPECT_EQ(look().round_trips_total.count, 10U);
    // SITL takes the line from its queue and is one packet ahead of its answers from then on.
    monitor.from_sitl(now, sitl, packet(count));
    monitor.from_sitl(now + 10us, sitl, packet(count + 1));
    monitor.to_sitl(now + 100us, backend, sitl, line(1.1));
    monitor.to_sitl(now + 110us, backend, sitl, line(1.2));
    EXPECT_EQ(look().counts.unasked, 1U);
    EXPECT_EQ(look().counts.unanswered, 0U);
    EXPECT_EQ(look().round_trips_total.count, 12U);
    EXPECT_EQ(look().round_trips_total.max, 100);
}

TEST_F(LinkMonitorTest, TimestampsThatStandStillOrGoTooFar) {
    frames(10);
    for (int i = 0; i < 2000; ++i, now += 2500us) {
        monitor.from_sitl(now, sitl, packet(count++));
        monitor.to_sitl(now, backend, sitl, line(0.025));
    }
    EXPECT_THAT(look().advice, HasSubstr("stand still"));
    for (int i = 1; i < 2000; ++i, now += 20ms) {
        monitor.from_sitl(now, sitl, packet(count++));
        monitor.to_sitl(now, backend, sitl, line(0.025 + 0.02 * i));
    }
    EXPECT_THAT(look().advice, HasSubstr("too long"));
    EXPECT_NEAR(look().speed, 1, 0.02);
    EXPECT_NEAR(look().simulated, 0.025 + 0.02 * 1999, 1e-6);
    const double before = look().simulated;
    monitor.from_sitl(now, sitl, packet(count++));
    monitor.to_sitl(now, backend, sitl, line(1e9));
    EXPECT_EQ(look().simulated, before) << "a jump is no simulated time";
}

TEST_F(LinkMonitorTest, ManyUnansweredPacketsTakeNoMemoryAndNoTimeOfLater) {
    frames(3);
    for (int i = 0; i < 100000; ++i) monitor.from_sitl(now, sitl, packet(count++));
    monitor.from_sitl(now, sitl, packet(count - 1));  // repeated: none of them will be answered
    now += 1s;
    frame();
    EXPECT_LE(look().round_trips_total.max, 1000100);
}

/// A clock that goes back, or a snapshot before the start, is no reason to fall.
TEST_F(LinkMonitorTest, OddTimes) {
    frames(10);
    EXPECT_GE(monitor.snapshot(now - 5000s).packets_per_second, 0);
    monitor.from_sitl(now - 5000s, sitl, packet(count));
    monitor.to_sitl(now - 6000s, backend, sitl, line(5));
    EXPECT_GE(look().round_trips.p50, 0);
}

TEST(DurationHistogram, QuantilesAreWithin3Percent) {
    DurationHistogram histogram;
    for (int us = 1; us <= 10000; ++us) histogram.add(std::chrono::microseconds(us));
    for (const double share : {0.01, 0.1, 0.5, 0.9, 0.99}) {
        const double wanted = 1e7 * share;  // ns
        EXPECT_NEAR(static_cast<double>(histogram.quantile(share).count()), wanted, 0.032 * wanted) << share;
    }
    EXPECT_EQ(histogram.quantile(1), 10ms);
    EXPECT_EQ(histogram.max(), 10ms);
    EXPECT_EQ(histogram.count(), 10000U);
}

TEST(DurationHistogram, EveryDurationHasAClass) {
    DurationHistogram sum;
    for (const std::int64_t ns : {std::int64_t{-5}, std::int64_t{0}, std::int64_t{1}, std::int64_t{63},
                                  std::int64_t{64}, std::int64_t{65}, std::int64_t{1} << 41, INT64_MAX}) {
        DurationHistogram histogram;
        histogram.add(std::chrono::nanoseconds(ns));
        EXPECT_EQ(histogram.quantile(0.5).count() >= 0, true);
        if (ns >= 0 && ns < 65) {
            EXPECT_EQ(histogram.quantile(0.5).count(), ns);
        }
        sum.add(histogram);
    }
    EXPECT_EQ(sum.count(), 8U);
    EXPECT_EQ(sum.quantile(0), 0ns);
    EXPECT_EQ(DurationHistogram().quantile(0.5), 0ns);
}

}  // namespace
