// station.cpp - see station.hpp. One function for each state, called by tick(); what frames say is only remembered, and
// acted upon there.
#include "px4_hil/station.hpp"

#include <cmath>
#include <deque>
#include <utility>

#include "message_writer.hpp"
#include "px4_hil/px4_modes.hpp"
#include "state_feed.hpp"

namespace px4_hil {
namespace {

using std::chrono::milliseconds;
using Time = Station::Time;

constexpr milliseconds eager_heartbeat{200};  // until PX4 is there
constexpr milliseconds calm_heartbeat{1000};
constexpr milliseconds hil_patience{2000};   // for the HIL bit to appear
constexpr milliseconds confirm_limit{3000};  // for the heartbeat to show what was acknowledged
constexpr milliseconds disarm_interval{1000};
constexpr milliseconds leave_grace{2000};  // PX4 may hold by itself just before it says that it has arrived
constexpr milliseconds caller_pause{50};   // without a state from the caller
constexpr milliseconds exit_limit{1000};
constexpr milliseconds parameter_patience{1000};
constexpr milliseconds reboot_pause{2000};  // PX4 goes on talking for a moment
constexpr int parameter_tries = 3;
constexpr int disarm_tries = 3;  // the last one is forced
constexpr std::size_t most_events = 256;
constexpr std::int64_t reboot_step = 1000000;  // us that PX4's clock has to go back

CommandLong command_long(std::uint16_t id, Identity target, float param1, float param2 = 0,
                         float param3 = 0) {
    CommandLong message;
    message.command = id;
    message.target_system = target.system;
    message.target_component = target.component;
    message.param1 = param1;
    message.param2 = param2;
    message.param3 = param3;
    return message;
}

}  // namespace

const char* to_string(StationState state) noexcept {
    constexpr const char* names[] = {"closed",    "opening",  "hil_check", "disarming", "ready",
                                     "uploading", "starting", "running",   "lost"};
    return names[static_cast<std::size_t>(state)];
}

const char* to_string(EventKind kind) noexcept {
    constexpr const char* names[] = {"identified",  "warning",        "ready",         "mode",
                                     "armed",       "disarmed",       "text",          "uploaded",
                                     "running",     "heading_for",    "reached",       "task_done",
                                     "task_failed", "link_lost",      "link_back",     "rebooted",
                                     "foreign",     "stale_controls", "controls_back", "failed"};
    return names[static_cast<std::size_t>(kind)];
}

struct Station::Implementation {
    /// Frames the messages of one sender onto one line.
    class Outlet final : public MessageSink {
      public:
        Outlet(Implementation& station, Line line, Identity self)
            : station_(station), line_(line), encoder_(self) {}
        void put(const MessageInfo& info, const void* message) override {
            const EncodedFrame frame = encoder_.encode(info, message);
            auto error = station_.writer.write(line_, frame.data(), frame.size());
            if (error) station_.write_failed(error);
        }
        FrameEncoder& encoder() { return encoder_; }

      private:
        Implementation& station_;
        Line line_;
        FrameEncoder encoder_;
    };

    enum class HilStep : std::uint8_t { unasked, mode_asked, parameter_asked, reboot_asked };
    enum class StartStep : std::uint8_t { mode, arm };

    StationOptions options;
    LineWriter& writer;
    StationStatistics statistics;
    Outlet station_out;    // commands, mission
    Outlet simulator_out;  // the vehicle's state
    Parser parsers[2];     // by line
    StateFeed feed;

    StationState state = StationState::closed;
    Error failure;
    std::deque<Event> events;
    Error last_write_error;

    // What is known about the other side.
    std::optional<Autopilot> autopilot;
    std::optional<Identity> wrong_autopilot;  // a heartbeat of something that is no PX4, before there was one
    std::uint8_t foreign_system = 0;          // told about already
    Time heartbeat_at;
    std::optional<HilActuatorControls> controls;
    Time controls_at;
    bool stale_told = false;
    bool reboot_seen = false;     // its clock went back
    ap_json::State newest_state;  // from the caller; at first at home and at rest
    Time newest_state_at;
    double forward_speed = 0;  // m/s
    Text<50> last_text;        // of severity warning or worse
    Time last_text_at;

    // What we are about.
    Time next_heartbeat;
    Time step_since;  // when the present state or step began
    HilStep hil_step = HilStep::unasked;
    bool sys_hitl_tried = false;
    int tries = 0;
    bool reopen_requested = false;
    bool exiting = false;
    Time exit_deadline;
    Command command;  // of the procedure, one after the other
    Command wish;     // a mode that the caller wants, or hold after a task
    MissionUpload upload;
    bool task = false;
    StartStep start_step = StartStep::mode;
    int reached = -1;
    int heading_for = -1;
    bool seen_active = false;
    std::optional<Time> left_at;  // PX4 has left mission mode, or has disarmed, while it should drive
    bool arrived = false;

    Implementation(const StationOptions& wanted, LineWriter& line_writer)
        : options(wanted),
          writer(line_writer),
          station_out(*this, Line::command, wanted.self),
          simulator_out(*this, Line::simulator, wanted.simulator),
          feed(options, statistics) {
        if (!options.signing_key) return;
        station_out.encoder().sign(*options.signing_key, 0, options.signing_time);
        simulator_out.encoder().sign(*options.signing_key, 0, options.signing_time);
        for (Parser& parser : parsers) parser.require_signature(*options.signing_key, options.signing_time);
    }

    // ---- telling

    void tell(EventKind kind, std::string_view text, int number = 0, ErrorCode code = ErrorCode::ok) {
        if (events.size() == most_events) {
            events.pop_front();
            ++statistics.events_dropped;
        }
        Event event;
        event.kind = kind;
        event.number = number;
        event.code = code;
        text.copy(event.words.data(), event.words.size() - 1);
        events.push_back(event);
    }

    void write_failed(const Error& error) {
        ++statistics.write_errors;
        if (!last_write_error) tell(EventKind::warning, error.message(), 0, error.code());
        last_write_error = error;
    }

    void give_up(const Error& error) {
        end_task(error);
        failure = error;
        state = StationState::closed;
        tell(EventKind::failed, error.message(), 0, error.code());
    }

    void enter(StationState next, Time now) {
        state = next;
        step_since = now;
        tries = 0;
        command.forget();
    }

    // ---- what comes in

    void receive(Line line, const void* data, std::size_t size, Time now) {
        parsers[static_cast<std::size_t>(line)].parse(data, size, now,
                                                      [&](const Frame& frame) { handle(line, frame, now); });
    }

    [[nodiscard]] bool is_autopilot(const Frame& frame) const {
        return autopilot && frame.sender == autopilot->identity;
    }

    void handle(Line line, const Frame& frame, Time now) {
        if (const auto heartbeat = frame.as<Heartbeat>()) {
            // PX4 SITL sends one to its simulator only, without mode: it says nothing about the link.
            if (line == Line::command) handle_heartbeat(frame.sender, *heartbeat, now);
            return;
        }
        if (line == Line::simulator && (options.system == 0 || frame.sender.system == options.system))
            handle_interval(frame);
        if (const auto message = frame.as<HilActuatorControls>()) {
            if (line == Line::simulator ? !foreign(frame) : is_autopilot(frame))
                handle_controls(*message, now);
            return;
        }
        if (!is_autopilot(frame)) return;
        if (state == StationState::uploading) upload.handle(frame, now, station_out);
        if (const auto ack = frame.as<CommandAck>()) {
            command.handle(*ack, now);
            wish.handle(*ack, now);
        } else if (const auto text = frame.as<StatusText>()) {
            handle_text(*text, now);
        } else if (const auto value = frame.as<ParamValue>()) {
            handle_parameter(*value, now);
        } else if (const auto current = frame.as<MissionCurrent>()) {
            handle_current(*current);
        } else if (const auto item = frame.as<MissionItemReached>()) {
            handle_reached(item->seq);
        }
    }

    [[nodiscard]] bool foreign(const Frame& frame) const {
        return autopilot && frame.sender.system != autopilot->identity.system;
    }

    void handle_heartbeat(Identity sender, const Heartbeat& heartbeat, Time now) {
        if (sender.component != component_id::autopilot) return;  // a camera, a ground station, ourselves
        if (autopilot ? sender != autopilot->identity
                      : options.system != 0 && sender.system != options.system) {
            return handle_foreign(sender);
        }
        if (heartbeat.autopilot != mav_autopilot::px4) {
            if (heartbeat.autopilot != mav_autopilot::invalid) wrong_autopilot = sender;
            return;
        }
        ++statistics.heartbeats;
        const std::optional<Autopilot> before = autopilot;
        autopilot = Autopilot{sender, heartbeat.type, Px4Mode::from(heartbeat.custom_mode),
                              heartbeat.base_mode, heartbeat.system_status};
        heartbeat_at = now;
        if (before && state != StationState::opening) tell_changes(*before);
    }

    void handle_foreign(Identity sender) {
        ++statistics.foreign_heartbeats;
        if (foreign_system == sender.system) return;
        foreign_system = sender.system;
        MessageWriter text;
        text << "an autopilot with system id " << sender.system << " speaks on the link, too; ";
        if (autopilot) {
            text << "system " << autopilot->identity.system << " is followed";
        } else {
            text << "system " << options.system << " is wanted";
        }
        tell(EventKind::foreign, text.view(), sender.system);
    }

    void tell_changes(const Autopilot& before) {
        MessageWriter text;
        if (before.mode != autopilot->mode) {
            tell(EventKind::mode, (text << "PX4 is in mode " << to_string(autopilot->mode)).view());
        }
        if (before.armed() != autopilot->armed()) {
            tell(autopilot->armed() ? EventKind::armed : EventKind::disarmed,
                 autopilot->armed() ? "PX4 has armed" : "PX4 has disarmed");
        }
    }

    /// PX4 SITL says how often it wants the ground truth.
    void handle_interval(const Frame& frame) {
        const auto message = frame.as<CommandLong>();
        if (!message || message->command != mav_command::set_message_interval) return;
        if (message->param1 != static_cast<float>(HilStateQuaternion::id) ||
            options.feed != Feed::sensor_level)
            return;
        const bool sensible = message->param2 >= 1000 && message->param2 < 1e9F;  // us
        feed.set_truth_rate(sensible ? 1e6 / double{message->param2} : 0);
    }

    void handle_controls(const HilActuatorControls& message, Time now) {
        ++statistics.controls;
        const bool back =
            controls && static_cast<std::int64_t>(message.time_usec - controls->time_usec) < -reboot_step;
        controls = message;
        controls_at = now;
        if (back) reboot_seen = true;
    }

    void handle_text(const StatusText& message, Time now) {
        MessageWriter text;
        text << "PX4 says: " << message.text.view();
        tell(EventKind::text, text.view(), message.severity);
        constexpr std::uint8_t notice = 5;
        if (message.severity >= notice) return;
        last_text = message.text;
        last_text_at = now;
    }

    void handle_parameter(const ParamValue& value, Time now) {
        if (hil_step != HilStep::parameter_asked || state != StationState::hil_check) return;
        if (value.param_id.view() != "SYS_HITL" || integer_parameter(value.param_value) != 1) return;
        hil_step = HilStep::reboot_asked;
        step_since = now;
        command.begin(command_long(mav_command::reboot, autopilot->identity, 1), options.self, now,
                      station_out);
    }

    /// PX4 drives as soon as it has armed, a moment before its heartbeat says so.
    [[nodiscard]] bool may_drive() const noexcept {
        return state == StationState::running ||
               (state == StationState::starting && start_step == StartStep::arm);
    }

    void handle_current(const MissionCurrent& current) {
        if (!may_drive()) return;
        if (current.mission_state == mission_state::active) seen_active = true;
        if (current.mission_state == mission_state::complete) {
            if (seen_active || reached >= 0) handle_reached(static_cast<int>(upload.count()) - 1);
        } else if (current.seq != heading_for) {
            heading_for = current.seq;
            MessageWriter text;
            tell(EventKind::heading_for, (text << "PX4 heads for way point " << heading_for).view(),
                 heading_for);
        }
    }

    void handle_reached(int sequence) {
        if (!may_drive() || sequence <= reached) return;  // it is repeated for 10 s
        reached = sequence;
        MessageWriter text;
        tell(EventKind::reached, (text << "PX4 has reached way point " << sequence).view(), sequence);
        if (static_cast<std::size_t>(sequence) + 1 >= upload.count()) arrived = true;
    }

    // ---- the way to ready

    void tick_opening(Time now) {
        if (autopilot && heartbeat_at >= step_since) return identified(now);
        const auto limit = options.first_heartbeat_limit;
        if (limit <= milliseconds(0) || now - step_since < limit) return;
        MessageWriter text;
        if (wrong_autopilot) {
            return give_up(
                px4_hil::error(ErrorCode::wrong_autopilot,
                               text << "system " << wrong_autopilot->system
                                    << " is an autopilot, but no PX4: its heartbeat names another one"));
        }
        text << "no heartbeat of a PX4 for " << limit.count() << " ms (";
        const ParserStatistics& heard = parsers[0].statistics();
        if (heard.delivered + heard.skipped_bytes == 0) {
            text << "not a byte came). Is it powered, is this its port, is MAVLink on for it (SYS_USB_AUTO)?";
        } else if (heard.signed_dropped > 0) {
            text << "signed frames came: PX4 has MAV_SIGN_CFG on, so signing_key has to be set)";
        } else if (heard.delivered == 0) {
            text << "bytes came, but no frame: on a UART, is the baud rate PX4's?)";
        } else {
            text << "other messages came: from somebody else on this link?)";
        }
        give_up(px4_hil::error(ErrorCode::no_heartbeat, text));
    }

    void identified(Time now) {
        MessageWriter text;
        text << "PX4 found: system " << autopilot->identity.system << ", type " << autopilot->type
             << ", mode " << to_string(autopilot->mode) << (autopilot->armed() ? ", armed" : ", disarmed")
             << (autopilot->hil() ? ", HIL" : "");
        tell(EventKind::identified, text.view(), autopilot->identity.system);
        if (options.vehicle_type != 0 && autopilot->type != options.vehicle_type) {
            MessageWriter warning;
            warning << "PX4 is a vehicle of MAV_TYPE " << autopilot->type << ", not " << options.vehicle_type
                    << ": is its airframe (SYS_AUTOSTART) the right one?";
            tell(EventKind::warning, warning.view());
        }
        check_hil(now);
    }

    void check_hil(Time now) {
        enter(StationState::hil_check, now);
        wish.forget();
        hil_step = HilStep::unasked;
    }

    void tick_hil_check(Time now) {
        // Old releases refuse HIL mode while armed, and an armed vehicle that is not in HIL mode is a real one.
        if (autopilot->armed()) return enter(StationState::disarming, now);
        if (!options.hardware || autopilot->hil()) return become_ready(now);
        if (command.waiting()) return;
        switch (hil_step) {
            case HilStep::unasked:
                // Up to 1.8 this turns HIL mode on; later releases ignore the bit.
                hil_step = HilStep::mode_asked;
                return ask_mode(command, px4_mode::manual, now);
            case HilStep::mode_asked:
                if (now - std::max(step_since, command.decided()) < hil_patience) return;
                return ask_parameter(now);
            case HilStep::parameter_asked:
                if (now - step_since < parameter_patience) return;
                if (tries == parameter_tries) return no_hil("its parameter SYS_HITL could not be set");
                return send_parameter(now);
            case HilStep::reboot_asked:
                if (command.outcome() == Command::Outcome::rejected) return no_hil("it refused to reboot");
                if (now - command.decided() < reboot_pause) return;
                sys_hitl_tried = true;
                reopen_requested = true;
                autopilot.reset();
                controls.reset();
                tell(EventKind::rebooted, "SYS_HITL was set: PX4 reboots into HIL mode");
                return enter(StationState::opening, now);
        }
    }

    void ask_parameter(Time now) {
        if (sys_hitl_tried) return no_hil("although SYS_HITL was set and it was rebooted");
        if (!options.may_set_sys_hitl)
            return no_hil(
                "set its parameter SYS_HITL to 1 and reboot it, or allow that with may_set_sys_hitl");
        hil_step = HilStep::parameter_asked;
        tries = 0;
        send_parameter(now);
    }

    void send_parameter(Time now) {
        ++tries;
        step_since = now;
        ParamSet message;
        message.param_value = integer_parameter(1);
        message.target_system = autopilot->identity.system;
        message.target_component = autopilot->identity.component;
        message.param_id = "SYS_HITL";
        message.param_type = parameter_int32;
        station_out.send(message);
    }

    void no_hil(std::string_view why) {
        MessageWriter text;
        give_up(px4_hil::error(ErrorCode::hil_not_enabled, text << "PX4 is not in HIL mode: " << why));
    }

    /// Every one with the HIL bit on hardware: without it old releases leave HIL mode, or refuse.
    void ask_mode(Command& which, Px4Mode mode, Time now) {
        const int base = mode_flag::custom + (options.hardware ? mode_flag::hil : 0);
        which.begin(command_long(mav_command::set_mode, autopilot->identity, static_cast<float>(base),
                                 static_cast<float>(mode.main), static_cast<float>(mode.sub)),
                    options.self, now, station_out);
    }

    void tick_disarming(Time now) {
        if (!autopilot->armed()) return check_hil(now);
        if (command.waiting()) return;
        const bool acknowledged = command.outcome() == Command::Outcome::accepted;
        if (tries > 0 && now - step_since < (acknowledged ? confirm_limit : disarm_interval)) return;
        if (tries == disarm_tries) {
            MessageWriter text;
            return give_up(
                px4_hil::error(ErrorCode::disarm_failed, text << "PX4 stays armed, also when told by force"
                                                              << reason(step_since).view()));
        }
        ++tries;
        step_since = now;
        CommandLong message = command_long(mav_command::arm, autopilot->identity, 0,
                                           tries == disarm_tries ? force_disarm_or_arm : 0);
        message.confirmation = static_cast<std::uint8_t>(tries - 1);
        command.begin(message, options.self, now, station_out, 1);
    }

    void become_ready(Time now) {
        enter(StationState::ready, now);
        tell(EventKind::ready, "PX4 is ready for a task");
    }

    // ---- a task

    void tick_uploading(Time now) {
        upload.tick(now, station_out);
        if (upload.stage() == MissionUpload::Stage::failed) return finish_task(upload.error(), now);
        if (upload.stage() != MissionUpload::Stage::done) return;
        MessageWriter text;
        text << "PX4 has the route: " << upload.count() << " way points";
        tell(EventKind::uploaded, text.view(), static_cast<int>(upload.count()));
        enter(StationState::starting, now);
        start_step = StartStep::mode;
        reached = heading_for = -1;
        seen_active = arrived = false;
        left_at.reset();
        ask_mode(command, px4_mode::mission, now);
    }

    void tick_starting(Time now) {
        const bool arming = start_step == StartStep::arm;
        const ErrorCode refused = arming ? ErrorCode::arm_rejected : ErrorCode::mode_rejected;
        const char* const what = arming ? "arm" : "enter mission mode";
        MessageWriter text;
        switch (command.outcome()) {
            case Command::Outcome::none:
            case Command::Outcome::waiting:
                return;
            case Command::Outcome::timed_out:
                text << "PX4 does not acknowledge the command to " << what;
                return finish_task(px4_hil::error(ErrorCode::command_timeout, text), now);
            case Command::Outcome::rejected:
                text << "PX4 does not " << what << ": " << command_result(command.result())
                     << reason(step_since).view();
                return finish_task(px4_hil::error(refused, text), now);
            case Command::Outcome::accepted:
                break;
        }
        const bool confirmed = heartbeat_at > command.decided() &&
                               (arming ? autopilot->armed() : autopilot->mode == px4_mode::mission);
        if (!confirmed) {
            if (now - command.decided() < confirm_limit) return;
            text << "PX4 said that it would " << what << ", and did not" << reason(step_since).view();
            return finish_task(px4_hil::error(refused, text), now);
        }
        if (arming) return begin_running(now);
        start_step = StartStep::arm;
        command.begin(command_long(mav_command::arm, autopilot->identity, 1), options.self, now, station_out);
    }

    /// What PX4 has said since, if it has said something.
    MessageWriter reason(Time since) const {
        MessageWriter text;
        if (last_text_at >= since && !last_text.view().empty())
            text << " (PX4 says: " << last_text.view() << ")";
        return text;
    }

    void begin_running(Time now) {
        enter(StationState::running, now);
        tell(EventKind::running, "PX4 drives along the route");
    }

    void tick_running(Time now) {
        if (arrived) return finish_task(Error(), now);
        const bool driving = autopilot->mode == px4_mode::mission && autopilot->armed();
        if (driving) return left_at.reset();
        if (!left_at) left_at = now;
        if (now - *left_at < leave_grace) return;
        MessageWriter text;
        if (autopilot->armed()) {
            text << "PX4 has left mission mode for " << to_string(autopilot->mode);
        } else {
            text << "PX4 has disarmed on its way";
        }
        text << reason(step_since).view();
        finish_task(px4_hil::error(ErrorCode::interrupted, text), now);
    }

    /// @param error  ok = PX4 has arrived
    void finish_task(const Error& error, Time now) {
        const bool drove = state == StationState::running || state == StationState::starting;
        end_task(error);
        enter(StationState::ready, now);
        // After an interruption PX4, or who holds its remote control, knows better.
        if (drove && options.hold_after_task && error.code() != ErrorCode::interrupted)
            ask_mode(wish, px4_mode::hold, now);
    }

    void end_task(const Error& error) {
        if (!task) return;
        task = false;
        ++(error ? statistics.tasks_failed : statistics.tasks_done);
        if (error) {
            tell(EventKind::task_failed, error.message(), 0, error.code());
        } else {
            tell(EventKind::task_done, "PX4 has arrived");
        }
    }

    // ---- things that go wrong at any time

    [[nodiscard]] bool linked() const noexcept {
        return state >= StationState::hil_check && state <= StationState::running;
    }

    void watch_clock(Time now) {
        if (!std::exchange(reboot_seen, false) || !linked()) return;
        ++statistics.reboots;
        tell(EventKind::rebooted, "PX4 has started anew");
        end_task({ErrorCode::interrupted, "PX4 has started anew during the task"});
        check_hil(now);
    }

    void lose(Time now, std::string_view why) {
        ++statistics.losses;
        tell(EventKind::link_lost, why, 0, ErrorCode::link_lost);
        end_task({ErrorCode::link_lost, "the link was lost during the task"});
        upload = MissionUpload();
        wish.forget();
        enter(StationState::lost, now);
    }

    void tick_lost(Time now) {
        if (heartbeat_at > step_since) {
            tell(EventKind::link_back, "heartbeats again");
            return check_hil(now);
        }
        if (now - step_since < give_up_time) return;
        MessageWriter text;
        text << "nothing from PX4, system " << autopilot->identity.system << ", for "
             << std::chrono::duration_cast<std::chrono::seconds>(now - heartbeat_at).count() << " s";
        if (foreign_system != 0)
            text << "; system " << foreign_system << " speaks on the link, but is not followed";
        give_up(px4_hil::error(ErrorCode::link_lost, text));
    }

    void watch_link(Time now) {
        if (!linked()) return;
        if (now - heartbeat_at >= loss_time) {
            MessageWriter text;
            text << "no heartbeat from PX4 for " << loss_time.count() << " ms: the outputs are safe";
            return lose(now, text.view());
        }
        if (state >= StationState::ready && options.hardware && !autopilot->hil()) {
            tell(EventKind::warning, "PX4 is not in HIL mode any more");
            end_task({ErrorCode::interrupted, "PX4 has left HIL mode during the task"});
            check_hil(now);
        }
    }

    void watch_controls(Time now) {
        const bool expected = linked() && autopilot->armed() && state >= StationState::ready;
        const bool stale = expected && now - std::max(controls_at, step_since) >= options.stale_after;
        if (stale == stale_told) return;
        stale_told = stale;
        if (stale) {
            MessageWriter text;
            text << "PX4 is armed, and no HIL_ACTUATOR_CONTROLS came for " << options.stale_after.count()
                 << " ms: the outputs are safe";
            tell(EventKind::stale_controls, text.view(), 0, ErrorCode::stale_controls);
        } else {
            tell(EventKind::controls_back,
                 expected ? "controls come again" : "controls are not expected any more");
        }
    }

    /// PX4 SITL does not start before it feels something, and the caller has nothing to say before it is ready.
    void feed_start(Time now) {
        if (options.hardware || state >= StationState::ready || now - newest_state_at < caller_pause) return;
        ap_json::State still = newest_state;
        still.timestamp += std::chrono::duration<double>(now - newest_state_at).count();
        static_cast<void>(feed.feed(still, simulator_out));
    }

    void watch_wish(Time now) {
        const bool was_waiting = wish.waiting();
        wish.tick(now, station_out);
        if (was_waiting && wish.outcome() == Command::Outcome::timed_out) {
            tell(EventKind::warning, "PX4 does not acknowledge the command to change its mode", 0,
                 ErrorCode::command_timeout);
        } else if (wish.outcome() == Command::Outcome::rejected) {
            MessageWriter text;
            text << "PX4 does not change its mode: " << command_result(wish.result());
            tell(EventKind::warning, text.view(), 0, ErrorCode::command_rejected);
        }
        if (!wish.waiting()) wish.forget();
    }

    void send_heartbeat(Time now) {
        if (now < next_heartbeat) return;
        const bool eager = state == StationState::opening || state == StationState::lost;
        next_heartbeat = now + (eager ? eager_heartbeat : calm_heartbeat);
        Heartbeat message;
        message.type = mav_type::ground_station;
        message.autopilot = mav_autopilot::invalid;
        message.system_status = mav_state::active;
        station_out.send(message);
    }

    // ---- the end

    void tick_exit(Time now) {
        const bool done = !autopilot->armed() || command.outcome() == Command::Outcome::accepted || !linked();
        if (!done && now < exit_deadline) return;
        if (!done) tell(EventKind::warning, "PX4 may still be armed: it did not acknowledge the disarming");
        state = StationState::closed;
    }

    void tick(Time now) {
        if (state == StationState::closed) return;
        send_heartbeat(now);
        for (const Line line : {Line::command, Line::simulator}) receive(line, nullptr, 0, now);
        feed_start(now);
        command.tick(now, station_out);
        if (exiting) return tick_exit(now);
        watch_wish(now);
        watch_clock(now);
        watch_link(now);
        watch_controls(now);
        switch (state) {
            case StationState::closed:
            case StationState::ready:
                return;
            case StationState::opening:
                return tick_opening(now);
            case StationState::hil_check:
                return tick_hil_check(now);
            case StationState::disarming:
                return tick_disarming(now);
            case StationState::uploading:
                return tick_uploading(now);
            case StationState::starting:
                return tick_starting(now);
            case StationState::running:
                return tick_running(now);
            case StationState::lost:
                return tick_lost(now);
        }
    }
};

Station::Station(const StationOptions& options, LineWriter& writer)
    : implementation_(std::make_unique<Implementation>(options, writer)) {}
Station::~Station() = default;

void Station::start(Time now) {
    Implementation& self = *implementation_;
    self.autopilot.reset();
    self.controls.reset();
    self.wrong_autopilot.reset();
    self.foreign_system = 0;
    self.failure = Error();
    self.exiting = false;
    self.enter(StationState::opening, now);
    self.next_heartbeat = now;
    self.newest_state_at = now;
}

void Station::receive(Line line, const void* data, std::size_t size, Time now) {
    if (state() != StationState::closed) implementation_->receive(line, data, size, now);
}

void Station::tick(Time now) { implementation_->tick(now); }

void Station::line_gone(Line line, Time now) {
    Implementation& self = *implementation_;
    if (self.linked())
        self.lose(now, line == Line::command
                           ? "the port to PX4 is gone: the outputs are safe"
                           : "the simulator's connection to PX4 is gone: the outputs are safe");
}

void Station::line_opened(Line line) noexcept {
    implementation_->parsers[static_cast<std::size_t>(line)].reset();
    implementation_->last_write_error = Error();
}

bool Station::take_reopen_request() noexcept {
    return std::exchange(implementation_->reopen_requested, false);
}

Error Station::move_along(Route route, Time now) {
    Implementation& self = *implementation_;
    if (self.state != StationState::ready || self.exiting) {
        MessageWriter text;
        return px4_hil::error(
            ErrorCode::wrong_state,
            text << "a task can begin when the station is ready; it is " << to_string(self.state));
    }
    self.wish.forget();
    if (auto error = self.upload.begin(std::move(route), self.options.self, self.autopilot->identity,
                                       self.options.clear_before_upload, now, self.station_out))
        return error;
    self.task = true;
    self.enter(StationState::uploading, now);
    return {};
}

void Station::cancel_task(Time now) {
    Implementation& self = *implementation_;
    if (!self.task) return;
    self.upload.cancel(self.station_out);
    self.finish_task({ErrorCode::cancelled, "the task was cancelled"}, now);
}

Error Station::set_mode(Px4Mode mode, Time now) {
    Implementation& self = *implementation_;
    if ((self.state != StationState::ready && self.state != StationState::running) || self.exiting) {
        MessageWriter text;
        return px4_hil::error(
            ErrorCode::wrong_state,
            text << "a mode can be set when the station is ready; it is " << to_string(self.state));
    }
    self.ask_mode(self.wish, mode, now);
    return {};
}

Error Station::send_state(const ap_json::State& state, Time now) {
    Implementation& self = *implementation_;
    if (self.state == StationState::closed) return {};
    self.newest_state = state;
    self.newest_state_at = now;
    const double yaw_cosine = std::cos(state.attitude.yaw), yaw_sine = std::sin(state.attitude.yaw);
    self.forward_speed = state.velocity.x * yaw_cosine + state.velocity.y * yaw_sine;
    if (state.quaternion) {
        const ap_json::Quaternion& q = *state.quaternion;
        const double north = 1 - 2 * (q.y * q.y + q.z * q.z), east = 2 * (q.x * q.y + q.w * q.z);
        self.forward_speed = state.velocity.x * north + state.velocity.y * east;
    }
    const std::uint64_t failures = self.statistics.write_errors;
    if (auto error = self.feed.feed(state, self.simulator_out)) return error;
    return self.statistics.write_errors == failures ? Error() : self.last_write_error;
}

DriveControls Station::controls(Time now) const noexcept {
    const Implementation& self = *implementation_;
    const bool usable = self.linked() && self.state >= StationState::ready && !self.exiting &&
                        self.controls && now - self.controls_at < self.options.stale_after;
    return usable ? to_drive_controls(*self.controls, self.options.layout, self.forward_speed)
                  : DriveControls();
}

void Station::begin_exit(Time now) {
    Implementation& self = *implementation_;
    if (self.exiting || self.state == StationState::closed) return;
    self.upload.cancel(self.station_out);
    self.end_task({ErrorCode::cancelled, "the task ended with the station"});
    self.exiting = true;
    self.exit_deadline = now + exit_limit;
    if (!self.linked()) {
        self.state = StationState::closed;
        return;
    }
    if (self.options.hold_after_task && self.autopilot->armed())
        self.ask_mode(self.wish, px4_mode::hold, now);
    if (self.autopilot->armed())
        self.command.begin(command_long(mav_command::arm, self.autopilot->identity, 0), self.options.self,
                           now, self.station_out, 1);
    self.tick_exit(now);
}

StationState Station::state() const noexcept { return implementation_->state; }
const Error& Station::error() const noexcept { return implementation_->failure; }
const std::optional<Autopilot>& Station::autopilot() const noexcept { return implementation_->autopilot; }
bool Station::busy() const noexcept { return implementation_->task; }

std::vector<Event> Station::take_events() {
    std::vector<Event> events(implementation_->events.begin(), implementation_->events.end());
    implementation_->events.clear();
    return events;
}

StationStatistics Station::statistics() const noexcept { return implementation_->statistics; }
const ParserStatistics& Station::parser_statistics(Line line) const noexcept {
    return implementation_->parsers[static_cast<std::size_t>(line)].statistics();
}
std::uint64_t Station::control_count() const noexcept { return implementation_->statistics.controls; }
bool Station::wants_lockstep() const noexcept {
    const std::optional<HilActuatorControls>& controls = implementation_->controls;
    return controls && (controls->flags & 1) != 0 && (controls->mode & mode_flag::armed) != 0;
}

}  // namespace px4_hil
