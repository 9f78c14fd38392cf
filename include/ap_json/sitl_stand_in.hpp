// sitl_stand_in.hpp - a SITL for those who have no ArduPilot at hand, and for tests: it drives a physics
// backend over UDP and behaves on the wire as the real one does, faults included. Target
// ap_json::sitl_stand_in.
//
//     ap_json::SitlStandIn sitl;
//     if (auto error = sitl.start({"127.0.0.1", 9002})) ...
//     sitl.wait_until([](const ap_json::SitlModel& model) { return model.clock() > 3; }, 10s);
//     sitl.use([](ap_json::SitlModel& model) { model.arm(); model.set_rc(3, 1900); });
//
// Differs from the real one: it starts to send at once instead of when a MAVLink client connects; what
// SitlModel and SitlReader list. All functions may be called from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "ap_json/error.hpp"
#include "ap_json/sitl_model.hpp"

namespace ap_json {

/// Whom to drive and how. The first two are what most tests set: sitl.start({"127.0.0.1", client.port()}).
struct SitlStandInOptions {
    std::string backend_address = "127.0.0.1";  ///< IPv4 address of the backend
    std::uint16_t backend_port = 9002;          ///< its port
    int instance = 0;                           ///< adds 10 n to the port

    /// Simulated seconds per real second, 0.001 to 1e6; 0 = as fast as the backend answers.
    double speedup = 1;

    /// Whether to send 32 channels from the start.
    bool channels_32 = false;

    /// IPv4 address of this machine to send from.
    std::string own_address = "0.0.0.0";

    /// Called from the stand-in's thread with each line that SITL's console would show. May be empty. Must
    /// not call the stand-in.
    std::function<void(std::string_view line)> console = nullptr;

    /// The same for each datagram that is not taken over: what is wrong with it, and what to do about it.
    std::function<void(std::string_view advice)> advice = nullptr;

    /// The same for each servo packet before it is sent, and for each datagram before it is read: their bytes. For
    /// recorders and examiners.
    std::function<void(std::string_view packet)> sending = nullptr;
    /// See `sending`.
    std::function<void(std::string_view datagram)> received = nullptr;
};

/// Counters since start(). They only rise.
struct SitlTraffic {
    std::uint64_t packets = 0;   ///< servo packets sent, resent ones included
    std::uint64_t resends = 0;   ///< servo packets sent again because no line had come for 1.1 s
    std::uint64_t accepted = 0;  ///< lines taken over
    std::uint64_t rejected = 0;  ///< datagrams that were not
};

/// A SITL process that runs on a thread of its own. All functions may be called from any thread.
class AP_JSON_API SitlStandIn {
  public:
    SitlStandIn();
    /// Ends it.
    ~SitlStandIn();
    SitlStandIn(const SitlStandIn&) = delete;
    SitlStandIn& operator=(const SitlStandIn&) = delete;

    /// Starts SITL's process: frame 0, a new port. Ends the one that runs.
    /// @return ok, bad_option, or what the socket says
    Error start(const SitlStandInOptions& options);

    /// start() with the same options.
    Error restart();

    /// The reboot by MAVLink: frame 0 again, on the same port.
    void reboot();

    /// Ends SITL's process.
    void stop();

    /// What SIGSTOP does: it neither sends nor reads.
    void pause();
    /// What SIGCONT does.
    void resume();

    /// Runs `action` with the model while the stand-in's thread keeps away from it.
    void use(const std::function<void(SitlModel&)>& action);

    /// Waits until `condition` is true of the model; it is looked at after each event.
    /// @return false when the time was up first, or SITL has ended
    bool wait_until(const std::function<bool(const SitlModel&)>& condition, std::chrono::nanoseconds timeout);

    /// Counters since start().
    [[nodiscard]] SitlTraffic traffic() const;

    /// The port it sends from; 0 when stopped.
    [[nodiscard]] std::uint16_t own_port() const;

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace ap_json
