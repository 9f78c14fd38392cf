// component.cpp - see component.hpp. One mutex guards the station and both lines; the thread waits for bytes without it.
#include "px4_hil/component.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "discovery.hpp"
#include "message_writer.hpp"

namespace px4_hil {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds tick_time{10};  // the station's timers need no better
constexpr milliseconds two_line_tick_time{
    2};  // while one line is waited for, the other one may not wait longer
constexpr milliseconds reopen_time{1000};
constexpr milliseconds exit_time{1500};

}  // namespace

struct Component::Implementation final : LineWriter {
    ComponentOptions options;
    Host* host = nullptr;
    bool opened_by_caller = false;

    mutable std::mutex mutex;  // guards all below, except that the thread waits at its lines without it
    std::condition_variable changed;
    std::unique_ptr<Station> station;
    TransportPtr lines[2];  // by Line
    Clock::time_point next_opening;
    std::string name;

    std::atomic<bool> stopping{false};
    std::thread thread;
    std::mutex lifecycle;  // held by whoever starts or ends the thread; taken before the other one

    double throttle = 0, steering = 0, brake = 1;  // the output ports, of the thread that calls update()

    using Lock = std::unique_lock<std::mutex>;

    Error write(Line line, const unsigned char* data, std::size_t size) override {
        // One line for everything, unless there are two.
        TransportPtr& transport =
            lines[options.simulator_link.empty() && !lines[1] ? 0 : static_cast<std::size_t>(line)];
        return transport ? transport->write(data, size) : Error();
    }

    // ---- opening

    [[nodiscard]] const std::string& link_of(Line line) const {
        return line == Line::command ? options.link : options.simulator_link;
    }

    Error open_line(Line line, TransportPtr& transport) {
        const std::string& link = link_of(line);
        if (line == Line::command && link.empty())
            return find_autopilot(options.serial_pattern, options.baud, options.station, stopping, transport);
        return open_link(link, transport);
    }

    Error open_all() {
        if (auto error = open_line(Line::command, lines[0])) return error;
        if (options.simulator_link.empty()) return {};
        return open_line(Line::simulator, lines[1]);
    }

    /// A device that was unplugged, or that has rebooted, comes back under its old name or another one.
    void reopen_what_is_gone() {
        if (opened_by_caller || Clock::now() < next_opening) return;
        next_opening = Clock::now() + reopen_time;
        for (const Line line : {Line::command, Line::simulator}) {
            if (lines[static_cast<std::size_t>(line)] ||
                (line == Line::simulator && options.simulator_link.empty()))
                continue;
            TransportPtr opened;
            if (open_line(line, opened)) continue;
            const Lock lock(mutex);
            lines[static_cast<std::size_t>(line)] = std::move(opened);
            station->line_opened(line);
        }
    }

    // ---- the thread

    void run() {
        while (!stopping) {
            reopen_what_is_gone();
            // Only this thread replaces a line, so it may look at them without the mutex.
            const bool two = lines[1] != nullptr;
            Transport* const waited_for = two ? lines[1].get() : lines[0].get();
            if (waited_for != nullptr) {
                waited_for->wait(two ? two_line_tick_time : tick_time);
            } else {
                std::this_thread::sleep_for(tick_time);
            }
            const Lock lock(mutex);
            for (const Line line : {Line::command, Line::simulator}) read(line);
            station->tick(Clock::now());
            if (station->take_reopen_request() && is_serial()) {
                lines[0].reset();
                next_opening = Clock::now() + reopen_time;
            }
            changed.notify_all();
        }
    }

    [[nodiscard]] bool is_serial() const {
        return !opened_by_caller && (options.link.empty() || options.link.rfind("serial", 0) == 0);
    }

    void read(Line line) {
        TransportPtr& transport = lines[static_cast<std::size_t>(line)];
        if (!transport) return;
        unsigned char bytes[2048];
        // What has piled up; but a line that never ends must not keep the station from its timers.
        for (int i = 0; i < 32; ++i) {
            const std::ptrdiff_t count = transport->read(bytes, sizeof bytes);
            if (count > 0) {
                station->receive(line, bytes, static_cast<std::size_t>(count), Clock::now());
                continue;
            }
            if (count < 0) {
                transport.reset();
                next_opening = Clock::now() + reopen_time;
                station->line_gone(line, Clock::now());
            }
            return;
        }
    }

    // ---- init and exit

    Error begin(Component& self) {
        {
            const std::lock_guard only_one(lifecycle);
            if (stopping) return {ErrorCode::cancelled, "the initialisation was cancelled"};
            const Lock lock(mutex);
            station = std::make_unique<Station>(options.station, *this);
            station->start(Clock::now());
            name = std::string(lines[0]->name());
            thread = std::thread([this] { run(); });
        }
        if (auto error = wait_until_ready()) {
            self.exit();
            return error;
        }
        if (host == nullptr) return {};
        host->register_task("Move Along", self);
        host->bind_output("throttle", throttle);
        host->bind_output("steering", steering);
        host->bind_output("brake", brake);
        return {};
    }

    Error wait_until_ready() {
        Lock lock(mutex);
        while (true) {
            const StationState state = station->state();
            report_events(lock);
            if (state == StationState::ready) return {};
            if (state == StationState::closed) {
                const Error& error = station->error();
                return error ? error : Error(ErrorCode::cancelled, "the initialisation was cancelled");
            }
            changed.wait(lock);
        }
    }

    void report_events(Lock& lock) {
        const std::vector<Event> events = station->take_events();
        if (host == nullptr || events.empty()) return;
        lock.unlock();
        for (const Event& event : events) host->report(event);
        lock.lock();
    }

    void set_outputs(const DriveControls& controls) {
        throttle = controls.throttle;
        steering = controls.steering;
        brake = controls.brake;
    }
};

Component::Component() : implementation_(std::make_unique<Implementation>()) {}
Component::~Component() { exit(); }

Error Component::init(const ComponentOptions& options, Host* host) {
    exit();
    Implementation& self = *implementation_;
    self.options = options;
    self.host = host;
    self.opened_by_caller = false;
    self.stopping = false;
    if (auto error = self.open_all()) {
        self.lines[0].reset();
        self.lines[1].reset();
        return error;
    }
    return self.begin(*this);
}

Error Component::init(const ComponentOptions& options, TransportPtr link, TransportPtr simulator,
                      Host* host) {
    exit();
    if (!link)
        return {ErrorCode::bad_option, "there is no line: open one, or name it in ComponentOptions::link"};
    Implementation& self = *implementation_;
    self.options = options;
    self.host = host;
    self.opened_by_caller = true;
    self.stopping = false;
    self.lines[0] = std::move(link);
    self.lines[1] = std::move(simulator);
    return self.begin(*this);
}

Update Component::update(const ap_json::State& state) {
    Implementation& self = *implementation_;
    Update result;
    Implementation::Lock lock(self.mutex);
    if (!self.station) {
        result.error = Error(ErrorCode::wrong_state, "the component is not initialised: call init()");
        return result;
    }
    const std::uint64_t count = self.station->control_count();
    const std::uint64_t sensors = self.station->statistics().sensors_sent;
    result.error = self.station->send_state(state, Clock::now());
    if (self.station->wants_lockstep() && self.station->statistics().sensors_sent > sensors) {
        self.changed.wait_for(lock, self.options.lockstep_wait,
                              [&] { return self.station->control_count() > count; });
    }
    result.controls = self.station->controls(Clock::now());
    self.set_outputs(result.controls);
    self.report_events(lock);
    return result;
}

void Component::exit() {
    Implementation& self = *implementation_;
    const std::lock_guard only_one(self.lifecycle);
    if (self.thread.joinable()) {
        {
            Implementation::Lock lock(self.mutex);
            self.station->begin_exit(Clock::now());
            self.changed.wait_for(lock, exit_time,
                                  [&] { return self.station->state() == StationState::closed; });
        }
        self.stopping = true;
        self.thread.join();
        self.changed.notify_all();  // init() may be waiting in another thread
    }
    self.stopping = true;  // a search that is under way
    self.set_outputs(DriveControls());
    Implementation::Lock lock(self.mutex);
    for (TransportPtr& line : self.lines) line.reset();
    if (self.station) self.report_events(lock);
}

Error Component::move_along(Route route) {
    Implementation& self = *implementation_;
    const Implementation::Lock lock(self.mutex);
    if (!self.station) return {ErrorCode::wrong_state, "the component is not initialised: call init()"};
    return self.station->move_along(std::move(route), Clock::now());
}

void Component::cancel_task() {
    Implementation& self = *implementation_;
    const Implementation::Lock lock(self.mutex);
    if (self.station) self.station->cancel_task(Clock::now());
}

Error Component::set_mode(Px4Mode mode) {
    Implementation& self = *implementation_;
    const Implementation::Lock lock(self.mutex);
    if (!self.station) return {ErrorCode::wrong_state, "the component is not initialised: call init()"};
    return self.station->set_mode(mode, Clock::now());
}

StationState Component::state() const {
    const Implementation::Lock lock(implementation_->mutex);
    return implementation_->station ? implementation_->station->state() : StationState::closed;
}

Error Component::error() const {
    const Implementation::Lock lock(implementation_->mutex);
    return implementation_->station ? implementation_->station->error() : Error();
}

bool Component::busy() const {
    const Implementation::Lock lock(implementation_->mutex);
    return implementation_->station && implementation_->station->busy();
}

std::optional<Autopilot> Component::autopilot() const {
    const Implementation::Lock lock(implementation_->mutex);
    return implementation_->station ? implementation_->station->autopilot() : std::nullopt;
}

StationStatistics Component::statistics() const {
    const Implementation::Lock lock(implementation_->mutex);
    return implementation_->station ? implementation_->station->statistics() : StationStatistics();
}

ParserStatistics Component::parser_statistics(Line line) const {
    const Implementation::Lock lock(implementation_->mutex);
    return implementation_->station ? implementation_->station->parser_statistics(line) : ParserStatistics();
}

std::string Component::link_name() const {
    const Implementation::Lock lock(implementation_->mutex);
    return implementation_->name;
}

}  // namespace px4_hil
