// px4_stand_in.hpp - a PX4 for those who have none at hand, and for tests: Px4Model with lines, a clock and a thread. Target
// ap_json::px4_stand_in.
//
//     px4_hil::Px4StandIn px4;
//     px4_hil::Px4StandInOptions options;
//     options.link = "pty";
//     if (auto error = px4.start(options)) ...
//     component_options.link = "serial:" + px4.device();
//
// All functions may be called from any thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "px4_hil/line_faults.hpp"
#include "px4_hil/px4_model.hpp"
#include "px4_hil/transport.hpp"

namespace px4_hil {

struct Px4StandInOptions {
    Px4ModelOptions model;
    /// "pty": a pseudo-terminal in place of the USB serial port. "udp:PORT", "udp:ADDRESS:PORT": sends there.
    /// "tcp:PORT", "tcp:ADDRESS:PORT": connects there, and again when the connection ends.
    std::string link = "pty";
    /// For SITL, whose simulator has a line of its own: "tcp:4560". Empty: one line for everything.
    std::string simulator_link;
    FaultRates faults;  ///< of the link, in both directions
};

class PX4_HIL_API Px4StandIn {
  public:
    Px4StandIn();
    ~Px4StandIn();
    Px4StandIn(const Px4StandIn&) = delete;
    Px4StandIn& operator=(const Px4StandIn&) = delete;

    /// @return ok, or what opening the lines says. A server that is not there yet is waited for
    Error start(const Px4StandInOptions& options);
    void stop();

    /// Runs `action` with the model while the stand-in's thread keeps away from it.
    void use(const std::function<void(Px4Model&)>& action);

    /// Waits until `condition` is true of the model. @return false when the time was up first
    bool wait_until(const std::function<bool(const Px4Model&)>& condition, std::chrono::nanoseconds timeout);

    /// The name of the pseudo-terminal.
    [[nodiscard]] std::string device() const;

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace px4_hil
