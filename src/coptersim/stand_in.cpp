// stand_in.cpp - see stand_in.hpp.
#include "coptersim/stand_in.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "group_socket.hpp"

namespace coptersim {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds longest_unwatched_wait(20);
constexpr std::chrono::hours longest_wait(24);
constexpr int most_datagrams_a_turn = 256;
constexpr std::size_t most_listeners = 100;

std::int64_t unix_time_ms() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<milliseconds>(now).count();
}

Error option_error(const char* name, const std::string& value, const char* expected) {
    return {ErrorCode::bad_option, std::string(name) + " is \"" + value + "\"; it has to be " + expected};
}

void deploy(const InitialiseRequest& request, StandInState& state) {
    ++state.deployments;
    state.on_terrain = static_cast<int>(request.attitude) <= 0;
    const auto& attitude = request.z_roll_pitch;
    state.pose.down_m = state.on_terrain ? 0 : attitude[0];
    state.pose.roll_deg = state.on_terrain ? 0 : attitude[1];
    state.pose.pitch_deg = state.on_terrain ? 0 : attitude[2];
    state.pose.yaw_deg = request.yaw;
    if (request.deployment == Deployment::gps_position) {
        state.gps_pose = GpsPose{request.position[0], request.position[1], request.yaw};
        return;
    }
    state.gps_pose.reset();
    state.pose.north_m = request.position[0];
    state.pose.east_m = request.position[1];
}

}  // namespace

void apply(const InitialiseRequest& request, Address sender, StandInState& state) {
    state.last_initialise = request;
    if (request.stream == Stream::same_computer) state.stream_target = loopback;
    if (static_cast<int>(request.stream) > 0) state.stream_target = sender;
    if (static_cast<int>(request.udp_mode) >= 0) state.udp_mode = request.udp_mode;
    switch (request.deployment) {
        case Deployment::position:
        case Deployment::gps_position:
            deploy(request, state);
            break;
        case Deployment::gps_origin:
            state.gps_origin = {request.position[0], request.position[1], request.yaw};
            break;
        case Deployment::gps_display:
        case Deployment::xy_display:
            state.shows_gps = request.deployment == Deployment::gps_display;
            break;
        case Deployment::none:
            break;
    }
}

void apply(const SelectRequest& request, StandInState& state) {
    state.last_select = request;
    const std::string what = request.index >= 0 ? "#" + std::to_string(request.index) : request.name;
    if (request.selection == Selection::model) state.model = what;
    if (request.selection == Selection::map) state.map = what;
}

struct StandIn::Implementation {
    std::mutex lifecycle;  // held by whoever starts or ends the thread; taken before the other one

    mutable std::mutex mutex;  // guards all below
    std::condition_variable changed;
    StandInOptions options;
    Address own_address;
    Address group;
    Address interface_address;
    GroupSocket shared;   // the port of all: what is sent to the group
    GroupSocket own;      // the port of all at own_address; closed when that is all addresses
    GroupSocket vehicle;  // the port of this vehicle alone
    StandInState state;
    StandInTraffic traffic;
    Heartbeat heartbeat;
    std::vector<Address> listeners;  // who has asked for heartbeats of their own
    Clock::time_point next_beat;
    bool running = false;
    bool paused = false;
    std::thread thread;

    using Lock = std::unique_lock<std::mutex>;

    // ---- starting

    Error take_options(const StandInOptions& given) {
        options = given;
        const auto parsed_own = parse_address(given.own_address);
        if (!parsed_own) return option_error("own_address", given.own_address, "an IPv4 address");
        const auto parsed_interface = parse_address(given.interface_address);
        if (!given.interface_address.empty() && !parsed_interface)
            return option_error("interface_address", given.interface_address, "an IPv4 address");
        const auto parsed_group = parse_address(given.group);
        if (!parsed_group || !parsed_group->is_multicast())
            return option_error("group", given.group, "an IPv4 address from 224.0.0.0 to 239.255.255.255");
        if (given.beat_interval < milliseconds(1) || given.beat_interval > longest_wait)
            return option_error("beat_interval", std::to_string(given.beat_interval.count()) + " ms",
                                "from 1 ms to 24 hours");
        if (given.id < first_id || !vehicle_port(given.ports, given.id))
            return {ErrorCode::bad_id, "no vehicle can have the id " + std::to_string(given.id)};
        own_address = *parsed_own;
        interface_address = parsed_interface.value_or(Address{});
        group = *parsed_group;
        return {};
    }

    Error open_sockets() {
        using ap_json::Sharing;
        const std::uint16_t request_port = options.ports.request;
        if (auto error =
                vehicle.open({own_address, *vehicle_port(options.ports, options.id)}, Sharing::exclusive))
            return error;
        if (auto error = shared.open({Address{}, request_port}, Sharing::shared)) return error;
        if (own_address.value != 0) {
            if (auto error = own.open({own_address, request_port}, Sharing::shared)) return error;
        }
        if (!options.multicast) return {};
        if (auto error = shared.join(group, interface_address)) return error;
        return vehicle.join(group, interface_address);  // not to hear the group there, but to send to it
    }

    void close_sockets() {
        shared.close();
        own.close();
        vehicle.close();
    }

    Error start(const StandInOptions& given) {
        const Lock lock(mutex);
        if (auto error = take_options(given)) return error;
        if (auto error = open_sockets()) {
            close_sockets();
            return error;
        }
        state = {};
        traffic = {};
        listeners.clear();
        // Two starts within one millisecond are two all the same.
        heartbeat = {options.id, std::max(unix_time_ms(), heartbeat.start_time_ms + 1), 0, 0};
        next_beat = Clock::now();
        paused = false;
        running = true;
        thread = std::thread([this] { run(); });
        return {};
    }

    void stop() {
        std::thread ending;
        {
            const Lock lock(mutex);
            running = false;
            changed.notify_all();
            ending.swap(thread);
        }
        if (ending.joinable()) ending.join();
        const Lock lock(mutex);
        close_sockets();
    }

    // ---- in its thread

    void run() {
        while (true) {
            const auto until_beat = std::chrono::ceil<milliseconds>(next_beat - Clock::now());
            GroupSocket::wait_any({&shared, &own, &vehicle},
                                  std::clamp(until_beat, milliseconds(0), longest_unwatched_wait));
            Lock lock(mutex);
            changed.wait(lock, [this] { return !paused || !running; });
            if (!running) return;
            for (GroupSocket* socket : {&shared, &own, &vehicle}) receive(*socket);
            if (Clock::now() >= next_beat) beat();
        }
    }

    void beat() {
        next_beat = std::max(next_beat + options.beat_interval, Clock::now());
        ++heartbeat.count;
        heartbeat.current_time_ms = std::max(unix_time_ms(), heartbeat.start_time_ms);
        if (options.multicast) send_beat(group);
        for (const Address listener : listeners) send_beat(listener);
        if (!options.wake_lasts) listeners.clear();
    }

    void send_beat(Address to) {
        const HeartbeatBytes bytes = encode(heartbeat);
        const int failed = vehicle.send({to, options.ports.heartbeat}, bytes.data(), bytes.size());
        ++(failed == 0 ? traffic.beats : traffic.send_errors);
    }

    void receive(GroupSocket& socket) {
        if (!socket.is_open()) return;
        unsigned char buffer[128];
        Endpoint from;
        Address to;
        for (int count = 0; count < most_datagrams_a_turn; ++count) {
            const std::ptrdiff_t size = socket.receive(buffer, sizeof buffer, from, to);
            if (size < 0) return;
            if (!hears(socket, to)) continue;
            handle(buffer, static_cast<std::size_t>(size), from, &socket == &vehicle);
        }
    }

    /// Some systems hand a socket what others of this computer have joined, or what was sent to other addresses.
    [[nodiscard]] bool hears(const GroupSocket& socket, Address to) const {
        if (to.is_multicast()) return options.multicast;
        return &socket != &shared || own_address.value == 0;
    }

    void handle(const unsigned char* data, std::size_t size, const Endpoint& from, bool own_port) {
        InitialiseRequest initialise;
        SelectRequest select;
        Wake wake{};
        if (decode(data, size, initialise) == ErrorCode::ok) {
            take(initialise, initialise.id == options.id, from);
        } else if (decode(data, size, select) == ErrorCode::ok) {
            take(select, select.id == options.id || select.id == all_vehicles, from);
        } else if (own_port && decode(data, size, wake) == ErrorCode::ok) {
            answer_wake(from);
        } else {
            ++traffic.rejected;
            log(from, std::to_string(size) + " bytes that are no request");
        }
    }

    template <class Request>
    void take(const Request& request, bool mine, const Endpoint& from) {
        if (!mine) {
            ++traffic.others;
            return;
        }
        if (const auto error = validate_values(request)) {
            ++traffic.rejected;
            log(from, error.message());
            return;
        }
        if constexpr (std::is_same_v<Request, InitialiseRequest>) {
            apply(request, from.address, state);
        } else {
            apply(request, state);
        }
        ++traffic.applied;
        log(from, describe(request));
        changed.notify_all();
    }

    void answer_wake(const Endpoint& from) {
        ++traffic.wakes;
        log(from, "vehicle " + std::to_string(options.id) + ": send your heartbeat");
        const bool known = std::find(listeners.begin(), listeners.end(), from.address) != listeners.end();
        if (!known && listeners.size() < most_listeners) listeners.push_back(from.address);
        next_beat = Clock::now();
    }

    void log(const Endpoint& from, const std::string& what) const {
        if (options.log) options.log("from " + to_string(from) + ": " + what);
    }
};

StandIn::StandIn() : implementation_(std::make_unique<Implementation>()) {}

StandIn::~StandIn() { stop(); }

Error StandIn::start(const StandInOptions& options) {
    const std::lock_guard<std::mutex> lifecycle(implementation_->lifecycle);
    implementation_->stop();
    return implementation_->start(options);
}

Error StandIn::restart() {
    const std::lock_guard<std::mutex> lifecycle(implementation_->lifecycle);
    implementation_->stop();
    const StandInOptions same = implementation_->options;
    return implementation_->start(same);
}

void StandIn::stop() {
    const std::lock_guard<std::mutex> lifecycle(implementation_->lifecycle);
    implementation_->stop();
}

void StandIn::pause() {
    const std::lock_guard<std::mutex> lock(implementation_->mutex);
    implementation_->paused = true;
}

void StandIn::resume() {
    const std::lock_guard<std::mutex> lock(implementation_->mutex);
    implementation_->paused = false;
    implementation_->changed.notify_all();
}

StandInState StandIn::state() const {
    const std::lock_guard<std::mutex> lock(implementation_->mutex);
    return implementation_->state;
}

StandInTraffic StandIn::traffic() const {
    const std::lock_guard<std::mutex> lock(implementation_->mutex);
    return implementation_->traffic;
}

bool StandIn::wait_until(const std::function<bool(const StandInState&)>& condition, milliseconds timeout) {
    Implementation& self = *implementation_;
    const auto deadline = Clock::now() + std::clamp<milliseconds>(timeout, milliseconds(0), longest_wait);
    Implementation::Lock lock(self.mutex);
    while (self.running) {
        if (condition(self.state)) return true;
        if (self.changed.wait_until(lock, deadline) == std::cv_status::timeout)
            return self.running && condition(self.state);
    }
    return false;
}

}  // namespace coptersim
