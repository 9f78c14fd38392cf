// closed_loop.hpp - a station and a PX4 model on one line, with a rover between them, on a clock that the test moves: hours
// pass in a moment, and every run is the same.
#pragma once

#include <gmock/gmock.h>

#include <deque>
#include <functional>
#include <px4_hil/line_faults.hpp>
#include <px4_hil/px4_model.hpp>
#include <px4_hil/station.hpp>
#include <string>

#include "little_rover.hpp"

namespace px4_hil {

class ClosedLoop {
  public:
    using Time = Station::Time;
    static constexpr std::chrono::milliseconds step{5};

    explicit ClosedLoop(const StationOptions& station_options = {}, const Px4ModelOptions& model_options = {},
                        const FaultRates& faults = {}, std::uint64_t seed = 1)
        : two_lines_(!model_options.hardware),
          to_px4_(faults, seed),
          to_station_(faults, seed + 1000),
          station(station_options, to_px4_),
          px4(model_options, to_station_, now) {
        station.start(now);
        px4.simulator_connected(now);
    }

    /// 5 ms of both, and of the rover.
    void advance() {
        now += step;
        for (const auto& [line, bytes] : to_station_.take())
            station.receive(line_of(line), bytes.data(), bytes.size(), now);
        for (const auto& [line, bytes] : to_px4_.take())
            px4.receive(line_of(line), bytes.data(), bytes.size(), now);
        station.tick(now);
        px4.tick(now);
        controls = station.controls(now);
        rover.step(controls, std::chrono::duration<double>(step).count());
        if (auto error = station.send_state(rover.state, now)) last_error = error;
        for (const Event& event : station.take_events()) events.push_back(event);
    }

    void run(std::chrono::milliseconds time) {
        for (const Time end = now + time; now < end;) advance();
    }

    /// @return whether it became true within this time
    bool run_until(const std::function<bool()>& condition, std::chrono::milliseconds time) {
        for (const Time end = now + time; now < end;) {
            if (condition()) return true;
            advance();
        }
        return condition();
    }

    bool run_until(StationState state, std::chrono::milliseconds time) {
        return run_until([&] { return station.state() == state; }, time);
    }

    [[nodiscard]] int count(EventKind kind) const {
        return static_cast<int>(std::count_if(events.begin(), events.end(),
                                              [kind](const Event& event) { return event.kind == kind; }));
    }
    /// The newest of its kind.
    [[nodiscard]] Event event(EventKind kind) const {
        for (auto each = events.rbegin(); each != events.rend(); ++each) {
            if (each->kind == kind) return *each;
        }
        ADD_FAILURE() << "no event " << to_string(kind) << "\n" << story();
        return {};
    }
    [[nodiscard]] std::string story() const {
        std::string text = std::string("state ") + to_string(station.state()) + "\n";
        for (const Event& event : events)
            text += std::string(to_string(event.kind)) + ": " + std::string(event.text()) + "\n";
        return text;
    }
    [[nodiscard]] bool outputs_are_safe() const {
        return controls.throttle == 0 && controls.steering == 0 && controls.brake == 1;
    }

  private:
    /// Bytes on their way in one direction.
    class Wire final : public LineWriter {
      public:
        Wire(const FaultRates& faults, std::uint64_t seed) : faults_(faults, seed) {}
        Error write(Line line, const unsigned char* data, std::size_t size) override {
            if (broken) return {ErrorCode::port_write_failed, "the wire is broken"};
            under_way_.emplace_back(line, faults_.spoil(data, size));
            return {};
        }
        std::deque<std::pair<Line, std::vector<unsigned char>>> take() {
            return std::exchange(under_way_, {});
        }
        bool broken = false;

      private:
        LineFaults faults_;
        std::deque<std::pair<Line, std::vector<unsigned char>>> under_way_;
    };

    [[nodiscard]] Line line_of(Line line) const { return two_lines_ ? line : Line::command; }

    bool two_lines_;
    Wire to_px4_, to_station_;

  public:
    Time now = Time() + std::chrono::hours(1);
    Station station;
    Px4Model px4;
    LittleRover rover;
    DriveControls controls;
    Error last_error;  // of send_state
    std::vector<Event> events;
    void break_wire(bool broken) { to_px4_.broken = broken; }
};

}  // namespace px4_hil
