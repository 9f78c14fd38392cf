// flight_series.cpp - see flight_series.hpp.
#include "flight_series.hpp"

#include <algorithm>
#include <cmath>

#include "number_text.hpp"

namespace {

constexpr double degrees = 57.29577951308232;
constexpr double meters_per_degree = 111319.5;  // of latitude
constexpr std::size_t most_events = 100;
constexpr std::size_t most_moments = 8192;

void add_triple(FlightSeries::Triple& series, double time, double x, double y, double z) {
    series[0].add(time, x);
    series[1].add(time, y);
    series[2].add(time, z);
}

void add_gaps(FlightSeries::Triple& series) {
    for (MinMaxSeries& each : series) each.add_gap();
}

}  // namespace

void FlightSeries::add_event(double time, const std::string& text) {
    if (events.size() < most_events) {
        events.push_back({time, text});
    } else {
        ++more_events;
    }
}

void FlightSeries::add(const FlightFrame& frame) {
    if (!any_) begin = frame.time;
    any_ = true;
    end = frame.time;
    if (frame.kind == ap_json::FrameKind::restarted) {
        add_event(frame.time, "ArduPilot was started again");
        timestamp_known_ = false;
        for (Triple* triple : {&attitude, &velocity, &specific_force, &gyro}) add_gaps(*triple);
        height.add_gap();
        path.add_gap();
    }
    if (frame.has_servos) {
        for (std::size_t i = 0; i < pwm.size(); ++i) {
            const int value = frame.servos.pwm[i];
            if (value != 0) {
                pwm[i].add(frame.time, value);
            } else {
                pwm[i].add_gap();  // no output
            }
        }
        const double answer_time = static_cast<double>(frame.answered_ns - frame.asked_ns) / 1e9;
        link.add(frame.time, frame.asked_ns, frame.repeats, frame.missed, frame.answered ? answer_time : -1);
    }
    if (frame.answered) add_state(frame);
    add_moment(frame);
}

void FlightSeries::add_state(const FlightFrame& frame) {
    const ap_json::State& state = frame.answer.state;
    if (frame.answer.verdict == ap_json::SitlVerdict::fatal) {
        for (Triple* triple : {&attitude, &velocity, &specific_force, &gyro}) add_gaps(*triple);
        height.add_gap();
        return path.add_gap();
    }
    if (timestamp_known_ && state.timestamp < newest_timestamp_) {
        add_event(frame.time, "the backend's time went back from " + short_text(newest_timestamp_) +
                                  " s to " + short_text(state.timestamp) + " s");
    }
    timestamp_known_ = true;
    newest_timestamp_ = state.timestamp;

    const double time = frame.time;
    const ap_json::EulerAngles angles = attitude_of(state);
    const double yaw = std::remainder(angles.yaw, 6.283185307179586) * degrees;
    if (std::fabs(yaw - newest_yaw_) > 180) attitude[2].add_gap();  // through south
    newest_yaw_ = yaw;
    add_triple(attitude, time, angles.roll * degrees, angles.pitch * degrees, yaw);
    add_triple(velocity, time, state.velocity.x, state.velocity.y, state.velocity.z);
    add_triple(specific_force, time, state.specific_force.x, state.specific_force.y, state.specific_force.z);
    add_triple(gyro, time, state.gyro.x, state.gyro.y, state.gyro.z);
    if (state.airspeed) airspeed.add(time, *state.airspeed);
    double up = -state.position.z;
    north_ = state.position.x;
    east_ = state.position.y;
    if (state.geodetic) {
        if (!home_) home_ = state.geodetic;
        north_ = (state.geodetic->latitude - home_->latitude) * meters_per_degree;
        east_ = (state.geodetic->longitude - home_->longitude) * meters_per_degree *
                std::cos(home_->latitude / degrees);
        up = state.geodetic->altitude - home_->altitude;
    }
    height.add(time, up);
    path.add(east_, north_);
}

void FlightSeries::add_moment(const FlightFrame& frame) {
    if (frames_until_moment_ > 0) {
        --frames_until_moment_;
        return;
    }
    if (moments_.size() == most_moments) {
        for (std::size_t i = 0; i < most_moments / 2; ++i) moments_[i] = moments_[2 * i];
        moments_.resize(most_moments / 2);
        frames_per_moment_ *= 2;
    }
    moments_.push_back({frame.asked_ns, frame.time, east_, north_});
    frames_until_moment_ = frames_per_moment_ - 1;
}

FlightMoment FlightSeries::moment(std::int64_t ns) const {
    if (moments_.empty()) return {};
    const auto behind =
        std::upper_bound(moments_.begin(), moments_.end(), ns,
                         [](std::int64_t wanted, const FlightMoment& m) { return wanted < m.ns; });
    FlightMoment found = behind == moments_.begin() ? *behind : *(behind - 1);
    if (behind != moments_.end() && behind != moments_.begin() && behind->ns > found.ns) {
        const double share = static_cast<double>(ns - found.ns) / static_cast<double>(behind->ns - found.ns);
        found.time += share * (behind->time - found.time);
        found.ns = ns;
    }
    return found;
}
