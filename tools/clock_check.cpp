// clock_check.cpp - see clock_check.hpp.
#include "clock_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace {

using Kind = Findings::Kind;

constexpr double latest_start = 100;        // s
constexpr double longest_step = 0.1;        // s, from which on SITL does not pace itself
constexpr double usual_spread = 0.2;        // of the usual step, that a step may differ
constexpr double usual_share = 0.05;        // of the steps, that may differ by more
constexpr double tolerable_loss = 0.001;    // of time, by rounding to whole microseconds
constexpr std::size_t most_steps = 100000;  // remembered
constexpr std::size_t fewest_steps = 20;    // to say something about

constexpr Kind starts_late = {
    "time-starts-late",
    "clock",
    "Time does not begin near 0.",
    "timestamp is seconds since 1970, or since the computer or the simulator was started. SITL's clock "
    "begins there.",
    "Boot times of hours or years, logs with wrong times; functions that compare times misbehave.",
    "Send physics time, from 0 at the start of ArduPilot."};
constexpr Kind stands_still = {"time-stands-still",
                               "clock",
                               "The same timestamp is sent for several frames.",
                               "The physics is not stepped for each frame, or its clock ticks seldom.",
                               "SITL spins: its clock stands still and no MAVLink message leaves it.",
                               "Step the physics once for each new frame, and send its time."};
constexpr Kind goes_back = {
    "time-goes-back",
    "clock",
    "Time goes back.",
    "The physics was reset, or lines overtake one another, or the clock is the computer's and was set.",
    "SITL says \"Detected physics reset\"; the autopilot is not reset and may be lost.",
    "Let physics time rise. After a reset of the physics restart SITL."};
constexpr Kind step_too_long = {
    "step-too-long",
    "clock",
    "A time step is 0.1 s or longer.",
    "The simulator runs at 10 Hz or less, or was paused and jumps ahead.",
    "SITL does not pace itself any more; the autopilot flies blind for that long.",
    "Step the physics more often: at least 90 Hz for rovers and planes, 720 Hz for copters."};
constexpr Kind step_varies = {
    "step-varies",
    "clock",
    "The time step is not constant.",
    "timestamp is the computer's clock, or the engine's variable frame time.",
    "The EKF works, but less well; runs are not repeatable, and --speedup does not work.",
    "Step by a fixed amount for each servo packet and count that: lockstep."};
constexpr Kind rate_too_low = {
    "rate-too-low",
    "clock",
    "The physics rate is too low for the vehicle to arm.",
    "ArduPilot wants at least 1.8 times its loop rate: 90 Hz for rovers and planes, 720 Hz for copters.",
    "\"PreArm: Gyro 0 rate ...Hz < loop rate*1.8\".",
    "Step the physics more often, or in sub-steps for each frame."};
constexpr Kind step_loses_time = {"step-loses-time",
                                  "clock",
                                  "SITL loses time by rounding.",
                                  "SITL counts whole microseconds and cuts the rest of each step.",
                                  "SITL's clock falls behind the physics'.",
                                  "Choose a step of whole microseconds: 400, 500, 800, 1000 or 1250 Hz."};

template <class... Values>
std::string format(const char* pattern, Values... values) {
    char text[200];
    std::snprintf(text, sizeof text, pattern, values...);
    return text;
}

}  // namespace

void ClockCheck::add(double timestamp, const std::string& line, std::int64_t time_ns) {
    ++frames_;
    if (!any_) {
        any_ = true;
        first_line_ = line;
        first_ns_ = time_ns;
    }
    if (!started_) {
        started_ = true;
        newest_ = timestamp;
        if (!(std::fabs(timestamp) <= latest_start))
            findings_.add(starts_late, format("the first timestamp is %.6g s", timestamp), line, time_ns);
        return;
    }
    const double step = timestamp - newest_;
    newest_ = timestamp;
    if (step == 0) {
        findings_.add(stands_still, format("%.6f s again", timestamp), line, time_ns);
    } else if (step < 0) {
        findings_.add(goes_back, format("from %.6f s to %.6f s", timestamp - step, timestamp), line, time_ns);
    } else if (step >= longest_step - 1e-9) {
        findings_.add(step_too_long,
                      format("%.4f s, from %.6f s to %.6f s", step, timestamp - step, timestamp), line,
                      time_ns);
    }
    if (!(step > 0)) return;
    simulated_ += step;
    if (steps_.size() < most_steps) steps_.push_back(static_cast<float>(step));
}

double ClockCheck::usual_step() const {
    if (steps_.empty()) return 0;
    std::vector<float> sorted = steps_;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return static_cast<double>(*middle);
}

std::vector<Finding> ClockCheck::conclude() const {
    Findings findings = findings_;
    if (steps_.size() < fewest_steps) return findings.all();
    const double usual = usual_step();
    const auto unusual = std::count_if(steps_.begin(), steps_.end(), [usual](float step) {
        return std::fabs(static_cast<double>(step) - usual) > usual_spread * usual;
    });
    const double share = static_cast<double>(unusual) / static_cast<double>(steps_.size());
    if (share > usual_share) {
        const auto [least, most] = std::minmax_element(steps_.begin(), steps_.end());
        findings.add(
            step_varies,
            format("from %.6f s to %.6f s; %.0f percent of the steps differ from the usual %.6f s by more "
                   "than a fifth",
                   static_cast<double>(*least), static_cast<double>(*most), 100 * share, usual),
            first_line_, first_ns_);
    }
    double sum = 0;
    double lost = 0;
    for (const float step : steps_) {
        const double us = static_cast<double>(step) * 1e6;
        sum += us;
        lost += us + 1e-3 - std::floor(us + 1e-3);
    }
    const double rate = 1e6 * static_cast<double>(steps_.size()) / sum;
    if (rate < least_rate_ * 0.999) {
        findings.add(rate_too_low,
                     format("%.1f steps a simulated second; %.0f are needed", rate, least_rate_), first_line_,
                     first_ns_);
    }
    // A clock that varies loses half a microsecond on average; that is not worth a word of its own.
    if (share <= usual_share && lost > tolerable_loss * sum) {
        findings.add(
            step_loses_time,
            format("steps of %.3f us: %.2f percent of the time is lost", 1e6 * usual, 100 * lost / sum),
            first_line_, first_ns_);
    }
    return findings.all();
}
