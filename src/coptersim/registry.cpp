// registry.cpp - see registry.hpp.
#include "coptersim/registry.hpp"

#include <algorithm>

namespace coptersim {
namespace {

void note_beat(Vehicle& vehicle, const Heartbeat& heartbeat, const Arrival& arrival) {
    vehicle.heartbeat = heartbeat;
    vehicle.last_seen = arrival.time;
    ++vehicle.beats;
    if (arrival.multicast) vehicle.last_multicast = arrival.time;
}

}  // namespace

const char* to_string(EventKind kind) noexcept {
    switch (kind) {
        case EventKind::arrived:
            return "arrived";
        case EventKind::departed:
            return "departed";
        case EventKind::restarted:
            return "restarted";
        case EventKind::moved:
            return "moved";
        case EventKind::duplicated:
            return "duplicated";
    }
    return "unknown";
}

std::string describe(const Event& event) {
    const Vehicle& vehicle = event.vehicle;
    std::string text = "vehicle " + std::to_string(vehicle.id) + " " + to_string(event.kind) + ", at " +
                       to_string(vehicle.address);
    if (event.kind == EventKind::duplicated && vehicle.rival) text += " and at " + to_string(*vehicle.rival);
    return text;
}

void Registry::set_local_addresses(std::vector<Address> addresses) {
    local_addresses_ = std::move(addresses);
    local_addresses_.push_back(loopback);
}

bool Registry::is_local(Address address) const noexcept {
    return std::find(local_addresses_.begin(), local_addresses_.end(), address) != local_addresses_.end();
}

Acceptance Registry::accept(const Heartbeat& heartbeat, const Arrival& arrival, std::vector<Event>& events) {
    if (heartbeat.id < 1) return Acceptance::bad_id;
    auto found = entries_.find(heartbeat.id);
    if (found != entries_.end() && is_gone(found->second, arrival.time)) {
        events.push_back({EventKind::departed, found->second.vehicle});
        entries_.erase(found);
        found = entries_.end();
    }
    if (found == entries_.end()) {
        if (entries_.size() >= options_.most_vehicles) return Acceptance::full;
        arrive(heartbeat, arrival, events);
        return Acceptance::accepted;
    }
    Entry& entry = found->second;
    if (!counts(entry, heartbeat, arrival)) {
        meet_rival(entry, heartbeat, arrival, is_local(arrival.from), events);
        return Acceptance::rival;
    }
    take_over(entry, heartbeat, arrival, events);
    return Acceptance::accepted;
}

void Registry::arrive(const Heartbeat& heartbeat, const Arrival& arrival, std::vector<Event>& events) {
    Entry entry;
    entry.vehicle.id = heartbeat.id;
    entry.vehicle.local = is_local(arrival.from);
    entry.vehicle.address = entry.vehicle.local ? loopback : arrival.from;
    entry.vehicle.first_seen = arrival.time;
    entry.start_time_ms = heartbeat.start_time_ms;
    entry.count = heartbeat.count;
    entry.last_own_beat = arrival.time;
    note_beat(entry.vehicle, heartbeat, arrival);
    entries_.emplace(heartbeat.id, entry);
    events.push_back({EventKind::arrived, entry.vehicle});
}

/// Whether a heartbeat is of the CopterSim that counts, or of one that takes its place.
bool Registry::counts(const Entry& entry, const Heartbeat& heartbeat, const Arrival& arrival) const noexcept {
    if (arrival.time - entry.last_own_beat >= options_.expiry) return true;
    const bool local = is_local(arrival.from);
    if (local != entry.vehicle.local) return local;
    if (!local && arrival.from != entry.vehicle.address) return false;
    // A simulation that is started again has a later start. An earlier one is of a second CopterSim there.
    return heartbeat.start_time_ms >= entry.start_time_ms;
}

void Registry::take_over(Entry& entry, const Heartbeat& heartbeat, const Arrival& arrival,
                         std::vector<Event>& events) {
    Vehicle& vehicle = entry.vehicle;
    const bool local = is_local(arrival.from);
    const Address address = local ? loopback : arrival.from;
    const bool moved = address != vehicle.address;
    const bool restarted =
        !moved && (heartbeat.start_time_ms != entry.start_time_ms || heartbeat.count < entry.count);
    if (moved) {
        vehicle.last_multicast.reset();
        vehicle.rival.reset();
    }
    vehicle.local = local;
    vehicle.address = address;
    entry.start_time_ms = heartbeat.start_time_ms;
    entry.count = heartbeat.count;
    entry.last_own_beat = arrival.time;
    note_beat(vehicle, heartbeat, arrival);
    if (restarted) ++vehicle.restarts;
    if (moved) events.push_back({EventKind::moved, vehicle});
    if (restarted) events.push_back({EventKind::restarted, vehicle});
}

/// A rival elsewhere keeps the vehicle alive, as there is one with this id; a rival of a local one does not.
void Registry::meet_rival(Entry& entry, const Heartbeat& heartbeat, const Arrival& arrival, bool local,
                          std::vector<Event>& events) {
    Vehicle& vehicle = entry.vehicle;
    const bool first = !vehicle.rival;
    vehicle.rival = local ? loopback : arrival.from;
    if (!vehicle.local) {
        vehicle.heartbeat = heartbeat;
        vehicle.last_seen = arrival.time;
        ++vehicle.beats;
    }
    if (first) events.push_back({EventKind::duplicated, vehicle});
}

bool Registry::is_gone(const Entry& entry, TimePoint now) const noexcept {
    return now - entry.vehicle.last_seen >= options_.expiry;
}

void Registry::expire(TimePoint now, std::vector<Event>& events) {
    for (auto entry = entries_.begin(); entry != entries_.end();) {
        if (!is_gone(entry->second, now)) {
            ++entry;
            continue;
        }
        events.push_back({EventKind::departed, entry->second.vehicle});
        entry = entries_.erase(entry);
    }
}

const Vehicle* Registry::find(std::int32_t id) const noexcept {
    const auto found = entries_.find(id);
    return found == entries_.end() ? nullptr : &found->second.vehicle;
}

std::vector<Vehicle> Registry::vehicles() const {
    std::vector<Vehicle> result;
    result.reserve(entries_.size());
    for (const auto& [id, entry] : entries_) result.push_back(entry.vehicle);
    return result;
}

}  // namespace coptersim
