// state_feed.hpp - which messages are due for a new state of the vehicle, at which rates. Counts in simulated time. Private
// to the library.
#pragma once

#include <cstdint>

#include "px4_hil/hil_state.hpp"
#include "px4_hil/message_sink.hpp"
#include "px4_hil/station.hpp"

namespace px4_hil {

/// Something that is due every so often.
class Schedule {
  public:
    explicit Schedule(double rate = 0) noexcept { set_rate(rate); }
    /// @param rate  Hz; 0 = never
    void set_rate(double rate) noexcept { period_ = rate > 0 ? 1 / rate : 0; }
    void restart() noexcept { next_ = 0; }
    [[nodiscard]] bool due(double time) noexcept {
        constexpr double rounding = 1e-6;  // s
        if (period_ <= 0 || time < next_ - rounding) return false;
        next_ += period_;
        if (next_ <= time) next_ = time + period_;  // no catching up
        return true;
    }

  private:
    double period_ = 0;  // s
    double next_ = 0;    // s
};

class StateFeed {
  public:
    StateFeed(const StationOptions& options, StationStatistics& statistics);

    /// @param with_truth  Hz at which PX4 SITL wants HIL_STATE_QUATERNION besides; 0 = not
    void set_truth_rate(double rate) noexcept { truth_.set_rate(rate); }

    Error feed(const ap_json::State& state, MessageSink& sink);

  private:
    Error send_state(const ap_json::State& state, const HilStateOptions& options, MessageSink& sink);
    Error send_sensors(const ap_json::State& state, MessageSink& sink);

    const StationOptions& options_;
    StationStatistics& statistics_;
    HilStateOptions truth_options_;
    SensorModel model_;
    Schedule state_, truth_, sensor_, magnetometer_, barometer_, gps_;
    double last_time_ = 0;    // s, of the newest state
    double time_offset_ = 0;  // s, so that time never goes back for PX4
};

}  // namespace px4_hil
