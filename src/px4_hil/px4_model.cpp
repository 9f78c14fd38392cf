// px4_model.cpp - see px4_model.hpp.
#include "px4_hil/px4_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "message_writer.hpp"
#include "px4_hil/hil_state.hpp"

namespace px4_hil {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr milliseconds second{1000};
constexpr milliseconds request_again{250};
constexpr milliseconds transfer_limit{5000};
constexpr int most_reached_repeats = 10;
constexpr double pi = 3.14159265358979323846;
constexpr double metres_per_degree = 111194.9;  // on a sphere; for some hundred metres it will do

double degrees(std::int32_t e7) noexcept { return e7 * 1e-7; }
double metres(std::int16_t centimetres) noexcept { return centimetres * 0.01; }

}  // namespace

Px4Model::Px4Model(const Px4ModelOptions& options, LineWriter& writer, Time now)
    : options_(options),
      writer_(writer),
      encoders_{FrameEncoder(options.identity, options.version),
                FrameEncoder(options.identity, options.version)},
      command_out_(*this, Line::command),
      simulator_out_(*this, Line::simulator) {
    start(now);
    armed_ = options.armed;
}

void Px4Model::Outlet::put(const MessageInfo& info, const void* message) {
    if (model_.silent_) return;
    const EncodedFrame frame = model_.encoders_[static_cast<std::size_t>(line_)].encode(info, message);
    static_cast<void>(model_.writer_.write(line_, frame.data(), frame.size()));
}

void Px4Model::start(Time now) {
    started_ = now;
    next_heartbeat_ = next_controls_ = next_current_ = now + options_.boot_time;
    running_ = false;
    armed_ = false;
    // Since 1.9 the parameter alone decides, at boot.
    hil_ = options_.hardware && options_.sys_hitl == 1 && options_.release != Px4Release::v1_8;
    mode_ = px4_mode::hold;
    transfer_.reset();
    last_stored_.reset();
    current_ = 0;
    reached_ = -1;
    reached_repeats_ = 0;
    complete_ = false;
    state_.reset();
    throttle_ = steering_ = 0;
    speed_sum_ = 0;
}

void Px4Model::reboot(Time now) {
    start(now);
    for (Parser& parser : parsers_) parser.reset();
}

void Px4Model::set_system(std::uint8_t system) noexcept {
    options_.identity.system = system;
    for (FrameEncoder& encoder : encoders_) encoder = FrameEncoder(options_.identity, options_.version);
}

std::uint8_t Px4Model::base_mode() const noexcept {
    unsigned bits = mode_flag::custom;
    if (armed_) bits |= mode_flag::armed;
    if (hil_) bits |= mode_flag::hil;
    if (mode_.main == px4_mode::manual.main) bits |= mode_flag::manual;
    if (mode_.main == px4_mode::mission.main)
        bits |= mode_flag::automatic | unsigned{mode_flag::stabilize} | mode_flag::guided;
    return static_cast<std::uint8_t>(bits);
}

bool Px4Model::for_us(std::uint8_t system, std::uint8_t component) const noexcept {
    return system == options_.identity.system &&
           (component == options_.identity.component || component == component_id::mission_planner ||
            component == component_id::all);
}

// ---- what it says by itself

void Px4Model::tick(Time now) {
    if (silent_ || now - started_ < options_.boot_time) return;
    // SITL's start waits for the first HIL_SENSOR.
    if (!options_.hardware && sensor_time_ == 0) return;
    running_ = true;
    for (const Line line : {Line::command, Line::simulator})
        parsers_[static_cast<std::size_t>(line)].parse(nullptr, 0, now,
                                                       [&](const Frame& frame) { handle(line, frame, now); });
    if (now >= next_heartbeat_) {
        next_heartbeat_ = now + second;
        send_heartbeat(command_out_, true);
    }
    const bool talkative = armed_ || options_.release == Px4Release::v1_15;
    if (options_.hardware && hil_ && talkative && now >= next_controls_ && options_.control_rate > 0) {
        const microseconds period(static_cast<std::int64_t>(1e6 / options_.control_rate));
        next_controls_ = std::max(next_controls_ + period, now - 5 * period);
        send_controls(
            static_cast<std::uint64_t>(std::chrono::duration_cast<microseconds>(now - started_).count()));
    }
    if (now >= next_current_) {
        next_current_ = now + second;
        send_current();
    }
    if (reached_repeats_ > 0 && now >= next_reached_) {
        --reached_repeats_;
        next_reached_ = now + second;
        MissionItemReached message;
        message.seq = static_cast<std::uint16_t>(reached_);
        command_out_.send(message);
    }
    if (!transfer_) return;
    if (now - transfer_->last_heard >= transfer_limit) {
        transfer_.reset();
        say(4, "Mission sync timeout");
    } else if (now - transfer_->last_request >= request_again) {
        request(now);
    }
}

void Px4Model::simulator_connected(Time) {
    if (options_.hardware) return;
    send_heartbeat(simulator_out_, false);
    CommandLong interval;
    interval.command = mav_command::set_message_interval;
    interval.param1 = static_cast<float>(HilStateQuaternion::id);
    interval.param2 = 5000;  // us
    simulator_out_.send(interval);
}

void Px4Model::send_heartbeat(Outlet& outlet, bool full) {
    Heartbeat message;
    message.type = full ? options_.type : mav_type::generic;
    message.autopilot = mav_autopilot::px4;
    message.custom_mode = full ? mode_.custom_mode() : 0;
    message.base_mode = full ? base_mode() : static_cast<std::uint8_t>(armed_ ? mode_flag::armed : 0);
    message.system_status = armed_ ? mav_state::active : mav_state::standby;
    outlet.send(message);
}

void Px4Model::send_controls(std::uint64_t time) {
    if (controls_off_) return;
    HilActuatorControls message;
    message.time_usec = time;
    message.flags = options_.hardware ? 0 : 1;
    message.mode = options_.hardware
                       ? base_mode()
                       : static_cast<std::uint8_t>(mode_flag::custom | (armed_ ? mode_flag::armed : 0));
    if (armed_) {
        message.controls[0] = steering_;
        message.controls[1] = throttle_;
    }
    (options_.hardware ? command_out_ : simulator_out_).send(message);
}

void Px4Model::send_current() {
    MissionCurrent message;
    message.seq = static_cast<std::uint16_t>(current_);
    if (options_.release == Px4Release::v1_15) {
        const bool in_mission = mode_ == px4_mode::mission;
        message.total = static_cast<std::uint16_t>(mission_.empty() ? 0xFFFF : mission_.size());
        message.mission_state = mission_.empty()       ? mission_state::no_mission
                                : complete_            ? mission_state::complete
                                : in_mission && armed_ ? mission_state::active
                                : reached_ >= 0        ? mission_state::paused
                                                       : mission_state::not_started;
        message.mission_mode = in_mission ? 1 : 2;
        message.mission_id = mission_id_;
    }
    command_out_.send(message);
}

void Px4Model::say(std::uint8_t severity, std::string_view text) {
    StatusText message;
    message.severity = severity;
    message.text = text;
    command_out_.send(message);
}

// ---- what it hears

void Px4Model::receive(Line line, const void* data, std::size_t size, Time now) {
    if (silent_ || now - started_ < options_.boot_time) return;
    parsers_[static_cast<std::size_t>(line)].parse(data, size, now,
                                                   [&](const Frame& frame) { handle(line, frame, now); });
}

void Px4Model::handle(Line, const Frame& frame, Time now) {
    if (const auto state = frame.as<HilStateQuaternion>()) {
        if (!options_.hardware) return;  // ground truth only
        if (!hil_) return;
        ++states_;
        state_ = state;
        const auto& q = state->attitude_quaternion;
        yaw_ =
            std::atan2(2.0 * double{q[0] * q[3] + q[1] * q[2]}, 1 - 2.0 * double{q[2] * q[2] + q[3] * q[3]});
        follow_path();
    } else if (const auto sensor = frame.as<HilSensor>()) {
        if (options_.hardware && !hil_) return;
        if ((sensor->fields_updated & sensor_bits::magnetometer) == sensor_bits::magnetometer) {
            const ap_json::Vector3 field = SensorOptions().magnetic_field;
            yaw_ = std::atan2(field.y, field.x) - std::atan2(double{sensor->ymag}, double{sensor->xmag});
        }
        ++states_;
        sensor_time_ = sensor->time_usec;
        if (!options_.hardware && sensor->sensor_id == 0) {
            follow_path();
            send_controls(sensor_time_);
        }
    } else if (const auto gps = frame.as<HilGps>()) {
        if (options_.hardware && !hil_) return;
        HilStateQuaternion place;
        place.lat = gps->lat;
        place.lon = gps->lon;
        place.alt = gps->alt;
        place.vx = gps->vn;
        place.vy = gps->ve;
        state_ = place;
        follow_path();
    } else if (const auto command = frame.as<CommandLong>()) {
        handle_command(*command, frame.sender, now);
    } else if (const auto mode = frame.as<SetMode>()) {
        if (mode->target_system == options_.identity.system)
            set_mode_by(mode->base_mode, Px4Mode::from(mode->custom_mode), now);
    } else if (const auto set = frame.as<ParamSet>()) {
        handle_parameter_set(*set);
    } else if (const auto count = frame.as<MissionCount>()) {
        if (for_us(count->target_system, count->target_component)) handle_count(*count, frame.sender, now);
    } else if (const auto item = frame.as<MissionItemInt>()) {
        if (for_us(item->target_system, item->target_component)) handle_item(*item, frame.sender, now);
    } else if (const auto ack = frame.as<MissionAck>()) {
        if (!transfer_ || transfer_->partner != frame.sender) return;
        if (ack->type == mission_result::unsupported) transfer_->floats = !transfer_->floats;
        if (ack->type == mission_result::cancelled || ack->type == mission_result::invalid_sequence)
            transfer_.reset();
    } else if (const auto clear = frame.as<MissionClearAll>()) {
        if (!for_us(clear->target_system, clear->target_component)) return;
        if (transfer_) return say(4, "Mission: busy");
        mission_.clear();
        acknowledge(frame.sender, mission_result::accepted);
    } else if (const auto current = frame.as<MissionSetCurrent>()) {
        if (current->seq >= mission_.size()) return say(4, "Mission: item out of range");
        current_ = current->seq;
        complete_ = false;
        send_current();
    }
}

void Px4Model::handle_command(const CommandLong& command, Identity sender, Time now) {
    if (command.target_system != 0 && command.target_system != options_.identity.system) return;
    if (command.target_component != 0 && command.target_component != options_.identity.component) return;
    std::uint8_t result = mav_result::unsupported;
    bool reboots = false;
    switch (command.command) {
        case mav_command::set_mode:
            result = set_mode_by(
                static_cast<int>(command.param1),
                {static_cast<std::uint8_t>(command.param2), static_cast<std::uint8_t>(command.param3)}, now);
            break;
        case mav_command::arm:
            result = arm_by(command.param1 == 1, command.param2 == force_disarm_or_arm);
            break;
        case mav_command::reboot:
            reboots = command.param1 == 1 && !armed_;
            result = reboots ? mav_result::accepted : mav_result::denied;
            break;
        case mav_command::mission_start:
            result = mav_result::denied;
            if (!mission_.empty()) {
                mode_ = px4_mode::mission;
                result = arm_by(true, false);
            }
            break;
        default:
            break;
    }
    CommandAck ack;
    ack.command = command.command;
    ack.result = result;
    if (options_.release != Px4Release::v1_8) {
        ack.target_system = sender.system;
        ack.target_component = sender.component;
    }
    command_out_.send(ack);
    if (reboots) reboot(now);
}

std::uint8_t Px4Model::set_mode_by(int base, Px4Mode mode, Time) {
    std::uint8_t result = mav_result::accepted;
    const bool wants_hil = (base & mode_flag::hil) != 0;
    if (options_.release == Px4Release::v1_8 && wants_hil != hil_) {
        const bool allowed = wants_hil && options_.sys_hitl == 1 && !armed_;
        if (allowed) hil_ = true;
        if (!allowed) {
            result = mav_result::temporarily_rejected;
            say(2, options_.sys_hitl == 1 ? "HIL: refused"
                                          : "Set parameter SYS_HITL to 1 before starting HITL.");
        }
    }
    if ((base & mode_flag::custom) == 0) return result;
    if (mode.main == px4_mode::mission.main && mode.sub == 0) mode = px4_mode::mission;
    const bool known = std::string_view(to_string(mode)) != "unknown";
    if (!known || (mode == px4_mode::mission && mission_.empty())) {
        say(2, known ? "No valid mission available" : "Unknown mode");
        return mav_result::temporarily_rejected;
    }
    mode_ = mode;
    return result;
}

std::uint8_t Px4Model::arm_by(bool arm, bool force) {
    if (arm && !armed_ && !refusal_.empty() && !force) {
        say(2, "Arming denied: " + refusal_);
        return mav_result::temporarily_rejected;
    }
    if (arm != armed_) say(6, arm ? "Armed by external command" : "Disarmed by external command");
    armed_ = arm;
    return mav_result::accepted;
}

void Px4Model::handle_parameter_set(const ParamSet& set) {
    if (set.target_system != options_.identity.system || set.param_id.view() != "SYS_HITL") return;
    options_.sys_hitl = integer_parameter(set.param_value);
    ParamValue value;
    value.param_value = set.param_value;
    value.param_count = 1;
    value.param_id = set.param_id;
    value.param_type = parameter_int32;
    command_out_.send(value);
}

// ---- a route comes in

void Px4Model::acknowledge(Identity partner, std::uint8_t result, std::uint32_t opaque_id) {
    MissionAck ack;
    ack.target_system = partner.system;
    ack.target_component = partner.component;
    ack.type = result;
    ack.opaque_id = opaque_id;
    command_out_.send(ack);
}

void Px4Model::handle_count(const MissionCount& count, Identity sender, Time now) {
    if (count.mission_type != 0) return acknowledge(sender, mission_result::invalid);
    if (transfer_) {
        const bool again = transfer_->partner == sender && transfer_->items.empty();
        if (again) {
            transfer_->last_heard = now;
            return request(now);
        }
        if (transfer_->partner == sender) say(4, "Mission: busy");
        return acknowledge(sender, mission_result::error);
    }
    reached_ = -1;
    reached_repeats_ = 0;
    if (count.count > options_.capacity) return acknowledge(sender, mission_result::no_space);
    if (count.count == 0) {
        mission_.clear();
        return acknowledge(sender, mission_result::accepted);
    }
    transfer_ = Transfer{};
    transfer_->partner = sender;
    transfer_->count = count.count;
    transfer_->last_heard = now;
    request(now);
}

void Px4Model::request(Time now) {
    transfer_->last_request = now;
    const auto next = static_cast<std::uint16_t>(transfer_->items.size());
    const auto ask = [&](auto message) {
        message.seq = next;
        message.target_system = transfer_->partner.system;
        message.target_component = transfer_->partner.component;
        command_out_.send(message);
    };
    transfer_->floats ? ask(MissionRequest()) : ask(MissionRequestInt());
}

void Px4Model::handle_item(const MissionItemInt& item, Identity sender, Time now) {
    if (!transfer_) {
        const bool again =
            last_stored_ && last_stored_->seq == item.seq && item.seq + std::size_t{1} == mission_.size();
        return again ? acknowledge(sender, mission_result::accepted, mission_id_)
                     : acknowledge(sender, mission_result::error);
    }
    if (transfer_->partner != sender) return acknowledge(sender, mission_result::error);
    transfer_->last_heard = now;
    if (item.mission_type != 0) return acknowledge(sender, mission_result::error);
    if (item.seq != transfer_->items.size()) return;
    const bool known_frame = item.frame == 0 || item.frame == 3 || item.frame == 5 || item.frame == 6;
    if (item.command != mav_command::waypoint || !known_frame) {
        transfer_.reset();
        return acknowledge(sender,
                           known_frame ? mission_result::unsupported : mission_result::unsupported_frame);
    }
    transfer_->items.push_back(item);
    transfer_->items.size() == transfer_->count ? store(sender) : request(now);
}

void Px4Model::store(Identity partner) {
    mission_ = std::move(transfer_->items);
    transfer_.reset();
    last_stored_ = mission_.back();
    mission_id_ = 0;
    if (options_.release == Px4Release::v1_15) {
        for (const MissionItemInt& item : mission_) {
            const std::int32_t place[] = {item.x, item.y};
            mission_id_ = mission_id_ * 31 + crc16(place, sizeof place) + 1;
        }
    }
    current_ = 0;
    complete_ = false;
    acknowledge(partner, mission_result::accepted, mission_id_);
    send_current();
}

// ---- driving

Px4Model::Place Px4Model::offset_to(const MissionItemInt& item) const {
    const double latitude = degrees(state_->lat);
    return {(degrees(item.x) - latitude) * metres_per_degree,
            (degrees(item.y) - degrees(state_->lon)) * metres_per_degree * std::cos(latitude * pi / 180)};
}

void Px4Model::reach(int sequence) {
    reached_ = sequence;
    reached_repeats_ = most_reached_repeats + 1;
    next_reached_ = {};  // at once
    if (static_cast<std::size_t>(sequence) + 1 == mission_.size()) {
        complete_ = true;
    } else {
        current_ = sequence + 1;
    }
    next_current_ = {};
}

/// Turns towards the way point, and goes as fast as the turn allows.
void Px4Model::follow_path() {
    throttle_ = steering_ = 0;
    if (!armed_ || !state_) return;
    const double speed = metres(state_->vx) * std::cos(yaw_) + metres(state_->vy) * std::sin(yaw_);
    double wanted = 0;
    if (mode_ == px4_mode::mission && !complete_ && !mission_.empty()) {
        const MissionItemInt& item = mission_[static_cast<std::size_t>(current_)];
        const Place way = offset_to(item);
        const double distance = std::hypot(way.north, way.east);
        const double radius = item.param2 > 0 ? double{item.param2} : options_.acceptance_radius;
        if (distance <= radius) {
            reach(current_);
        } else {
            const double error = std::remainder(std::atan2(way.east, way.north) - yaw_, 2 * pi);
            steering_ = static_cast<float>(std::clamp(1.5 * error, -1.0, 1.0));
            wanted = std::min(options_.speed, std::max(0.8, distance)) / (1 + 2 * std::fabs(error));
        }
    }
    if (wanted == 0 && std::fabs(speed) < 0.05) {
        speed_sum_ = 0;
        return;
    }
    const double lack = wanted - speed;
    speed_sum_ = std::clamp(speed_sum_ + 0.001 * lack, 0.0, 0.5);
    throttle_ = static_cast<float>(std::clamp(0.12 * lack + (wanted > 0 ? speed_sum_ : 0), -0.5, 0.6));
}

}  // namespace px4_hil
