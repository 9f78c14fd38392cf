// sitl_stand_in.cpp - gives SitlModel a socket, a clock and a thread.
#include "ap_json/sitl_stand_in.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "text_writer.hpp"
#include "udp_socket.hpp"

namespace ap_json {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr milliseconds resend_time(1102);           // as measured
constexpr milliseconds free_running_time(100);      // how long it waits with no_lockstep
constexpr milliseconds largest_backlog(100);        // a slow backend is not caught up with beyond this
constexpr milliseconds longest_unwatched_wait(20);  // until it looks whether it should stop
constexpr std::chrono::hours longest_wait(24);

constexpr double slowest = 0.001;  // speedup
constexpr double fastest = 1e6;

}  // namespace

struct SitlStandIn::Implementation {
    std::mutex lifecycle;  // held by whoever starts or ends the thread; taken before the other one
    SitlStandInOptions options;
    Endpoint backend;

    mutable std::mutex mutex;  // guards all below
    std::condition_variable changed;
    SitlModel model;
    SitlTraffic traffic;
    bool running = false;
    bool paused = false;
    int waiting = 0;  // threads in wait_until

    UdpSocket socket;
    std::thread thread;
    std::vector<char> buffer = std::vector<char>(65536);
    Clock::time_point next_frame;  // when pacing lets the next frame begin

    using Lock = std::unique_lock<std::mutex>;

    void send_packet() {
        unsigned char packet[servo_packet_size_32];
        const std::size_t size = model.write_packet(packet);
        ++traffic.packets;
        const char* const bytes = reinterpret_cast<const char*>(packet);
        if (options.sending) options.sending({bytes, size});
        static_cast<void>(socket.send(backend, bytes, size));
    }

    void notify() {
        if (waiting > 0) changed.notify_all();
    }

    void show_console() {
        const auto lines = model.take_console();
        if (!options.console) return;
        for (const std::string& line : lines) options.console(line);
    }

    /// Sleeps as SITL does to keep to SIM_SPEEDUP times real time.
    void pace(Lock& lock) {
        const double step = model.newest_step();
        const State& state = model.reader().state();
        if (options.speedup <= 0 || step <= 0 || step >= 0.1 || state.no_time_sync.value_or(false)) return;
        const Clock::time_point now = Clock::now();
        next_frame = std::max(next_frame + std::chrono::duration_cast<nanoseconds>(
                                               std::chrono::duration<double>(step / options.speedup)),
                              now - largest_backlog);
        changed.wait_until(lock, next_frame, [this] { return !running; });
    }

    void handle_datagram(std::size_t size, Lock& lock) {
        if (options.received) options.received({buffer.data(), size});
        const SitlVerdict verdict = model.receive(buffer.data(), size);
        ++(verdict == SitlVerdict::accepted ? traffic.accepted : traffic.rejected);
        show_console();
        const std::string& advice = model.reader().advice();
        if (options.advice && !advice.empty()) options.advice(advice);
        if (verdict == SitlVerdict::fatal) {
            running = false;
            if (options.console)
                options.console("ERROR: Floating point exception - aborting (" + model.death() + ")");
        } else if (verdict == SitlVerdict::accepted) {
            notify();
            pace(lock);
        }
        if (running && verdict != SitlVerdict::full) send_packet();
        notify();
    }

    void handle_silence() {
        // With no_lockstep SITL goes on by itself after a while; it is the same packet all the same.
        if (!model.reader().state().no_lockstep.value_or(false)) {
            ++traffic.resends;
            if (options.console) options.console("No JSON sensor message received, resending servos");
        }
        send_packet();
        notify();
    }

    void run() {
        Lock lock(mutex);
        next_frame = Clock::now();
        Clock::time_point asked = next_frame;
        send_packet();
        while (running) {
            if (paused) {
                changed.wait(lock, [this] { return !paused || !running; });
                continue;
            }
            const bool lockstep = !model.reader().state().no_lockstep.value_or(false);
            const nanoseconds patience = lockstep ? resend_time : free_running_time;
            const nanoseconds remaining = asked + patience - Clock::now();
            lock.unlock();
            socket.wait(std::clamp<nanoseconds>(remaining, nanoseconds(0), longest_unwatched_wait));
            lock.lock();
            if (!running || paused) continue;
            Endpoint from;
            const std::ptrdiff_t size = socket.receive_one(buffer.data(), buffer.size(), from);
            if (size >= 0) {
                handle_datagram(static_cast<std::size_t>(size), lock);
                asked = Clock::now();
            } else if (Clock::now() - asked >= patience) {
                handle_silence();
                asked = Clock::now();
            }
        }
        notify();
    }

    void stop() {
        {
            const Lock lock(mutex);
            running = false;
            changed.notify_all();
        }
        if (thread.joinable()) thread.join();
        const Lock lock(mutex);
        socket.close();
    }

    Error start(const SitlStandInOptions& wanted);
};

SitlStandIn::SitlStandIn() : implementation_(std::make_unique<Implementation>()) {}
SitlStandIn::~SitlStandIn() { stop(); }

Error SitlStandIn::start(const SitlStandInOptions& options) {
    const std::lock_guard lock(implementation_->lifecycle);
    return implementation_->start(options);
}

Error SitlStandIn::Implementation::start(const SitlStandInOptions& wanted) {
    stop();
    MessageWriter text;
    const auto bad = [](const MessageWriter& message) {
        return Error(ErrorCode::bad_option, message.c_str());
    };
    Endpoint target;
    Endpoint own;
    if (!parse_address(wanted.backend_address.c_str(), target.address)) {
        return bad(text << "backend address \"" << wanted.backend_address
                        << "\" is not an IPv4 address such as 127.0.0.1");
    }
    if (!parse_address(wanted.own_address.c_str(), own.address)) {
        return bad(text << "own address \"" << wanted.own_address
                        << "\" is not an IPv4 address such as 127.0.0.1");
    }
    const std::int64_t port = wanted.backend_port + std::int64_t{10} * wanted.instance;
    if (wanted.instance < 0 || port < 1 || port > 65535) {
        return bad(text << "instance " << wanted.instance << " would use port " << port
                        << "; a port has to be between 1 and 65535");
    }
    if (wanted.speedup != 0 && !(wanted.speedup >= slowest && wanted.speedup <= fastest)) {
        return bad(text << "speedup is " << wanted.speedup << "; it has to be between " << slowest << " and "
                        << fastest << ", or 0 for as fast as the backend answers");
    }
    target.port = static_cast<std::uint16_t>(port);

    const Lock lock(mutex);
    if (auto error = socket.open(own)) return error;
    options = wanted;
    backend = target;
    model = SitlModel();
    model.set_32_channels(options.channels_32);
    traffic = SitlTraffic();
    paused = false;
    running = true;
    thread = std::thread([this] { run(); });
    return {};
}

Error SitlStandIn::restart() {
    const std::lock_guard lock(implementation_->lifecycle);
    const SitlStandInOptions options = implementation_->options;
    return implementation_->start(options);
}

void SitlStandIn::reboot() {
    const Implementation::Lock lock(implementation_->mutex);
    const bool channels_32 = implementation_->model.has_32_channels();
    implementation_->model = SitlModel();
    implementation_->model.set_32_channels(channels_32);
    if (implementation_->running) implementation_->send_packet();
}

void SitlStandIn::stop() {
    const std::lock_guard lock(implementation_->lifecycle);
    implementation_->stop();
}

void SitlStandIn::pause() {
    const Implementation::Lock lock(implementation_->mutex);
    implementation_->paused = true;
}

void SitlStandIn::resume() {
    const Implementation::Lock lock(implementation_->mutex);
    implementation_->paused = false;
    implementation_->changed.notify_all();
}

void SitlStandIn::use(const std::function<void(SitlModel&)>& action) {
    const Implementation::Lock lock(implementation_->mutex);
    action(implementation_->model);
}

bool SitlStandIn::wait_until(const std::function<bool(const SitlModel&)>& condition, nanoseconds timeout) {
    Implementation& sitl = *implementation_;
    Implementation::Lock lock(sitl.mutex);
    ++sitl.waiting;
    bool met = false;
    timeout = std::clamp<nanoseconds>(timeout, nanoseconds(0), longest_wait);  // the clock must not overflow
    sitl.changed.wait_for(lock, timeout, [&] { return (met = condition(sitl.model)) || !sitl.running; });
    --sitl.waiting;
    return met;
}

SitlTraffic SitlStandIn::traffic() const {
    const Implementation::Lock lock(implementation_->mutex);
    return implementation_->traffic;
}

std::uint16_t SitlStandIn::own_port() const {
    const Implementation::Lock lock(implementation_->mutex);
    return implementation_->socket.local().port;
}

}  // namespace ap_json
