// sitl_model.cpp - see sitl_model.hpp. Written from measurements.
#include "ap_json/sitl_model.hpp"

#include <algorithm>
#include <cmath>

namespace ap_json {
namespace {

constexpr double rover_loop_rate = 50;
constexpr double longest_paced_step = 0.1;  // s

void write_u16(unsigned char* to, std::uint16_t value) noexcept {
    to[0] = static_cast<unsigned char>(value & 255);
    to[1] = static_cast<unsigned char>(value >> 8);
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return (x | 0x20) == (y | 0x20); });
}

}  // namespace

std::size_t SitlModel::write_packet(unsigned char (&buffer)[servo_packet_size_32]) const noexcept {
    write_u16(buffer, channels_ == 32 ? magic_32_channels : magic_16_channels);
    write_u16(buffer + 2, static_cast<std::uint16_t>(frame_rate_));
    write_u16(buffer + 4, static_cast<std::uint16_t>(frame_count_ & 0xFFFF));
    write_u16(buffer + 6, static_cast<std::uint16_t>(frame_count_ >> 16));
    for (int i = 0; i < channels_; ++i) write_u16(buffer + 8 + 2 * i, servo(i + 1));
    return 8 + 2 * static_cast<std::size_t>(channels_);
}

SitlVerdict SitlModel::receive(const char* data, std::size_t size) {
    const SitlVerdict verdict = reader_.feed(data, size);
    for (const std::string& line : reader_.console()) console_.push_back(line);
    if (verdict == SitlVerdict::fatal) {
        death_ = reader_.advice();
    } else if (verdict == SitlVerdict::accepted) {
        accept();
        if (!death_.empty()) return SitlVerdict::fatal;
    }
    return verdict;
}

void SitlModel::accept() {
    const State& state = reader_.state();
    if (std::isnan(state.timestamp)) {
        // A SITL that is starting survives that, but its clock stands still from then on.
        clock_frozen_ = true;
        if (clock() >= start_time) death_ = "timestamp is nan: SITL ends with a floating point exception.";
    }
    double step = state.timestamp - last_timestamp_;
    if (step < 0) {
        console_.emplace_back("Detected physics reset");
        reader_.forget_keys();
        step = 0;
    } else if (reader_.keys_changed()) {
        console_.emplace_back("JSON received:");
        for (const std::string& key : reader_.keys()) console_.push_back("\t" + key);
    }
    last_timestamp_ = state.timestamp;
    newest_step_ = std::isfinite(step) ? step : 0;
    // A timestamp of 0 makes SITL count by its own frame rate.
    const double passed = state.timestamp == 0 ? 1.0 / static_cast<double>(frame_rate_) : newest_step_;
    constexpr std::int64_t end_of_time =
        4'000'000'000'000'000'000;  // us; more steps like that would overflow
    if (!clock_frozen_)
        clock_us_ =
            std::min(clock_us_ + static_cast<std::int64_t>(std::min(passed, 1e12) * 1e6), end_of_time);
    if (newest_step_ > 0 && newest_step_ < longest_paced_step) {
        const float own_rate =
            std::min(static_cast<float>(1 / newest_step_), 65000.0F);  // SITL's precision shows here
        frame_rate_ = own_rate + std::clamp(sim_rate_ - own_rate, -1.0F, 1.0F);
    }
    if (state.no_time_sync.value_or(false) && !no_time_sync_)
        console_.emplace_back("Forcing use_time_sync=0");
    no_time_sync_ = state.no_time_sync.value_or(false);
    if (state.no_lockstep.value_or(false) != no_lockstep_) {
        no_lockstep_ = !no_lockstep_;
        console_.emplace_back(no_lockstep_ ? "Lockstep mode changed: no_lockstep=1 (lockstep DISABLED)"
                                           : "Lockstep mode changed: no_lockstep=0 (lockstep ENABLED)");
    }
    ++frame_count_;
}

std::vector<std::string> SitlModel::take_console() {
    std::vector<std::string> lines;
    lines.swap(console_);
    return lines;
}

std::string SitlModel::arm() {
    if (clock() < start_time) return "not ready: ArduPilot has not initialised its outputs yet, wait 2 s";
    if (newest_step_ <= 0 || 1 / newest_step_ < 1.8 * rover_loop_rate - 0.01) {
        const double rate = newest_step_ > 0 ? 1 / newest_step_ : 0;
        return "the backend's physics rate is " + std::to_string(static_cast<int>(rate)) +
               " Hz; ArduPilot arms a rover from 90 Hz on (1.8 times its loop rate of 50 Hz)";
    }
    armed_ = true;
    return {};
}

std::string SitlModel::set_mode(std::string_view mode) {
    if (equal_ignoring_case(mode, "MANUAL")) {
        hold_ = false;
    } else if (equal_ignoring_case(mode, "HOLD")) {
        hold_ = true;
    } else {
        return "the stand-in knows the modes MANUAL and HOLD only";
    }
    return {};
}

std::string SitlModel::set_rc(int channel, int pwm) {
    if (channel < 1 || channel > static_cast<int>(overrides_.size())) return "RC channels are 1 to 12";
    if (pwm != 0 && (pwm < 800 || pwm > 2200))
        return "PWM has to be 800 to 2200 microseconds, or 0 to release the channel";
    overrides_[static_cast<std::size_t>(channel - 1)] = pwm;
    return {};
}

int SitlModel::rc_input(int channel) const noexcept {
    const auto index = static_cast<std::size_t>(channel - 1);
    if (overrides_[index] != 0) return overrides_[index];
    return reader_.state().rc[index].value_or(1500);
}

std::string SitlModel::set_servo(int number, std::optional<int> pwm) {
    if (number < 1 || number > static_cast<int>(servos_.size())) return "servos are 1 to 32";
    if (pwm && (*pwm < 0 || *pwm > 65535)) return "PWM has to be 0 to 65535 microseconds";
    auto& servo = servos_[static_cast<std::size_t>(number - 1)];
    servo.reset();
    if (pwm) servo = static_cast<std::uint16_t>(*pwm);
    return {};
}

std::uint16_t SitlModel::servo(int number) const noexcept {
    if (number < 1 || number > static_cast<int>(servos_.size()) || clock() < start_time) return 0;
    if (const auto& direct = servos_[static_cast<std::size_t>(number - 1)]) return *direct;
    if (number != 1 && number != 3) return 0;
    if (!armed_ || hold_) return 1500;
    return static_cast<std::uint16_t>(rc_input(number));
}

}  // namespace ap_json
