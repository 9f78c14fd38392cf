// resampler.cpp - see resampler.hpp.
#include "ap_json/resampler.hpp"

#include <algorithm>
#include <cmath>

#include "ap_json/frames.hpp"

namespace ap_json {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

constexpr nanoseconds longest_patience = std::chrono::hours(1);

Vector3 sum(const Vector3& a, double factor, const Vector3& b) noexcept {
    return {a.x + factor * b.x, a.y + factor * b.y, a.z + factor * b.z};
}

Quaternion attitude_of(const State& state) noexcept {
    return state.quaternion ? normalised(*state.quaternion) : to_quaternion(state.attitude);
}

/// From a to b by the shorter way: rad about an axis of a's body.
Vector3 turn_between(const Quaternion& a, const Quaternion& b) noexcept {
    const Quaternion d = product(inverse(a), b);
    const double sine = std::sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    const double sign = d.w < 0 ? -1 : 1;
    // For small angles the ratio of the angle to the sine is 2.
    const double factor = sine > 1e-9 ? 2 * std::atan2(sine, std::fabs(d.w)) / sine : 2;
    return {sign * factor * d.x, sign * factor * d.y, sign * factor * d.z};
}

Quaternion turned(const Quaternion& a, const Vector3& turn) noexcept {
    const double angle = std::sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
    const double factor = angle > 1e-9 ? std::sin(angle / 2) / angle : 0.5;
    return normalised(product(a, {std::cos(angle / 2), factor * turn.x, factor * turn.y, factor * turn.z}));
}

void blend(std::optional<double>& value, const std::optional<double>& before, double part) noexcept {
    if (value && before) *value = *before + part * (*value - *before);
}

}  // namespace

State interpolate(const State& before, const State& after, double duration, double part) noexcept {
    State state = after;
    const Vector3 gained = sum(after.velocity, -1, before.velocity);
    const Vector3 acceleration{gained.x / duration, gained.y / duration, gained.z / duration};
    state.velocity = sum(before.velocity, part, gained);

    // What velocity makes of it, and the rest, which is how the simulator's integration differs, spread evenly.
    const double time = part * duration;
    const Vector3 moved =
        sum(sum(after.position, -1, before.position), -duration / 2, sum(before.velocity, 1, after.velocity));
    state.position =
        sum(sum(sum(before.position, time, before.velocity), time * time / 2, acceleration), part, moved);

    const Quaternion from = attitude_of(before);
    const Vector3 turn = turn_between(from, attitude_of(after));
    const Quaternion attitude = turned(from, {part * turn.x, part * turn.y, part * turn.z});
    state.quaternion = attitude;
    state.gyro = {turn.x / duration, turn.y / duration, turn.z / duration};
    state.specific_force = specific_force(acceleration, attitude);

    for (std::size_t i = 0; i < state.range_finders.size(); ++i)
        blend(state.range_finders[i], before.range_finders[i], part);
    blend(state.airspeed, before.airspeed, part);
    if (state.battery && before.battery) {
        state.battery->voltage =
            before.battery->voltage + part * (after.battery->voltage - before.battery->voltage);
        state.battery->current =
            before.battery->current + part * (after.battery->current - before.battery->current);
    }
    if (state.geodetic && before.geodetic) {
        Geodetic& g = *state.geodetic;
        g.latitude = before.geodetic->latitude + part * (g.latitude - before.geodetic->latitude);
        g.longitude = before.geodetic->longitude + part * (g.longitude - before.geodetic->longitude);
        g.altitude = before.geodetic->altitude + part * (g.altitude - before.geodetic->altitude);
    }
    return state;
}

Resampler::Resampler(Client& client, std::chrono::microseconds step, nanoseconds patience) noexcept
    : client_(client),
      step_(std::max(step, std::chrono::microseconds(1))),
      patience_(std::clamp<nanoseconds>(patience, nanoseconds(0), longest_patience)) {}

void Resampler::begin(const State& state) noexcept { before_ = state; }

double Resampler::time() const noexcept { return static_cast<double>(steps_ * step_.count()) / 1e6; }

bool Resampler::restarted() noexcept {
    const bool was = restarted_;
    restarted_ = false;
    return was;
}

Error Resampler::frame(const State& state, double elapsed) noexcept {
    elapsed = elapsed > 0 ? std::min(elapsed, longest_frame) : 0;  // also drops NaN
    const double step = static_cast<double>(step_.count()) / 1e6;
    const Clock::time_point deadline = Clock::now() + patience_;
    constexpr double rounding = 1e-9;  // s: a step that is due must not slip for want of a last bit
    Error first_error;
    // A frame of no time has no states within it.
    const auto due = elapsed > 0 ? static_cast<std::int64_t>((since_step_ + elapsed + rounding) / step) : 0;
    for (std::int64_t i = 1; i <= due; ++i) {
        ++steps_;
        if (!asked_ && !ask(deadline)) {
            if (restarted_) break;  // the rest of this frame belongs to the life before
            continue;
        }
        const double at = static_cast<double>(i) * step - since_step_;  // s into this frame
        State between = interpolate(before_, state, elapsed, std::clamp(at / elapsed, 0.0, 1.0));
        between.timestamp = time();
        auto error = answer(between);
        if (error && !first_error) first_error = error;
    }
    since_step_ = restarted_ ? 0 : std::max(since_step_ + elapsed - static_cast<double>(due) * step, 0.0);
    if (elapsed > 0) before_ = state;
    return first_error || client_.is_open()
               ? first_error
               : Error(ErrorCode::not_open, "the client is not open: call open() first");
}

/// Waits for ArduPilot's next packet. @return whether a new one has come that is to be answered with a new state
bool Resampler::ask(Clock::time_point deadline) noexcept {
    for (;;) {
        const bool worth_waiting = client_.status() == LinkStatus::online;
        const auto frame = client_.receive(worth_waiting ? deadline - Clock::now() : nanoseconds(0));
        if (!frame) return false;
        servos_ = frame->servos;
        if (frame->repeated()) {  // it wants the last answer again
            static_cast<void>(client_.send(newest_));
            continue;
        }
        asked_ = true;
        if (!frame->restarted()) return true;
        restarted_ = true;
        steps_ = 0;
        return false;
    }
}

Error Resampler::answer(const State& state) noexcept {
    auto error = client_.send(state);
    if (error.code() == ErrorCode::not_sent) return {};  // ArduPilot asks again
    asked_ = false;
    if (!error) newest_ = state;
    return error;
}

}  // namespace ap_json
