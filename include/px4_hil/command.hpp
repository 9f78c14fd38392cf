// command.hpp - one command to PX4 until it is acknowledged: sent again in time, and no oftener than it should be. Time
// comes from outside.
#pragma once

#include <chrono>
#include <cstdint>

#include "px4_hil/export.hpp"
#include "px4_hil/frame.hpp"
#include "px4_hil/message_sink.hpp"

namespace px4_hil {

class PX4_HIL_API Command {
  public:
    using Time = std::chrono::steady_clock::time_point;

    static constexpr std::chrono::milliseconds patience{1000};
    static constexpr std::chrono::milliseconds patience_in_progress{10000};
    static constexpr int most_tries = 3;

    enum class Outcome : std::uint8_t { none, waiting, accepted, rejected, timed_out };

    /// @param tries  1 = send it once only
    void begin(const CommandLong& message, Identity self, Time now, MessageSink& sink,
               int tries = most_tries);

    /// @param ack  from the autopilot
    void handle(const CommandAck& ack, Time now);
    void tick(Time now, MessageSink& sink);
    void forget() noexcept { outcome_ = Outcome::none; }

    [[nodiscard]] Outcome outcome() const noexcept { return outcome_; }
    [[nodiscard]] bool waiting() const noexcept { return outcome_ == Outcome::waiting; }
    [[nodiscard]] std::uint16_t id() const noexcept { return message_.command; }
    /// MAV_RESULT, when it is accepted or rejected.
    [[nodiscard]] std::uint8_t result() const noexcept { return result_; }
    /// When the outcome was known.
    [[nodiscard]] Time decided() const noexcept { return decided_; }

  private:
    void decide(Outcome outcome, Time now) noexcept {
        outcome_ = outcome;
        decided_ = now;
    }

    CommandLong message_;
    Identity self_;
    Outcome outcome_ = Outcome::none;
    std::uint8_t result_ = 0;
    int tries_left_ = 0;
    Time deadline_, decided_;
};

}  // namespace px4_hil
