// px4_stand_in.cpp - see px4_stand_in.hpp.
#include "px4_hil/px4_stand_in.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "pseudo_terminal.hpp"

namespace px4_hil {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds tick_time{2};
constexpr milliseconds connect_interval{20};

}  // namespace

struct Px4StandIn::Implementation final : LineWriter {
    mutable std::mutex mutex;  // guards all below
    std::condition_variable changed;
    Px4StandInOptions options;
    std::unique_ptr<Px4Model> model;
    TransportPtr lines[2];  // by Line; only the thread replaces them while it runs
    LineFaults spoil_in, spoil_out;
    std::string device;
    bool running = false;
    Clock::time_point next_connection;
    std::thread thread;

    using Lock = std::unique_lock<std::mutex>;

    [[nodiscard]] const std::string& link_of(Line line) const {
        return line == Line::command ? options.link : options.simulator_link;
    }

    Error write(Line line, const unsigned char* data, std::size_t size) override {
        const bool one = options.simulator_link.empty();
        TransportPtr& transport = lines[one ? 0 : static_cast<std::size_t>(line)];
        if (!transport) return {};
        const auto bytes = spoil_out.spoil(data, size);
        return transport->write(bytes.data(), bytes.size());
    }

    Error open(Line line) {
        if (link_of(line) == "pty")
            return open_pseudo_terminal(lines[static_cast<std::size_t>(line)], device);
        auto error = open_link(link_of(line), lines[static_cast<std::size_t>(line)], LinkSide::autopilot);
        // Nobody listens yet: it is tried again.
        if (error.code() == ErrorCode::port_open_failed && link_of(line).rfind("tcp", 0) == 0) return {};
        return error;
    }

    void connect_again() {
        if (Clock::now() < next_connection) return;
        next_connection = Clock::now() + connect_interval;
        for (const Line line : {Line::command, Line::simulator}) {
            TransportPtr& transport = lines[static_cast<std::size_t>(line)];
            if (transport || link_of(line).empty()) continue;
            static_cast<void>(open(line));
            if (transport && line == Line::simulator) model->simulator_connected(Clock::now());
        }
    }

    void read(Line line) {
        TransportPtr& transport = lines[static_cast<std::size_t>(line)];
        unsigned char bytes[2048];
        while (transport) {
            const std::ptrdiff_t count = transport->read(bytes, sizeof bytes);
            if (count < 0) transport.reset();
            if (count <= 0) return;
            const auto arriving = spoil_in.spoil(bytes, static_cast<std::size_t>(count));
            model->receive(line, arriving.data(), arriving.size(), Clock::now());
        }
    }

    void run() {
        Lock lock(mutex);
        if (lines[1]) model->simulator_connected(Clock::now());
        while (running) {
            connect_again();
            Transport* const waited_for = lines[1] ? lines[1].get() : lines[0].get();
            lock.unlock();
            waited_for != nullptr ? waited_for->wait(tick_time) : std::this_thread::sleep_for(tick_time);
            lock.lock();
            for (const Line line : {Line::command, Line::simulator}) read(line);
            model->tick(Clock::now());
            changed.notify_all();
        }
    }
};

Px4StandIn::Px4StandIn() : implementation_(std::make_unique<Implementation>()) {}
Px4StandIn::~Px4StandIn() { stop(); }

Error Px4StandIn::start(const Px4StandInOptions& options) {
    stop();
    Implementation& self = *implementation_;
    self.options = options;
    self.spoil_in = LineFaults(options.faults, 1);
    self.spoil_out = LineFaults(options.faults, 2);
    for (const Line line : {Line::command, Line::simulator}) {
        if (self.link_of(line).empty()) continue;
        if (auto error = self.open(line)) return error;
    }
    self.model = std::make_unique<Px4Model>(options.model, self, Clock::now());
    self.running = true;
    self.thread = std::thread([&self] { self.run(); });
    return {};
}

void Px4StandIn::stop() {
    Implementation& self = *implementation_;
    {
        const Implementation::Lock lock(self.mutex);
        self.running = false;
    }
    if (self.thread.joinable()) self.thread.join();
    for (TransportPtr& line : self.lines) line.reset();
}

void Px4StandIn::use(const std::function<void(Px4Model&)>& action) {
    const Implementation::Lock lock(implementation_->mutex);
    if (implementation_->model) action(*implementation_->model);
}

bool Px4StandIn::wait_until(const std::function<bool(const Px4Model&)>& condition,
                            std::chrono::nanoseconds timeout) {
    Implementation& self = *implementation_;
    Implementation::Lock lock(self.mutex);
    return self.changed.wait_for(lock, timeout, [&] { return self.model && condition(*self.model); });
}

std::string Px4StandIn::device() const {
    const Implementation::Lock lock(implementation_->mutex);
    return implementation_->device;
}

}  // namespace px4_hil
