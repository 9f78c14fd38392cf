// flight_series.hpp - what a report shows of a flight, gathered frame after frame in bounded memory. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flight.hpp"
#include "series.hpp"

/// Something that happened at a moment: a mark of the recording, a restart.
struct FlightEvent {
    double time = 0;  // s, the flight's
    std::string text;
};

/// Where and when the flight was at a moment of the recording.
struct FlightMoment {
    std::int64_t ns = 0;  // on the clock of the recording
    double time = 0;      // s, the flight's
    double east = 0;      // m
    double north = 0;     // m
};

class FlightSeries {
  public:
    using Triple = std::array<MinMaxSeries, 3>;

    void add(const FlightFrame& frame);
    void add_event(double time, const std::string& text);

    /// Of the frame nearest before that moment; the first one when there is none.
    [[nodiscard]] FlightMoment moment(std::int64_t ns) const;

    Triple attitude;        // deg: roll, pitch, yaw
    Triple velocity;        // m/s, NED
    Triple specific_force;  // m/s2, FRD
    Triple gyro;            // rad/s, FRD
    MinMaxSeries height;    // m upwards from home
    PathSeries path;        // m: x east, y north
    std::vector<MinMaxSeries> pwm = std::vector<MinMaxSeries>(ap_json::ServoPacket::max_channels);  // us
    MinMaxSeries airspeed;                                                                          // m/s
    LinkSeries link;
    std::vector<FlightEvent> events;  // the first ones
    std::uint64_t more_events = 0;    // that were too many
    double begin = 0, end = 0;        // s, the flight's time

  private:
    void add_state(const FlightFrame& frame);
    void add_moment(const FlightFrame& frame);

    bool any_ = false;
    std::optional<ap_json::Geodetic> home_;  // the first position on the globe
    double newest_timestamp_ = 0;
    bool timestamp_known_ = false;
    double newest_yaw_ = 0;
    double east_ = 0, north_ = 0;
    std::vector<FlightMoment> moments_;
    std::uint64_t frames_per_moment_ = 1;
    std::uint64_t frames_until_moment_ = 0;
};
