// stand_in.hpp - a CopterSim for those who have none at hand, and for tests: it beats, and applies requests to a state
// that can be looked at. Target ap_json::coptersim_stand_in.
//
//     coptersim::StandIn vehicle;
//     if (auto error = vehicle.start(options)) ...
//     vehicle.wait_until([](const coptersim::StandInState& state) { return state.pose.north_m == 10; }, 3s);
//
// One StandIn is one CopterSim: one vehicle. Several run in one program and on one computer, as CopterSims do. It
// follows what is documented of CopterSim, which is closed; it simulates nothing. All functions may be called from
// any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "coptersim/address.hpp"
#include "coptersim/error.hpp"
#include "coptersim/export.hpp"
#include "coptersim/messages.hpp"
#include "coptersim/requests.hpp"
#include "coptersim/route.hpp"

namespace coptersim {

struct StandInOptions {
    std::int32_t id = 1;

    /// IPv4 address of the network interface that multicast goes through. Empty: the operating system's choice.
    std::string interface_address = {};

    /// IPv4 address of this computer that it has. 0.0.0.0: all of them. With another one it hears no broadcast.
    std::string own_address = "0.0.0.0";

    /// false: as behind a network that passes no multicast.
    bool multicast = true;

    std::chrono::milliseconds beat_interval{500};

    /// true: a wake request brings each heartbeat from then on. false: it brings one.
    bool wake_lasts = true;

    /// Called from its thread with a line about each datagram that arrives. May be empty. Must not call the stand-in.
    std::function<void(std::string_view line)> log = nullptr;

    Ports ports = {};
    std::string group = "224.0.0.10";
};

/// What the requests have made of it.
struct StandInState {
    UdpMode udp_mode = UdpMode::mavlink_full;

    /// The computer that the autopilot's data would go to.
    std::optional<Address> stream_target;

    AirPose pose;  ///< on the terrain, down, roll and pitch are 0
    bool on_terrain = true;
    std::optional<GpsPose> gps_pose;  ///< when it was put there last
    GpsOrigin gps_origin;
    bool shows_gps = false;
    std::uint64_t deployments = 0;  ///< times that it was put elsewhere

    std::string model;  ///< as selected: the name, or "#3" for an index
    std::string map;

    InitialiseRequest last_initialise;  ///< the newest that was applied
    SelectRequest last_select;
};

/// Counters since start(). They only rise.
struct StandInTraffic {
    std::uint64_t beats = 0;        ///< sent to the group or to a computer
    std::uint64_t applied = 0;      ///< requests, each datagram of them
    std::uint64_t others = 0;       ///< requests for other vehicles
    std::uint64_t rejected = 0;     ///< datagrams that are no request, or not one that can be meant
    std::uint64_t wakes = 0;        ///< wake requests
    std::uint64_t send_errors = 0;  ///< heartbeats that the operating system did not take
};

class COPTERSIM_API StandIn {
  public:
    StandIn();
    ~StandIn();
    StandIn(const StandIn&) = delete;
    StandIn& operator=(const StandIn&) = delete;

    /// Begins to beat. Ends the one that runs.
    /// @return ok, bad_id, bad_option, bind_in_use (its own port: this vehicle is here already), multicast_unavailable
    ///         or socket_error
    Error start(const StandInOptions& options);

    /// Starts it again: a later start time, heartbeats from 1, a fresh state.
    /// @return likewise
    Error restart();

    /// Ends it. The state stays readable.
    void stop();

    /// Freezes it until resume(), as a stopped process: it does not beat, and reads later what arrives meanwhile.
    void pause();
    void resume();

    [[nodiscard]] StandInState state() const;
    [[nodiscard]] StandInTraffic traffic() const;

    /// Waits until `condition` is true of the state; it is looked at after each change.
    /// @return false when the time was up first, or it has ended
    bool wait_until(const std::function<bool(const StandInState&)>& condition,
                    std::chrono::milliseconds timeout);

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

/// What a request makes of a state. Pure.
/// @param sender  where the request came from
COPTERSIM_API void apply(const InitialiseRequest& request, Address sender, StandInState& state);
COPTERSIM_API void apply(const SelectRequest& request, StandInState& state);

}  // namespace coptersim
