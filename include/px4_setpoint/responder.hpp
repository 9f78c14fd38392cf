// responder.hpp - PX4's side of the dialogue, as its commander does it: for tests, and for people without a PX4 at hand.
// It has neither a socket nor a clock.
#pragma once

#include <cstdint>
#include <optional>

#include "px4_setpoint/messages.hpp"

namespace px4_setpoint {

/// What PX4 would answer from. The modes are those with ids 23 to 30.
struct ResponderOptions {
    Vehicle vehicle;
    VtolRule vtol_rule = VtolRule::in_any_form;
    /// Which external modes are registered: bit 0 is id 23, bit 7 id 30.
    std::uint8_t registered = 0xff;
};

/// What has happened so far. These only rise.
struct ResponderStatistics {
    std::uint64_t requests = 0;      ///< that came
    std::uint64_t overwritten = 0;   ///< of these: those that a newer one replaced before PX4 looked
    std::uint64_t replies = 0;       ///< that were given
    std::uint64_t unregistered = 0;  ///< of these: those to a mode that is not registered
};

/// What PX4 answers to a request, whatever came before. Pure function.
/// @param time  PX4's clock in us, for the reply's timestamp
[[nodiscard]] PX4_SETPOINT_API SetpointConfigReply answer(const SetpointConfig& request,
                                                          const ResponderOptions& options,
                                                          std::uint64_t time) noexcept;

/// PX4's commander with its queue of one request. Belongs to one thread at a time.
class PX4_SETPOINT_API Responder {
  public:
    explicit Responder(const ResponderOptions& options = {}) noexcept : options_(options) { leave_all(); }

    /// A request has come. An older one that still waits is lost, as in PX4.
    void request(const SetpointConfig& message) noexcept;

    /// The commander looks: the reply to the request that waits, if there is one.
    /// @param time  PX4's clock, us
    [[nodiscard]] std::optional<SetpointConfigReply> cycle(std::uint64_t time) noexcept;

    /// The type that PX4 takes the mode's setpoints for. Nothing for ids that are no registered mode.
    [[nodiscard]] std::optional<SetpointType> current(std::uint8_t source_id) const noexcept;

    /// PX4 leaves a mode: its type falls back to TRAJECTORY.
    void leave(std::uint8_t source_id) noexcept;

    /// The vehicle becomes another, as when a VTOL changes its form.
    void set_vehicle(Vehicle vehicle) noexcept { options_.vehicle = vehicle; }

    [[nodiscard]] const ResponderStatistics& statistics() const noexcept { return statistics_; }

  private:
    void leave_all() noexcept;

    ResponderOptions options_;
    ResponderStatistics statistics_;
    std::optional<SetpointConfig> waiting_;
    SetpointType current_[last_external_mode - first_external_mode + 1]{};
};

}  // namespace px4_setpoint
