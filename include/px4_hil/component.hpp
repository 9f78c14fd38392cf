// component.hpp - the controller that stands in for a PX4 within a simulated vehicle: initialise, update, exit. It has the
// thread, the ports and the clock that station.hpp lacks.
//
//     px4_hil::Component px4;
//     px4_hil::ComponentOptions options;
//     options.link = "serial:/dev/ttyACM0";
//     if (auto error = px4.init(options)) return report(error.message());
//     if (auto error = px4.move_along(route)) ...
//     while (running) {
//         const px4_hil::Update now = px4.update(vehicle.state());
//         vehicle.step(now.controls.throttle, now.controls.steering, now.controls.brake, dt);
//     }
//     px4.exit();
//
// Thread rule: update() is for one thread, that of the simulation; the other functions may be called from any. The thread
// of its own is started by init() and ended by exit().
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "px4_hil/error.hpp"
#include "px4_hil/export.hpp"
#include "px4_hil/station.hpp"
#include "px4_hil/transport.hpp"

namespace px4_hil {

class Component;

/// What the component asks of the simulation framework it lives in. Every function may do nothing.
class PX4_HIL_API Host {
  public:
    virtual ~Host() = default;

    /// The framework has a task of this name carried out by a call of component.move_along().
    virtual void register_task(std::string_view /*name*/, Component& /*component*/) {}

    /// The framework reads the value from now on, in the thread that calls update(). Lives as long as the component.
    virtual void bind_output(std::string_view /*name*/, const double& /*value*/) {}

    /// Something happened; called within init(), update() and exit(). Must not call init() or exit().
    virtual void report(const Event& /*event*/) {}
};

struct ComponentOptions {
    /// See open_link(). Empty: search the serial ports for a PX4.
    std::string link;
    /// For the search: names to look at first, such as "/dev/serial/by-id/*PX4*".
    std::string serial_pattern;
    unsigned baud = 921600;  ///< for the search; USB ignores it

    /// PX4 SITL: "tcp:4560", where its simulator interface connects to, in addition to `link`, which then is for ground
    /// stations: "udp:14550". Empty: one line for everything.
    std::string simulator_link;

    StationOptions station;

    /// How long update() may wait for PX4 SITL in lockstep. Longer than some 10 ms both sides may wait for each other.
    std::chrono::milliseconds lockstep_wait{10};
};

/// What update() hands over.
struct Update {
    DriveControls controls;  ///< as the output ports have them
    Error error;             ///< why the state was not sent; the controls hold all the same
};

class PX4_HIL_API Component {
  public:
    Component();
    ~Component();  ///< calls exit()
    Component(const Component&) = delete;
    Component& operator=(const Component&) = delete;

    /// Finds and opens the port, waits for the first heartbeat, sees to HIL mode, disarms PX4 if it is armed, registers the
    /// task "Move Along" and binds the outputs "throttle", "steering" and "brake". Takes as long as PX4 does, a few seconds;
    /// see StationOptions::first_heartbeat_limit. exit() from another thread ends it.
    /// @param host  may be null; outlives the component
    /// @return ok, or why PX4 is not ready; then everything is closed
    Error init(const ComponentOptions& options, Host* host = nullptr);

    /// The same over lines that the caller has opened.
    Error init(const ComponentOptions& options, TransportPtr link, TransportPtr simulator,
               Host* host = nullptr);

    /// One tick of the simulation: the vehicle's state out, when it is time for it; the newest controls in. Never waits,
    /// except for PX4 SITL in lockstep, and then no longer than ComponentOptions::lockstep_wait.
    Update update(const ap_json::State& state);

    /// Leaves PX4 safe (hold, disarmed) if it can, sets the outputs to safe values, ends the thread, closes the ports. Takes
    /// a second and a half at most. May be called in every state, and twice.
    void exit();

    /// The task "Move Along". @return ok, wrong_state, bad_option. How it goes on, events tell
    Error move_along(Route route);
    void cancel_task();
    Error set_mode(Px4Mode mode);

    [[nodiscard]] StationState state() const;
    /// Why it has closed by itself.
    [[nodiscard]] Error error() const;
    /// A task is under way.
    [[nodiscard]] bool busy() const;
    [[nodiscard]] std::optional<Autopilot> autopilot() const;
    [[nodiscard]] StationStatistics statistics() const;
    [[nodiscard]] ParserStatistics parser_statistics(Line line = Line::command) const;
    /// The port it has opened.
    [[nodiscard]] std::string link_name() const;

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace px4_hil
