// tap.cpp - see tap.hpp. One thread; what arrives is sent on first, and looked at and recorded afterwards.
#include "tap.hpp"

#include <algorithm>
#include <asio.hpp>
#include <csignal>
#include <map>
#include <optional>
#include <utility>

#include "recording.hpp"

using asio::ip::udp;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

namespace {

constexpr int receive_buffer_size = 4 << 20;                // bytes
constexpr std::uint64_t common_route = 0;                   // of those that have none of their own
constexpr std::uint64_t second_seed = 0x9e3779b97f4a7c15U;  // the two directions must not have the same luck

nanoseconds now() { return steady_clock::now().time_since_epoch(); }

std::int64_t wall_ns() {
    return std::chrono::duration_cast<nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

std::string to_text(const udp::endpoint& endpoint) {
    return endpoint.address().to_string() + ":" + std::to_string(endpoint.port());
}

/// @param option  its name, for the message. @return empty, or why not
std::string to_endpoint(const char* option, const std::string& address, int port, udp::endpoint& endpoint) {
    asio::error_code error;
    const auto parsed = asio::ip::make_address_v4(address, error);
    if (error) return std::string(option) + ": \"" + address + "\" is not an IPv4 address such as 127.0.0.1";
    endpoint = udp::endpoint(parsed, static_cast<std::uint16_t>(port));
    return {};
}

/// A name is made once for each run of datagrams from the same sender, not for each datagram.
class PeerName {
  public:
    const std::string& of(const udp::endpoint& endpoint) {
        if (name_.empty() || endpoint != endpoint_) {
            endpoint_ = endpoint;
            name_ = to_text(endpoint);
        }
        return name_;
    }

  private:
    udp::endpoint endpoint_;
    std::string name_;
};

/// A socket together with the datagram that arrives at it.
struct Port {
    static constexpr std::size_t buffer_size = 65536;

    explicit Port(asio::io_context& context) : socket(context), buffer(new char[buffer_size]) {}

    /// For the way to the backend. @return whether the operating system had a socket left
    bool open(asio::error_code& error) {
        socket.open(udp::v4(), error);
        if (!error) socket.bind(udp::endpoint(udp::v4(), 0), error);
        if (!error) socket.non_blocking(true, error);
        return !error;
    }

    udp::socket socket;
    udp::endpoint sender;
    PeerName sender_name;
    std::unique_ptr<char[]> buffer;  // not a vector, which would fill it with zeros
};

/// The way of one sender to the backend and back.
struct Route {
    Route(asio::io_context& context, std::uint64_t its_number, const udp::endpoint& sender)
        : number(its_number), sitl(sender), sitl_name(to_text(sender)), port(context) {}

    std::uint64_t number;
    udp::endpoint sitl;
    std::string sitl_name;
    Port port;
    bool sent_a_packet = false;  // it is a SITL
    nanoseconds used{};          // when it last sent
};

}  // namespace

struct Tap::Implementation {
    explicit Implementation(TapOptions given)
        : options(std::move(given)),
          to_backend(options.to_backend, options.seed, start),
          to_sitl(options.to_sitl, options.seed ^ second_seed, start) {}

    std::string open();
    std::string open_sockets();
    void end_on_signals();
    void listen();
    void serve(const std::shared_ptr<Route>& route);
    void from_sitl(std::string_view datagram);
    void from_backend(Route& route, std::string_view datagram);
    Route* route_of(const udp::endpoint& sender, nanoseconds time, bool is_packet);
    Route* add_route(const udp::endpoint& sender);
    bool make_room(nanoseconds time, bool for_a_sitl);
    void send_due(nanoseconds time);
    void send_to_backend(const Disturber::Departure& departure);
    void send_to_sitl(nanoseconds time, const Disturber::Departure& departure);
    void note_failure(const asio::error_code& error, const udp::endpoint& receiver);
    void set_timer();
    void record(Record::Kind kind, nanoseconds time, const std::string& peer, std::string_view bytes,
                const std::string& fate);

    TapOptions options;
    nanoseconds start = now();
    asio::io_context context{1};
    asio::signal_set signals{context};
    asio::steady_timer departure_timer{context};
    std::optional<nanoseconds> timer_set_to;
    Port listening{context};
    udp::endpoint backend;

    std::map<udp::endpoint, std::shared_ptr<Route>> routes;
    std::map<std::uint64_t, Route*> routes_by_number;
    Route* newest_route = nullptr;  // most datagrams come from the same one
    udp::socket common{context};

    Disturber to_backend;
    Disturber to_sitl;
    std::optional<LinkMonitor> monitor;
    RecordingWriter recording;
    bool recording_on = false;
    TapCounts counts;
    std::string send_problem;
    PeerName backend_name;
};

// ---- opening

std::string Tap::Implementation::open() {
    if (std::string problem = open_sockets(); !problem.empty()) return problem;
    if (!options.record.empty()) {
        if (std::string problem = recording.open(options.record, options.note); !problem.empty())
            return "--record: " + problem;
        recording_on = true;
    }
    monitor.emplace(start, to_text(listening.socket.local_endpoint()), to_text(backend));
    end_on_signals();
    return {};
}

std::string Tap::Implementation::open_sockets() {
    udp::endpoint own;
    std::string problem = to_endpoint("--address", options.address, options.port, own);
    if (problem.empty())
        problem = to_endpoint("--backend-address", options.backend_address, options.backend_port, backend);
    if (!problem.empty()) return problem;
    const bool same_address = own.address() == backend.address() ||
                              (own.address().is_unspecified() && backend.address().is_loopback());
    if (same_address && own.port() == backend.port())
        return "it would send to itself: SITL's port and the backend's port are both " +
               std::to_string(own.port());
    asio::error_code error;
    listening.socket.open(udp::v4(), error);
    if (!error) listening.socket.bind(own, error);
    if (!error) listening.socket.non_blocking(true, error);
    asio::error_code ignored;  // more room for bursts, as far as the system allows; it works without
    listening.socket.set_option(asio::socket_base::receive_buffer_size(receive_buffer_size), ignored);
    if (!error) common.open(udp::v4(), error);
    if (!error) common.non_blocking(true, error);
    if (!error) return {};
    return "cannot listen on UDP " + to_text(own) + ": " + error.message() +
           (error == asio::error::address_in_use ? ". Another program listens there; --port chooses another"
                                                 : "");
}

void Tap::Implementation::end_on_signals() {
    asio::error_code ignored;  // without it, the signal ends the program all the same
    signals.add(SIGINT, ignored);
    signals.add(SIGTERM, ignored);
#if !defined(_WIN32)
    signals.add(SIGHUP, ignored);
    std::signal(SIGPIPE, SIG_IGN);  // whoever reads the output has gone: the link stays
#endif
    signals.async_wait([this](const asio::error_code& error, int) {
        if (!error) context.stop();
    });
}

// ---- receiving

void Tap::Implementation::listen() {
    listening.socket.async_receive_from(asio::buffer(listening.buffer.get(), Port::buffer_size),
                                        listening.sender,
                                        [this](const asio::error_code& error, std::size_t size) {
                                            if (error == asio::error::operation_aborted) return;
                                            // Another error is the fate of a datagram sent before, such as
                                            // "port unreachable".
                                            if (!error) from_sitl({listening.buffer.get(), size});
                                            listen();
                                        });
}

void Tap::Implementation::serve(const std::shared_ptr<Route>& route) {
    Port& port = route->port;
    port.socket.async_receive_from(asio::buffer(port.buffer.get(), Port::buffer_size), port.sender,
                                   [this, route](const asio::error_code& error, std::size_t size) {
                                       if (!route->port.socket.is_open()) return;  // forgotten
                                       if (!error) from_backend(*route, {route->port.buffer.get(), size});
                                       serve(route);
                                   });
}

void Tap::Implementation::from_sitl(std::string_view datagram) {
    const nanoseconds time = now();
    ap_json::ServoPacket packet;
    const bool is_packet =
        ap_json::decode(datagram.data(), datagram.size(), packet) == ap_json::ErrorCode::ok;
    Route* const route = route_of(listening.sender, time, is_packet);
    const std::string fate =
        to_backend.arrive(time, route == nullptr ? common_route : route->number, datagram);
    send_due(time);

    const std::string sender = route == nullptr ? to_text(listening.sender) : route->sitl_name;
    monitor->from_sitl(time, sender, datagram);
    if (!recording_on) return;
    if (is_packet && monitor->newest_kind() == ap_json::FrameKind::restarted)
        record(Record::Kind::mark, time, "", "SITL was started again", "");
    record(Record::Kind::from_sitl, time, sender, datagram, fate);
}

void Tap::Implementation::from_backend(Route& route, std::string_view datagram) {
    const nanoseconds time = now();
    const std::string fate = to_sitl.arrive(time, route.number, datagram);
    send_due(time);
    if (recording_on)
        record(Record::Kind::from_backend, time, route.port.sender_name.of(route.port.sender), datagram,
               fate);
}

// ---- who sends

/// @return null when the sender gets no port of its own
Route* Tap::Implementation::route_of(const udp::endpoint& sender, nanoseconds time, bool is_packet) {
    Route* route = newest_route;
    if (route == nullptr || route->sitl != sender) {
        const auto found = routes.find(sender);
        if (found != routes.end()) {
            route = found->second.get();
        } else {
            route = routes.size() < most_senders || make_room(time, is_packet) ? add_route(sender) : nullptr;
        }
    }
    if (route == nullptr) {
        ++counts.crowded_out;
        return nullptr;
    }
    newest_route = route;
    route->used = time;
    if (is_packet) route->sent_a_packet = true;
    return route;
}

/// @return null when the operating system has no socket left
Route* Tap::Implementation::add_route(const udp::endpoint& sender) {
    auto route = std::make_shared<Route>(context, ++counts.senders, sender);
    asio::error_code error;
    if (!route->port.open(error)) {
        send_problem = "no socket for one more sender: " + error.message();
        return nullptr;
    }
    routes[sender] = route;
    routes_by_number[route->number] = route.get();
    serve(route);
    return route.get();
}

/// Forgets one: strays before SITLs, then whoever has been silent longest. A stray takes no place of somebody
/// who has sent lately: a flood from many ports would do nothing but open and close sockets.
bool Tap::Implementation::make_room(nanoseconds time, bool for_a_sitl) {
    const auto oldest = std::min_element(routes.begin(), routes.end(), [](const auto& a, const auto& b) {
        return std::pair(a.second->sent_a_packet, a.second->used) <
               std::pair(b.second->sent_a_packet, b.second->used);
    });
    Route& route = *oldest->second;
    if (!for_a_sitl && time - route.used < longest_silence) return false;
    asio::error_code ignored;
    route.port.socket.close(ignored);  // which ends its wait, and that lets go of it
    routes_by_number.erase(route.number);
    if (newest_route == &route) newest_route = nullptr;
    routes.erase(oldest);
    ++counts.forgotten;
    return true;
}

// ---- sending

void Tap::Implementation::send_due(nanoseconds time) {
    while (const auto departure = to_backend.take_departure(time)) send_to_backend(*departure);
    while (const auto departure = to_sitl.take_departure(time)) send_to_sitl(time, *departure);
    set_timer();
}

void Tap::Implementation::send_to_backend(const Disturber::Departure& departure) {
    const auto route = routes_by_number.find(departure.route);
    if (route == routes_by_number.end() && departure.route != common_route) {
        ++counts.not_sent;  // forgotten meanwhile
        return;
    }
    udp::socket& socket = route == routes_by_number.end() ? common : route->second->port.socket;
    asio::error_code error;
    socket.send_to(asio::buffer(departure.bytes), backend, 0, error);
    if (error) note_failure(error, backend);
}

void Tap::Implementation::send_to_sitl(nanoseconds time, const Disturber::Departure& departure) {
    const auto found = routes_by_number.find(departure.route);
    if (found == routes_by_number.end()) {
        ++counts.not_sent;
        return;
    }
    Route& route = *found->second;
    asio::error_code error;
    listening.socket.send_to(asio::buffer(departure.bytes), route.sitl, 0, error);
    if (error) {
        note_failure(error, route.sitl);
        return;
    }
    monitor->to_sitl(time, backend_name.of(route.port.sender), route.sitl_name, departure.bytes);
}

void Tap::Implementation::note_failure(const asio::error_code& error, const udp::endpoint& receiver) {
    ++counts.not_sent;
    send_problem = "cannot send to " + to_text(receiver) + ": " + error.message();
}

void Tap::Implementation::set_timer() {
    auto next = to_backend.next_time();
    if (const auto other = to_sitl.next_time()) next = std::min(next.value_or(*other), *other);
    if (next == timer_set_to) return;
    timer_set_to = next;
    if (!next) {
        departure_timer.cancel();
        return;
    }
    departure_timer.expires_at(steady_clock::time_point(*next));
    departure_timer.async_wait([this](const asio::error_code& error) {
        if (error) return;
        timer_set_to.reset();
        send_due(now());
    });
}

// ---- recording

void Tap::Implementation::record(Record::Kind kind, nanoseconds time, const std::string& peer,
                                 std::string_view bytes, const std::string& fate) {
    if (!recording.write({kind, (time - start).count(), wall_ns(), peer, std::string(bytes), fate})) {
        recording_on = false;
        return;
    }
    if (kind != Record::Kind::mark) ++counts.recorded;
}

// ---- what is seen from outside

Tap::Tap(TapOptions options) : implementation_(std::make_unique<Implementation>(std::move(options))) {}
Tap::~Tap() = default;

std::string Tap::open() { return implementation_->open(); }

std::string Tap::listening_on() const {
    asio::error_code ignored;
    return to_text(implementation_->listening.socket.local_endpoint(ignored));
}

void Tap::run(nanoseconds duration, nanoseconds every, const std::function<void()>& look,
              const std::function<void()>& suspend) {
    Implementation& i = *implementation_;
    asio::steady_timer end(i.context);
    if (duration > nanoseconds(0)) {
        end.expires_after(duration);
        end.async_wait([&](const asio::error_code& error) {
            if (!error) i.context.stop();
        });
    }
    asio::steady_timer tick(i.context);
    std::function<void()> wait_for_tick = [&] {
        tick.expires_after(every);
        tick.async_wait([&](const asio::error_code& error) {
            if (error) return;
            look();
            wait_for_tick();
        });
    };
    if (look) wait_for_tick();
    asio::signal_set suspend_signal(i.context);
    std::function<void()> wait_for_suspend = [&] {
        suspend_signal.async_wait([&](const asio::error_code& error, int) {
            if (error) return;
            suspend();
            wait_for_suspend();
        });
    };
#if !defined(_WIN32)
    asio::error_code ignored;
    if (suspend) suspend_signal.add(SIGTSTP, ignored);
#endif
    if (suspend) wait_for_suspend();
    i.listen();
    i.context.run();
}

LinkSnapshot Tap::snapshot() const { return implementation_->monitor->snapshot(now()); }
const DisturbanceCounts& Tap::to_backend() const { return implementation_->to_backend.counts(); }
const DisturbanceCounts& Tap::to_sitl() const { return implementation_->to_sitl.counts(); }
const TapCounts& Tap::counts() const { return implementation_->counts; }
const std::string& Tap::recording_problem() const { return implementation_->recording.problem(); }
const std::string& Tap::send_problem() const { return implementation_->send_problem; }
