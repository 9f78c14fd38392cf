// client.hpp - finds CopterSims by their heartbeats, and asks them for things.
//
//     coptersim::Client client;
//     if (auto error = client.open()) return report(error.message());
//     if (!client.wait_for(1, 3s)) return report("no CopterSim with vehicle 1");
//     if (auto receipt = client.place(1, coptersim::GroundPose{10, -20, 90})) return report(receipt.error.message());
//
// CopterSim acknowledges nothing: a request that is sent well may still be lost, or refused. Each call says what was
// sent and to whom; wait_for() and vehicles() show what can be seen, which is heartbeats.
//
// A thread of the client's own listens, so heartbeats are noted when they come. Thread rule: all functions may be
// called from any thread. None waits but wait_for() and wait_until().
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coptersim/address.hpp"
#include "coptersim/error.hpp"
#include "coptersim/export.hpp"
#include "coptersim/messages.hpp"
#include "coptersim/registry.hpp"
#include "coptersim/requests.hpp"
#include "coptersim/route.hpp"

namespace coptersim {

/// How requests go out.
enum class Delivery : std::uint8_t {
    /// To a vehicle whose heartbeats come through multicast: through multicast. To one whose heartbeats come only
    /// directly, or when the group cannot be joined: to its address. To one that is not known: through multicast if
    /// the group is joined, and to each of ClientOptions::hosts.
    automatic,
    multicast,  ///< only ever to the group
    unicast,    ///< only ever to addresses: the vehicle's, or ClientOptions::hosts when it is not known
};

struct ClientOptions {
    /// IPv4 address of the network interface of this computer that multicast goes through, both ways. Empty: the one
    /// that the operating system chooses. "127.0.0.1": this computer alone.
    std::string interface_address = {};

    /// IPv4 addresses of computers on which CopterSims may run, where neither multicast nor broadcast reaches.
    std::vector<std::string> hosts = {};

    Delivery delivery = Delivery::automatic;

    /// A vehicle that is silent for so long is gone.
    std::chrono::milliseconds expiry{5000};

    /// Called from the client's thread when a vehicle arrives, departs, restarts, moves, or is there twice. May call
    /// the client's functions, except for open() and close(). May be empty.
    std::function<void(const Event&)> on_event = nullptr;

    /// For tests: real CopterSims use no others. A heartbeat port of 0 is any free one; see Client::port().
    Ports ports = {};
    std::string group = "224.0.0.10";
};

/// One datagram of a request.
struct Sent {
    std::string request;  ///< what it asks for, in words
    std::int32_t id = 0;  ///< of whom; all_vehicles = of all
    Endpoint to;
    std::size_t size = 0;  ///< in bytes
    Error error;           ///< ok when the operating system took it; says nothing about whether it arrived
};

/// What became of a request. Converts to true when something went wrong, as Error does.
struct [[nodiscard]] Receipt {
    /// ok, bad_id, bad_name, name_too_long, not_finite, out_of_range, closed: nothing was sent; no_route: there was
    /// nowhere to send it to; send_failed: a vehicle was sent nothing, as each datagram for it failed.
    Error error;

    std::vector<Sent> sent;

    /// The vehicle is not known, so that the request went out in the hope that it is there. It is being looked for:
    /// after wait_for() it can be asked again.
    bool in_hope = false;

    explicit operator bool() const noexcept { return static_cast<bool>(error); }
};

/// A line for each datagram: "vehicle 3: show north and east: 48 bytes to 224.0.0.10:20002".
[[nodiscard]] COPTERSIM_API std::string describe(const Receipt& receipt);

/// Whether a vehicle is there.
enum class Presence : std::uint8_t {
    unknown,  ///< no heartbeat has come
    pending,  ///< none has come, but it is being looked for
    known,
};

/// Counters since open(). They only rise.
struct Statistics {
    std::uint64_t datagrams = 0;   ///< that arrived on the port of the heartbeats; all of the next included
    std::uint64_t heartbeats = 0;  ///< taken over
    std::uint64_t rivals = 0;      ///< heartbeats of a second CopterSim with the same id
    std::uint64_t rejected_length = 0;    ///< datagrams without 32 bytes
    std::uint64_t rejected_checksum = 0;  ///< datagrams of 32 bytes that are no heartbeat
    std::uint64_t rejected_id = 0;        ///< heartbeats with an id below 1
    std::uint64_t rejected_full = 0;      ///< heartbeats of more vehicles than are taken
    std::uint64_t implausible_times =
        0;  ///< heartbeats with a negative time, or a start later than now; taken over
    std::uint64_t arrivals = 0;
    std::uint64_t departures = 0;
    std::uint64_t restarts = 0;
    std::uint64_t sent = 0;         ///< datagrams of requests
    std::uint64_t wakes = 0;        ///< wake requests
    std::uint64_t send_errors = 0;  ///< datagrams of both kinds that the operating system did not take
    std::uint64_t refused = 0;      ///< requests of which nothing was sent
};

class COPTERSIM_API Client {
  public:
    Client();
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    /// Listens for heartbeats. Closes what was open before, forgets all vehicles and sets the counters to 0.
    /// Other programs of this computer may listen, too. When multicast cannot be used this is no error; see
    /// multicast().
    /// @return ok, bad_option, bind_in_use or socket_error
    Error open(const ClientOptions& options = {});

    /// Stops listening, and ends the waits of other threads.
    void close();

    [[nodiscard]] bool is_open() const;

    /// The port that heartbeats arrive at; 0 when closed.
    [[nodiscard]] std::uint16_t port() const;

    /// ok, or multicast_unavailable and why.
    [[nodiscard]] Error multicast() const;

    // ---- Who is there

    /// All vehicles that are alive, in the order of their ids.
    [[nodiscard]] std::vector<Vehicle> vehicles() const;

    [[nodiscard]] std::optional<Vehicle> find(std::int32_t id) const;

    [[nodiscard]] Presence presence(std::int32_t id) const;

    /// Waits for the next heartbeat of a vehicle. Looks for it as discover() does when it is not known.
    /// @return what is known of it then; nothing when the time was up first or the client is closed
    std::optional<Vehicle> wait_for(std::int32_t id, std::chrono::milliseconds timeout);

    /// Waits until `condition` is true of the vehicles that are alive, in the order of their ids. It is asked after
    /// each change, and must not call the client.
    /// @return false when the time was up first or the client is closed
    bool wait_until(const std::function<bool(const std::vector<Vehicle>&)>& condition,
                    std::chrono::milliseconds timeout);

    /// Asks the CopterSim of a vehicle, wherever it is, to send its heartbeat here: by broadcast, and to this computer
    /// and ClientOptions::hosts. Repeated each second until the vehicle is known, for 3.5 s at most.
    Receipt discover(std::int32_t id);

    /// The same to each of the 254 addresses from .2 to .255 of a subnet, once. For networks that pass no broadcast;
    /// ask their keeper first, it looks like an attack.
    /// @param within  any address of the subnet, such as host_address()
    Receipt sweep_subnet(std::int32_t id, Address within);

    // ---- Requests. The id is that of a vehicle, or all_vehicles, which is each that is known.

    /// "Send to me": CopterSim sends the autopilot's data to this computer.
    Receipt request_stream(std::int32_t id);

    /// @param mode  not UdpMode::unchanged; udp_mode_from() makes one of a number
    Receipt set_udp_mode(std::int32_t id, UdpMode mode);

    /// Puts the vehicle elsewhere, anew.
    Receipt place(std::int32_t id, const GroundPose& pose);
    Receipt place(std::int32_t id, const AirPose& pose);
    Receipt place(std::int32_t id, const GpsPose& pose);

    Receipt set_gps_origin(std::int32_t id, const GpsOrigin& origin);

    /// What CopterSim's window shows: latitude and longitude, or north and east.
    Receipt show_gps(std::int32_t id);
    Receipt show_xy(std::int32_t id);

    /// By name, or by place in CopterSim's own list, from 0. Here all_vehicles reaches those that are not known, too.
    Receipt select_model(std::int32_t id, std::string_view name);
    Receipt select_model(std::int32_t id, std::int32_t index);
    Receipt select_map(std::int32_t id, std::string_view name);
    Receipt select_map(std::int32_t id, std::int32_t index);

    /// Messages of your own. Only values are checked: the id may be any, and the message need not ask for anything.
    /// on_wire() is applied to the stream.
    Receipt send(const InitialiseRequest& request);
    Receipt send(const SelectRequest& request);

    // ---- This computer

    /// Its addresses, 127.0.0.1 included.
    [[nodiscard]] std::vector<Address> local_addresses() const;
    [[nodiscard]] bool is_local(Address address) const;

    /// The address that CopterSims elsewhere see; 127.0.0.1 when there is no network.
    [[nodiscard]] Address host_address() const;

    [[nodiscard]] Statistics statistics() const;

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace coptersim
