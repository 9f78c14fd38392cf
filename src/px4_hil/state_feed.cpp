// state_feed.cpp - see state_feed.hpp.
#include "state_feed.hpp"

#include <cmath>

namespace px4_hil {
namespace {

// As simulators do; rates of the real sensors.
constexpr double magnetometer_rate = 100, barometer_rate = 50, gps_rate = 5;  // Hz

}  // namespace

StateFeed::StateFeed(const StationOptions& options, StationStatistics& statistics)
    : options_(options),
      statistics_(statistics),
      truth_options_(options.state),
      model_(options.sensors),
      state_(options.feed == Feed::state_level ? options.state_rate : 0),
      sensor_(options.feed == Feed::sensor_level ? options.sensor_rate : 0),
      magnetometer_(magnetometer_rate),
      barometer_(barometer_rate),
      gps_(options.feed == Feed::sensor_level ? gps_rate : 0) {
    truth_options_.unit = AccelerationUnit::mm_s2;
}

Error StateFeed::feed(const ap_json::State& given, MessageSink& sink) {
    ap_json::State state = given;
    state.timestamp += time_offset_;
    if (state.timestamp < last_time_) {  // the simulator was reset; PX4 was not
        time_offset_ += last_time_ - state.timestamp;
        state.timestamp = last_time_;
    }
    Error first;
    const auto keep = [&first](const Error& error) {
        if (error && !first) first = error;
    };
    if (std::isfinite(state.timestamp)) last_time_ = state.timestamp;
    const double time = last_time_;
    if (sensor_.due(time)) keep(send_sensors(state, sink));
    if (gps_.due(time)) {
        HilGps message;
        const auto error = model_.gps(state, message);
        keep(error);
        if (!error) {
            ++statistics_.gps_sent;
            sink.send(message);
        }
    }
    if (state_.due(time)) keep(send_state(state, options_.state, sink));
    if (truth_.due(time)) keep(send_state(state, truth_options_, sink));
    if (first) ++statistics_.states_refused;
    return first;
}

Error StateFeed::send_state(const ap_json::State& state, const HilStateOptions& options, MessageSink& sink) {
    HilStateQuaternion message;
    if (auto error = to_hil_state(state, options, message)) return error;
    ++statistics_.states_sent;
    sink.send(message);
    return {};
}

Error StateFeed::send_sensors(const ap_json::State& state, MessageSink& sink) {
    HilSensor message;
    if (auto error = model_.sensor(state, message)) return error;
    if (!magnetometer_.due(state.timestamp)) message.fields_updated &= ~sensor_bits::magnetometer;
    if (!barometer_.due(state.timestamp)) message.fields_updated &= ~sensor_bits::barometer;
    ++statistics_.sensors_sent;
    sink.send(message);
    return {};
}

}  // namespace px4_hil
