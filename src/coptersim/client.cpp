// client.cpp - see client.hpp.
#include "coptersim/client.hpp"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "coptersim/interfaces.hpp"
#include "group_socket.hpp"

namespace coptersim {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds search_time(3500);
constexpr milliseconds wake_interval(1000);
constexpr milliseconds interface_interval(5000);  // interfaces may come and go
constexpr milliseconds longest_unwatched_wait(20);
constexpr std::chrono::hours longest_wait(24);
constexpr int most_datagrams_a_turn = 256;  // other threads get the lock between turns

Error option_error(const char* name, const std::string& value, const char* expected) {
    return {ErrorCode::bad_option, std::string(name) + " is \"" + value + "\"; it has to be " + expected};
}

bool implausible(const Heartbeat& heartbeat) noexcept {
    return heartbeat.start_time_ms < 0 || heartbeat.current_time_ms < 0 || heartbeat.count < 0 ||
           heartbeat.start_time_ms > heartbeat.current_time_ms;
}

std::string in_bytes(const Sent& sent) {
    return std::to_string(sent.size) + " bytes to " + to_string(sent.to);
}

}  // namespace

std::string describe(const Receipt& receipt) {
    std::string text;
    for (const Sent& sent : receipt.sent) {
        text += sent.request + ": " + in_bytes(sent);
        if (sent.error) text += ": " + sent.error.message();
        text += "\n";
    }
    if (receipt.error && receipt.sent.empty()) text += receipt.error.message() + "\n";
    return text;
}

struct Client::Implementation {
    std::mutex lifecycle;  // held by whoever opens or closes; taken before the other one

    mutable std::mutex mutex;  // guards all below
    std::condition_variable changed;
    ClientOptions options;
    Address chosen_interface;  // 0.0.0.0 = the operating system's choice
    Address group;
    std::vector<Address> hosts;
    std::vector<Interface> own_interfaces;
    Address host;
    GroupSocket socket;
    Error multicast;
    Registry registry;
    Statistics statistics;
    bool running = false;
    std::thread thread;
    Clock::time_point next_interfaces;

    struct Search {
        Clock::time_point end;
        Clock::time_point next_wake;
    };
    std::map<std::int32_t, Search> searches;
    std::map<std::int32_t, Clock::time_point> next_reminders;

    using Lock = std::unique_lock<std::mutex>;

    // ---- opening

    Error take_options(const ClientOptions& given) {
        options = given;
        chosen_interface = Address{};
        if (!given.interface_address.empty()) {
            const auto address = parse_address(given.interface_address);
            if (!address)
                return option_error("interface_address", given.interface_address, "an IPv4 address");
            chosen_interface = *address;
        }
        const auto parsed_group = parse_address(given.group);
        if (!parsed_group || !parsed_group->is_multicast())
            return option_error("group", given.group, "an IPv4 address from 224.0.0.0 to 239.255.255.255");
        group = *parsed_group;
        hosts.clear();
        for (const std::string& text : given.hosts) {
            const auto address = parse_address(text);
            if (!address || address->is_multicast()) return option_error("a host", text, "an IPv4 address");
            hosts.push_back(*address);
        }
        if (given.expiry < milliseconds(1) || given.expiry > longest_wait)
            return option_error("expiry", std::to_string(given.expiry.count()) + " ms",
                                "from 1 ms to 24 hours");
        if (given.ports.request == 0 || given.ports.first_vehicle == 0)
            return option_error("a port", "0", "from 1 to 65535; only that of the heartbeats may be any");
        return {};
    }

    void look_at_interfaces() {
        own_interfaces = interfaces();
        std::vector<Address> addresses;
        for (const Interface& entry : own_interfaces) addresses.push_back(entry.address);
        registry.set_local_addresses(addresses);
        host = chosen_interface.value != 0 ? chosen_interface : source_address(group);
        next_interfaces = Clock::now() + interface_interval;
    }

    /// Joins the group. Where there is no network at all, the loopback interface is left.
    void join() {
        multicast = socket.join(group, chosen_interface);
        if (!multicast || chosen_interface.value != 0) return;
        if (host == loopback && !socket.join(group, loopback)) multicast = {};
    }

    Error open(const ClientOptions& given) {
        const Lock lock(mutex);
        if (auto error = take_options(given)) return error;
        registry = Registry({given.expiry, RegistryOptions{}.most_vehicles});
        statistics = {};
        searches.clear();
        next_reminders.clear();
        look_at_interfaces();
        if (chosen_interface.value != 0 && !registry.is_local(chosen_interface))
            return option_error("interface_address", given.interface_address, "an address of this computer");
        if (auto error = socket.open({Address{}, given.ports.heartbeat}, ap_json::Sharing::shared))
            return error;
        join();
        running = true;
        thread = std::thread([this] { run(); });
        return {};
    }

    void close() {
        std::thread ending;
        {
            const Lock lock(mutex);
            running = false;
            changed.notify_all();
            ending.swap(thread);
        }
        if (ending.joinable()) ending.join();
        const Lock lock(mutex);
        socket.close();
    }

    // ---- listening, in the client's thread

    void run() {
        std::vector<Event> events;
        while (true) {
            const bool ready = GroupSocket::wait_any({&socket}, longest_unwatched_wait);
            events.clear();
            {
                Lock lock(mutex);
                if (!running) return;
                const Clock::time_point now = Clock::now();
                const int received = receive(now, events);
                registry.expire(now, events);
                if (now >= next_interfaces) look_at_interfaces();
                repeat_wakes(now);
                note(events);
                if (received > 0 || !events.empty()) changed.notify_all();
                // A socket that fails is always "ready": this keeps the thread from spinning.
                if (ready && received == 0) changed.wait_for(lock, longest_unwatched_wait);
            }
            if (!options.on_event) continue;  // not changed while the thread runs
            for (const Event& event : events) options.on_event(event);
        }
    }

    /// @return how many datagrams there were
    int receive(Clock::time_point now, std::vector<Event>& events) {
        unsigned char buffer[64];
        Endpoint from;
        Address to;
        for (int count = 0; count < most_datagrams_a_turn; ++count) {
            const std::ptrdiff_t size = socket.receive(buffer, sizeof buffer, from, to);
            if (size < 0) return count;
            ++statistics.datagrams;
            Heartbeat heartbeat;
            const ErrorCode code = decode(buffer, static_cast<std::size_t>(size), heartbeat);
            if (code == ErrorCode::ok) {
                take(heartbeat, {from.address, to == group, now}, events);
            } else {
                ++(code == ErrorCode::wrong_length ? statistics.rejected_length
                                                   : statistics.rejected_checksum);
            }
        }
        return most_datagrams_a_turn;
    }

    void take(const Heartbeat& heartbeat, const Arrival& arrival, std::vector<Event>& events) {
        switch (registry.accept(heartbeat, arrival, events)) {
            case Acceptance::accepted:
                ++statistics.heartbeats;
                searches.erase(heartbeat.id);
                break;
            case Acceptance::rival:
                ++statistics.rivals;
                break;
            case Acceptance::bad_id:
                ++statistics.rejected_id;
                return;
            case Acceptance::full:
                ++statistics.rejected_full;
                return;
        }
        if (implausible(heartbeat)) ++statistics.implausible_times;
    }

    void note(const std::vector<Event>& events) {
        for (const Event& event : events) {
            if (event.kind == EventKind::arrived) ++statistics.arrivals;
            if (event.kind == EventKind::restarted) ++statistics.restarts;
            if (event.kind == EventKind::departed) {
                ++statistics.departures;
                next_reminders.erase(event.vehicle.id);
            }
        }
    }

    // ---- waking

    [[nodiscard]] bool comes_by_multicast(const Vehicle& vehicle, Clock::time_point now) const {
        return vehicle.last_multicast && now - *vehicle.last_multicast < options.expiry;
    }

    void repeat_wakes(Clock::time_point now) {
        for (auto search = searches.begin(); search != searches.end();) {
            if (now >= search->second.end) {
                search = searches.erase(search);
                continue;
            }
            if (now >= search->second.next_wake) {
                wake_everywhere(search->first, nullptr);
                search->second.next_wake = now + wake_interval;
            }
            ++search;
        }
        if (registry.size() > 0) remind(now);
    }

    /// Whether one wake request brings one heartbeat or many is not documented: a vehicle that is heard directly only
    /// is reminded before it counts as gone.
    void remind(Clock::time_point now) {
        for (const Vehicle& vehicle : registry.vehicles()) {
            if (comes_by_multicast(vehicle, now) || now - vehicle.last_seen < options.expiry / 2) continue;
            Clock::time_point& next = next_reminders[vehicle.id];
            if (now < next) continue;
            next = now + std::min<milliseconds>(wake_interval, options.expiry / 4);
            wake(vehicle.id, vehicle.address, nullptr);
        }
    }

    void wake(std::int32_t id, Address address, Receipt* receipt) {
        const auto port = vehicle_port(options.ports, id);
        if (!port) return;
        const bool limited_broadcast = address.value == ~0U;
        const bool same = address.same_subnet(host) || address.is_loopback() || limited_broadcast;
        const auto bytes = encode(same ? Wake::same_subnet : Wake::other_subnet);
        Sent sent{"vehicle " + std::to_string(id) + ": send your heartbeat here",
                  id,
                  {address, *port},
                  bytes.size(),
                  {}};
        transmit(sent, bytes.data());
        if (!sent.error) ++statistics.wakes;
        if (receipt != nullptr) receipt->sent.push_back(std::move(sent));
    }

    void wake_everywhere(std::int32_t id, Receipt* receipt) {
        std::vector<Address> targets{loopback};
        // 255.255.255.255 leaves by the system's choice; an interface that was chosen has an address of its own.
        if (chosen_interface.value == 0 && host != loopback) targets.push_back(Address{~0U});
        for (const Interface& entry : own_interfaces) {
            if (entry.address == host && !host.is_loopback()) targets.push_back(entry.broadcast());
        }
        for (const Address address : hosts) targets.push_back(address);
        for (std::size_t i = 0; i < targets.size(); ++i) {
            const auto before = targets.begin() + static_cast<std::ptrdiff_t>(i);
            if (std::find(targets.begin(), before, targets[i]) == before) wake(id, targets[i], receipt);
        }
    }

    void start_search(std::int32_t id) {
        if (!vehicle_port(options.ports, id)) return;
        const auto now = Clock::now();
        const auto [search, is_new] = searches.try_emplace(id, Search{now + search_time, now});
        if (!is_new) search->second.end = now + search_time;
    }

    // ---- sending

    void transmit(Sent& sent, const void* data) {
        const int number = socket.send(sent.to, data, sent.size);
        if (number == 0) return;
        ++statistics.send_errors;
        sent.error = {ErrorCode::send_failed, "cannot send " + in_bytes(sent) + ": " +
                                                  std::string(ap_json::UdpSocket::error_text(number).view())};
    }

    [[nodiscard]] bool multicast_usable(const Vehicle* vehicle) const {
        if (options.delivery == Delivery::unicast) return false;
        if (options.delivery == Delivery::multicast || vehicle == nullptr) return !multicast;
        return !multicast && comes_by_multicast(*vehicle, Clock::now());
    }

    /// Where a request for one vehicle goes; see Delivery.
    [[nodiscard]] std::vector<Endpoint> destinations(std::int32_t id, const Vehicle* vehicle) const {
        if (vehicle != nullptr)
            return route(multicast_usable(vehicle), group, vehicle->address, id, options.ports);
        std::vector<Endpoint> result =
            route(multicast_usable(nullptr), group, std::nullopt, id, options.ports);
        if (options.delivery == Delivery::multicast) return result;
        for (const Address address : hosts) {
            const auto more = route(false, group, address, id, options.ports);
            result.insert(result.end(), more.begin(), more.end());
        }
        return result;
    }

    /// Where a request for all goes: to the group, and to those that the group does not reach.
    [[nodiscard]] std::vector<Endpoint> destinations_of_all() const {
        std::vector<Endpoint> result = destinations(all_vehicles, nullptr);
        for (const Vehicle& vehicle : registry.vehicles()) {
            if (multicast_usable(&vehicle)) continue;
            for (const Endpoint& to : route(false, group, vehicle.address, vehicle.id, options.ports)) {
                if (options.delivery == Delivery::multicast) break;
                if (std::find(result.begin(), result.end(), to) == result.end()) result.push_back(to);
            }
        }
        return result;
    }

    [[nodiscard]] Error no_route(const std::string& request, std::int32_t id) const {
        const std::string why =
            multicast ? multicast.message() : "requests go to addresses only, as asked for";
        const std::string whom = id < first_id
                                     ? "no CopterSim is known"
                                     : "the address of vehicle " + std::to_string(id) + " is not known";
        return {ErrorCode::no_route,
                "\"" + request + "\" was not sent: " + whom + ", and multicast is not used (" + why +
                    "). Wait for its heartbeat (wait_for), or name its computer in hosts"};
    }

    /// Sends one message; adds to the receipt.
    template <class Bytes>
    void deliver(const std::string& request, std::int32_t id, const std::vector<Endpoint>& to,
                 const Bytes& bytes, Receipt& receipt) {
        if (to.empty()) {
            receipt.error = no_route(request, id);
            return;
        }
        bool any = false;
        Error failure;
        for (const Endpoint& endpoint : to) {
            Sent sent{request, id, endpoint, bytes.size(), {}};
            transmit(sent, bytes.data());
            if (sent.error) {
                failure = sent.error;
            } else {
                any = true;
                ++statistics.sent;
            }
            receipt.sent.push_back(std::move(sent));
        }
        if (!any) receipt.error = failure;
    }

    Receipt finish(Receipt receipt) {
        if (receipt.error && receipt.sent.empty()) ++statistics.refused;
        return receipt;
    }

    [[nodiscard]] Error check_open() const {
        if (socket.is_open()) return {};
        return {ErrorCode::closed, "the client is not open; call open() and look at the error it returns"};
    }

    void deliver(const InitialiseRequest& request, Receipt& receipt) {
        const Vehicle* vehicle = registry.find(request.id);
        if (vehicle == nullptr) {
            receipt.in_hope = true;
            start_search(request.id);
        }
        deliver(describe(request), request.id, destinations(request.id, vehicle), encode(request), receipt);
    }

    /// @param make  makes the request from an id and what is known of that vehicle, which may be null
    template <class Make>
    Receipt initialise(std::int32_t id, const Make& make) {
        const Lock lock(mutex);
        Receipt receipt;
        receipt.error = check_open();
        if (!receipt.error && id != all_vehicles) receipt.error = validate(make(id, registry.find(id)));
        if (receipt.error) return finish(std::move(receipt));
        if (id != all_vehicles) {
            deliver(make(id, registry.find(id)), receipt);
            return finish(std::move(receipt));
        }
        const std::vector<Vehicle> vehicles = registry.vehicles();
        // Checked before there is anybody to send to, so that what is wrong is told at once.
        receipt.error = validate(make(first_id, nullptr));
        if (!receipt.error && vehicles.empty())
            receipt.error = {ErrorCode::no_route,
                             "no CopterSim is known, so there is nobody to ask; wait for one"};
        for (const Vehicle& vehicle : vehicles) {
            if (receipt.error) break;
            deliver(make(vehicle.id, &vehicle), receipt);
        }
        return finish(std::move(receipt));
    }

    Receipt select(const SelectRequest& request, Error error) {
        const Lock lock(mutex);
        Receipt receipt;
        receipt.error = check_open();
        if (!receipt.error) receipt.error = std::move(error);
        SelectBytes bytes{};
        if (!receipt.error) receipt.error = encode(request, bytes);
        if (receipt.error) return finish(std::move(receipt));
        // No vehicle has an id below 1; the reference looks for one all the same.
        const bool is_vehicle = request.id >= first_id;
        const Vehicle* vehicle = is_vehicle ? registry.find(request.id) : nullptr;
        if (is_vehicle && vehicle == nullptr) {
            receipt.in_hope = true;
            start_search(request.id);
        }
        const auto to = is_vehicle ? destinations(request.id, vehicle) : destinations_of_all();
        deliver(describe(request), request.id, to, bytes, receipt);
        return finish(std::move(receipt));
    }

    /// For discover() and sweep_subnet().
    template <class Send>
    Receipt search(std::int32_t id, const Send& send) {
        const Lock lock(mutex);
        Receipt receipt;
        receipt.error = check_open();
        if (!receipt.error && !vehicle_port(options.ports, id))
            receipt.error = {ErrorCode::bad_id,
                             "no vehicle with the id " + std::to_string(id) + " can be looked for"};
        if (receipt.error) return finish(std::move(receipt));
        receipt.in_hope = registry.find(id) == nullptr;
        start_search(id);
        send(receipt);
        const auto failed = [](const Sent& sent) { return static_cast<bool>(sent.error); };
        if (std::all_of(receipt.sent.begin(), receipt.sent.end(), failed))
            receipt.error = receipt.sent.front().error;
        return receipt;
    }
};

Client::Client() : implementation_(std::make_unique<Implementation>()) {}

Client::~Client() { close(); }

Error Client::open(const ClientOptions& options) {
    const std::lock_guard<std::mutex> lifecycle(implementation_->lifecycle);
    implementation_->close();
    return implementation_->open(options);
}

void Client::close() {
    const std::lock_guard<std::mutex> lifecycle(implementation_->lifecycle);
    implementation_->close();
}

bool Client::is_open() const {
    const std::lock_guard<std::mutex> lock(implementation_->mutex);
    return implementation_->socket.is_open();
}

std::uint16_t Client::port() const {
    const std::lock_guard<std::mutex> lock(implementation_->mutex);
    return implementation_->socket.port();
}

Error Client::multicast() const {
    const std::lock_guard<std::mutex> lock(implementation_->mutex);
    return implementation_->multicast;
}

// ---- who is there

std::vector<Vehicle> Client::vehicles() const {
    const std::lock_guard<std::mutex> lock(implementation_->mutex);
    return implementation_->registry.vehicles();
}

std::optional<Vehicle> Client::find(std::int32_t id) const {
    const std::lock_guard<std::mutex> lock(implementation_->mutex);
    const Vehicle* vehicle = implementation_->registry.find(id);
    return vehicle == nullptr ? std::nullopt : std::optional(*vehicle);
}

Presence Client::presence(std::int32_t id) const {
    const std::lock_guard<std::mutex> lock(implementation_->mutex);
    if (implementation_->registry.find(id) != nullptr) return Presence::known;
    return implementation_->searches.count(id) > 0 ? Presence::pending : Presence::unknown;
}

std::optional<Vehicle> Client::wait_for(std::int32_t id, milliseconds timeout) {
    Implementation& self = *implementation_;
    const auto deadline = Clock::now() + std::clamp<milliseconds>(timeout, milliseconds(0), longest_wait);
    Implementation::Lock lock(self.mutex);
    const Vehicle* before = self.registry.find(id);
    const TimePoint first_seen = before != nullptr ? before->first_seen : TimePoint{};
    const std::uint64_t beats = before != nullptr ? before->beats : 0;
    while (self.running) {
        const Vehicle* vehicle = self.registry.find(id);
        if (vehicle == nullptr) self.start_search(id);
        if (vehicle != nullptr && (vehicle->beats != beats || vehicle->first_seen != first_seen))
            return *vehicle;
        if (self.changed.wait_until(lock, deadline) == std::cv_status::timeout) break;
    }
    return std::nullopt;
}

bool Client::wait_until(const std::function<bool(const std::vector<Vehicle>&)>& condition,
                        milliseconds timeout) {
    Implementation& self = *implementation_;
    const auto deadline = Clock::now() + std::clamp<milliseconds>(timeout, milliseconds(0), longest_wait);
    Implementation::Lock lock(self.mutex);
    while (self.running) {
        if (condition(self.registry.vehicles())) return true;
        if (self.changed.wait_until(lock, deadline) == std::cv_status::timeout)
            return self.running && condition(self.registry.vehicles());
    }
    return false;
}

Receipt Client::discover(std::int32_t id) {
    Implementation& self = *implementation_;
    return self.search(id, [&](Receipt& receipt) {
        self.wake_everywhere(id, &receipt);
        self.searches[id].next_wake = Clock::now() + wake_interval;
    });
}

Receipt Client::sweep_subnet(std::int32_t id, Address within) {
    return implementation_->search(id, [&](Receipt& receipt) {
        for (std::uint32_t last = 2; last <= 255; ++last)
            implementation_->wake(id, Address{(within.value & ~255U) | last}, &receipt);
    });
}

// ---- requests

Receipt Client::request_stream(std::int32_t id) {
    return implementation_->initialise(id, [](std::int32_t each, const Vehicle* vehicle) {
        return stream_request(each, vehicle != nullptr && vehicle->local);
    });
}

Receipt Client::set_udp_mode(std::int32_t id, UdpMode mode) {
    UdpMode checked{};
    if (auto error = udp_mode_from(static_cast<std::int32_t>(mode), checked)) {
        Receipt receipt;
        receipt.error = error;
        const std::lock_guard<std::mutex> lock(implementation_->mutex);
        return implementation_->finish(std::move(receipt));
    }
    return implementation_->initialise(
        id, [mode](std::int32_t each, const Vehicle*) { return udp_mode_request(each, mode); });
}

Receipt Client::place(std::int32_t id, const GroundPose& pose) {
    return implementation_->initialise(
        id, [&pose](std::int32_t each, const Vehicle*) { return place_request(each, pose); });
}

Receipt Client::place(std::int32_t id, const AirPose& pose) {
    return implementation_->initialise(
        id, [&pose](std::int32_t each, const Vehicle*) { return place_request(each, pose); });
}

Receipt Client::place(std::int32_t id, const GpsPose& pose) {
    return implementation_->initialise(
        id, [&pose](std::int32_t each, const Vehicle*) { return place_request(each, pose); });
}

Receipt Client::set_gps_origin(std::int32_t id, const GpsOrigin& origin) {
    return implementation_->initialise(
        id, [&origin](std::int32_t each, const Vehicle*) { return gps_origin_request(each, origin); });
}

Receipt Client::show_gps(std::int32_t id) {
    return implementation_->initialise(
        id, [](std::int32_t each, const Vehicle*) { return gps_display_request(each); });
}

Receipt Client::show_xy(std::int32_t id) {
    return implementation_->initialise(
        id, [](std::int32_t each, const Vehicle*) { return xy_display_request(each); });
}

Receipt Client::select_model(std::int32_t id, std::string_view name) {
    const SelectRequest request = select_request(id, Selection::model, name);
    return implementation_->select(request, validate(request));
}

Receipt Client::select_model(std::int32_t id, std::int32_t index) {
    const SelectRequest request = select_request(id, Selection::model, index);
    return implementation_->select(request, validate(request));
}

Receipt Client::select_map(std::int32_t id, std::string_view name) {
    const SelectRequest request = select_request(id, Selection::map, name);
    return implementation_->select(request, validate(request));
}

Receipt Client::select_map(std::int32_t id, std::int32_t index) {
    const SelectRequest request = select_request(id, Selection::map, index);
    return implementation_->select(request, validate(request));
}

Receipt Client::send(const InitialiseRequest& request) {
    const std::lock_guard<std::mutex> lock(implementation_->mutex);
    Receipt receipt;
    receipt.error = implementation_->check_open();
    if (!receipt.error) receipt.error = validate_values(request);
    if (!receipt.error) {
        const Vehicle* vehicle = implementation_->registry.find(request.id);
        InitialiseRequest resolved = request;
        resolved.stream = on_wire(request.stream, vehicle != nullptr && vehicle->local);
        implementation_->deliver(resolved, receipt);
    }
    return implementation_->finish(std::move(receipt));
}

Receipt Client::send(const SelectRequest& request) {
    return implementation_->select(request, validate_values(request));
}

// ---- this computer

std::vector<Address> Client::local_addresses() const {
    std::vector<Address> result{loopback};
    for (const Interface& entry : interfaces()) {
        if (entry.address != loopback) result.push_back(entry.address);
    }
    return result;
}

bool Client::is_local(Address address) const {
    const std::vector<Address> addresses = local_addresses();
    return std::find(addresses.begin(), addresses.end(), address) != addresses.end();
}

Address Client::host_address() const {
    const std::lock_guard<std::mutex> lock(implementation_->mutex);
    return implementation_->socket.is_open() ? implementation_->host : source_address(multicast_group);
}

Statistics Client::statistics() const {
    const std::lock_guard<std::mutex> lock(implementation_->mutex);
    return implementation_->statistics;
}

}  // namespace coptersim
