// station.hpp - the ground station and simulator that PX4 needs, as one state machine: who the autopilot is, whether the
// link is up, HIL mode, disarming, a task from upload to arrival, states out and controls in. It has no thread, no socket
// and no clock: bytes and time come from outside, so that a test can play hours in a moment. component.hpp gives it all
// of these.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "px4_hil/command.hpp"
#include "px4_hil/drive_controls.hpp"
#include "px4_hil/error.hpp"
#include "px4_hil/export.hpp"
#include "px4_hil/frame.hpp"
#include "px4_hil/hil_state.hpp"
#include "px4_hil/mission_upload.hpp"
#include "px4_hil/parser.hpp"

namespace px4_hil {

/// Where a station is on its way. docs/px4_hil.md has a picture.
enum class StationState : std::uint8_t {
    closed,     ///< not started, ended, or failed: see error()
    opening,    ///< waits for the first heartbeat of a PX4
    hil_check,  ///< sees to it that PX4 is in HIL mode
    disarming,  ///< PX4 was armed, which it should not be yet
    ready,      ///< states go out, controls come in, a task may begin
    uploading,  ///< the task's route goes over
    starting,   ///< mission mode, then arming
    running,    ///< PX4 drives along the route
    lost,       ///< no heartbeat; the outputs are safe
};
[[nodiscard]] PX4_HIL_API const char* to_string(StationState state) noexcept;

/// What happened. Each comes with a sentence.
enum class EventKind : std::uint8_t {
    identified,      ///< a PX4 was found
    warning,         ///< something may be wrong, and goes on all the same
    ready,           ///< a task may begin
    mode,            ///< PX4 is in another mode
    armed,           ///< PX4 has armed
    disarmed,        ///< PX4 has disarmed
    text,            ///< PX4 says something to people (STATUSTEXT)
    uploaded,        ///< the route is in PX4
    running,         ///< PX4 drives
    heading_for,     ///< PX4 heads for another way point; number = which
    reached,         ///< PX4 has reached a way point; number = which
    task_done,       ///< PX4 has arrived
    task_failed,     ///< the task has ended otherwise; code = why
    link_lost,       ///< no heartbeat any more
    link_back,       ///< heartbeats again
    rebooted,        ///< PX4 has started anew
    foreign,         ///< another autopilot speaks on the link, and is not followed; number = its system id
    stale_controls,  ///< PX4 is armed and sends no controls: the outputs are safe
    controls_back,   ///< controls again
    failed,          ///< the station has given up; code = why
};
[[nodiscard]] PX4_HIL_API const char* to_string(EventKind kind) noexcept;

struct Event {
    EventKind kind = EventKind::warning;
    int number = 0;                  ///< see the kinds
    ErrorCode code = ErrorCode::ok;  ///< see the kinds
    std::array<char, 200> words{};   ///< a sentence for people

    [[nodiscard]] std::string_view text() const noexcept { return words.data(); }
};

/// How PX4 learns where the vehicle is.
enum class Feed : std::uint8_t {
    state_level,   ///< HIL_STATE_QUATERNION; for PX4 on hardware
    sensor_level,  ///< HIL_SENSOR and HIL_GPS; on hardware, and what PX4 SITL needs
};

struct StationOptions {
    /// Who commands and uploads. Type ground station, so that its silence is no failsafe of PX4's.
    Identity self{255, component_id::mission_planner};
    /// Who sends the vehicle's state.
    Identity simulator{1, component_id::simulator};
    /// 0 = follow the first PX4 heard; else this system id alone.
    std::uint8_t system = 0;
    /// MAV_TYPE that PX4 should have, or there is a warning. 0 = any.
    std::uint8_t vehicle_type = mav_type::ground_rover;

    /// true: PX4 on hardware, which has to be in HIL mode. false: PX4 SITL, which knows no such mode.
    bool hardware = true;
    /// May the station set PX4's parameter SYS_HITL and reboot it, if HIL mode cannot be had otherwise?
    bool may_set_sys_hitl = false;
    /// 0 = wait for the first heartbeat for ever.
    std::chrono::milliseconds first_heartbeat_limit{30000};

    Feed feed = Feed::state_level;
    HilStateOptions state;     ///< home, unit of acceleration
    SensorOptions sensors;     ///< for sensor level
    double state_rate = 100;   ///< Hz, of HIL_STATE_QUATERNION: 50 to 250 over USB
    double sensor_rate = 250;  ///< Hz, of HIL_SENSOR

    ControlLayout layout = ControlLayout::ackermann();
    std::chrono::milliseconds stale_after{200};

    bool clear_before_upload = false;
    bool hold_after_task = true;  ///< set mode hold when PX4 has arrived, and on exit

    /// When set, frames are signed with it, and only frames signed with it count.
    std::optional<SigningKey> signing_key;
    std::uint64_t signing_time = 0;  ///< now, by signing_time() of signing.hpp
};

/// What is known about PX4.
struct Autopilot {
    Identity identity;
    std::uint8_t type = 0;  ///< MAV_TYPE
    Px4Mode mode;
    std::uint8_t base_mode = 0;
    std::uint8_t system_status = 0;
    [[nodiscard]] bool armed() const noexcept { return (base_mode & mode_flag::armed) != 0; }
    [[nodiscard]] bool hil() const noexcept { return (base_mode & mode_flag::hil) != 0; }
};

/// Counters since start(). They only rise. The parser has more.
struct StationStatistics {
    std::uint64_t heartbeats = 0;
    std::uint64_t foreign_heartbeats = 0;
    std::uint64_t controls = 0;      ///< HIL_ACTUATOR_CONTROLS
    std::uint64_t states_sent = 0;   ///< HIL_STATE_QUATERNION
    std::uint64_t sensors_sent = 0;  ///< HIL_SENSOR
    std::uint64_t gps_sent = 0;
    std::uint64_t states_refused = 0;  ///< not finite
    std::uint64_t write_errors = 0;
    std::uint64_t losses = 0;  ///< of the link
    std::uint64_t reboots = 0;
    std::uint64_t tasks_done = 0;
    std::uint64_t tasks_failed = 0;
    std::uint64_t events_dropped = 0;  ///< nobody took them
};

/// The two lines to PX4. On hardware there is one; PX4 SITL has one for its simulator and one for ground stations.
enum class Line : std::uint8_t { command, simulator };

/// Where a station's frames go.
class PX4_HIL_API LineWriter {
  public:
    virtual ~LineWriter() = default;
    virtual Error write(Line line, const unsigned char* data, std::size_t size) = 0;
};

class PX4_HIL_API Station {
  public:
    using Time = std::chrono::steady_clock::time_point;

    static constexpr std::chrono::milliseconds loss_time{3000};      ///< without a heartbeat
    static constexpr std::chrono::milliseconds give_up_time{30000};  ///< after the loss

    /// @param writer  outlives the station
    Station(const StationOptions& options, LineWriter& writer);
    ~Station();
    Station(const Station&) = delete;
    Station& operator=(const Station&) = delete;

    /// Begins to look for PX4.
    void start(Time now);
    /// Bytes that have come.
    void receive(Line line, const void* data, std::size_t size, Time now);
    /// To be called every 20 ms or oftener.
    void tick(Time now);
    /// The device or connection is gone: as if the heartbeat had stopped.
    void line_gone(Line line, Time now);
    /// The device or connection has been opened again.
    void line_opened(Line line) noexcept;
    /// PX4 was told to reboot: its port has to be opened again. True once.
    [[nodiscard]] bool take_reopen_request() noexcept;

    /// Drives along a route: uploads it, sets mission mode, arms. @return ok (events tell the rest), wrong_state, bad_option
    Error move_along(Route route, Time now);
    /// Ends the task; PX4 holds.
    void cancel_task(Time now);
    /// Sets a mode at any other time than during a task's start. @return ok or wrong_state
    Error set_mode(Px4Mode mode, Time now);

    /// Tells PX4 where the vehicle is, when it is time for it by State::timestamp.
    /// @return ok, not_finite, port_write_failed
    Error send_state(const ap_json::State& state, Time now);
    /// What the actuators are to do now. Safe unless PX4 is armed and its controls are fresh.
    [[nodiscard]] DriveControls controls(Time now) const noexcept;

    /// Leaves PX4 safe: hold, disarm. Takes a second at most; then state() is closed.
    void begin_exit(Time now);

    [[nodiscard]] StationState state() const noexcept;
    /// Why it is closed; ok when it was asked to.
    [[nodiscard]] const Error& error() const noexcept;
    [[nodiscard]] const std::optional<Autopilot>& autopilot() const noexcept;
    /// A task is under way.
    [[nodiscard]] bool busy() const noexcept;
    [[nodiscard]] std::vector<Event> take_events();
    [[nodiscard]] StationStatistics statistics() const noexcept;
    [[nodiscard]] const ParserStatistics& parser_statistics(Line line) const noexcept;
    /// How many controls have come; PX4 SITL answers each HIL_SENSOR with one.
    [[nodiscard]] std::uint64_t control_count() const noexcept;
    /// PX4 SITL runs in lockstep and is armed, so each HIL_SENSOR is worth a short wait for its controls.
    [[nodiscard]] bool wants_lockstep() const noexcept;

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace px4_hil
