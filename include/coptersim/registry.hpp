// registry.hpp - which CopterSims are alive, and where, from their heartbeats. Pure: the clock comes from outside.
//
// The rules. A heartbeat from an address of this computer makes a vehicle local, and its address 127.0.0.1; a local
// vehicle stays local as long as it lives. A vehicle elsewhere keeps the address that was heard first. A vehicle
// that is silent for RegistryOptions::expiry is gone.
//
// Two CopterSims with the same id cannot both be right. The one heard first counts (a local one before one
// elsewhere); the other is its rival, and takes over when the first is silent for as long as makes a vehicle gone.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "coptersim/address.hpp"
#include "coptersim/export.hpp"
#include "coptersim/messages.hpp"

namespace coptersim {

using TimePoint = std::chrono::steady_clock::time_point;

/// A CopterSim that is alive.
struct Vehicle {
    std::int32_t id = 0;
    Address address;     ///< 127.0.0.1 when local
    bool local = false;  ///< runs on this computer

    Heartbeat heartbeat;         ///< the newest
    TimePoint first_seen;        ///< here, on the steady clock
    TimePoint last_seen;         ///< likewise
    std::uint64_t beats = 0;     ///< heartbeats since first_seen
    std::uint64_t restarts = 0;  ///< times that it was started again, since first_seen

    /// When the newest heartbeat through multicast came; nothing when none has. Says that multicast works from there
    /// to here.
    std::optional<TimePoint> last_multicast;

    /// Where another CopterSim with the same id is, if one was heard while this one lives.
    std::optional<Address> rival;
};

enum class EventKind : std::uint8_t {
    arrived,     ///< a vehicle is heard for the first time, or again after it was gone
    departed,    ///< it has been silent for RegistryOptions::expiry; the event has what was known of it
    restarted,   ///< its simulation was started again
    moved,       ///< its address is another one now
    duplicated,  ///< there is another CopterSim with the same id; told once in a vehicle's life
};

/// The name of a kind, as in the enumeration. Never null.
[[nodiscard]] COPTERSIM_API const char* to_string(EventKind kind) noexcept;

struct Event {
    EventKind kind = EventKind::arrived;
    Vehicle vehicle;  ///< as it is after the event
};

/// "vehicle 3 arrived, at 192.168.1.20"
[[nodiscard]] COPTERSIM_API std::string describe(const Event& event);

struct RegistryOptions {
    /// A vehicle that is silent for so long is gone. How often CopterSim beats is not documented; well below 3 s.
    std::chrono::milliseconds expiry{5000};

    /// More vehicles than these are not taken, so that a flood of ids cannot fill the memory.
    std::size_t most_vehicles = 10000;
};

/// What became of a heartbeat.
enum class Acceptance : std::uint8_t {
    accepted,
    rival,   ///< another CopterSim has this id; see Vehicle::rival
    bad_id,  ///< ids begin with 1
    full,    ///< there are RegistryOptions::most_vehicles already
};

/// How a heartbeat came.
struct Arrival {
    Address from;
    bool multicast = false;  ///< it was sent to the group, not to this computer alone
    TimePoint time;          ///< never before the one of the call before
};

class COPTERSIM_API Registry {
  public:
    explicit Registry(const RegistryOptions& options = {}) : options_(options) {}

    /// The addresses of this computer. 127.0.0.1 is always one.
    void set_local_addresses(std::vector<Address> addresses);
    [[nodiscard]] bool is_local(Address address) const noexcept;

    /// Takes over one heartbeat.
    /// @param events  what happened is put behind what is in it
    Acceptance accept(const Heartbeat& heartbeat, const Arrival& arrival, std::vector<Event>& events);

    /// Lets vehicles go that have been silent for too long. Call it now and then.
    void expire(TimePoint now, std::vector<Event>& events);

    /// @return null when it is not alive; valid until the next call that changes something
    [[nodiscard]] const Vehicle* find(std::int32_t id) const noexcept;

    /// All that are alive, in the order of their ids.
    [[nodiscard]] std::vector<Vehicle> vehicles() const;
    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

  private:
    struct Entry {
        Vehicle vehicle;
        std::int64_t start_time_ms = 0;  // of the CopterSim that counts, as opposed to its rival
        std::int64_t count = 0;
        TimePoint last_own_beat;
    };

    [[nodiscard]] bool is_gone(const Entry& entry, TimePoint now) const noexcept;
    [[nodiscard]] bool counts(const Entry& entry, const Heartbeat& heartbeat,
                              const Arrival& arrival) const noexcept;
    void arrive(const Heartbeat& heartbeat, const Arrival& arrival, std::vector<Event>& events);
    void take_over(Entry& entry, const Heartbeat& heartbeat, const Arrival& arrival,
                   std::vector<Event>& events);
    static void meet_rival(Entry& entry, const Heartbeat& heartbeat, const Arrival& arrival, bool local,
                           std::vector<Event>& events);

    RegistryOptions options_;
    std::vector<Address> local_addresses_{loopback};
    std::map<std::int32_t, Entry> entries_;
};

}  // namespace coptersim
