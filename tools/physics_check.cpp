// physics_check.cpp - see physics_check.hpp.
#include "physics_check.hpp"

#include <array>
#include <cstdio>

#include "hypotheses.hpp"
#include "vector_math.hpp"

using namespace vector_math;

namespace {

struct Limits {
    double wrong;  // an error above this is a finding
    double right;  // a correction that brings it below this is believed
};

// In the order of Agreement. Rest and attitudes are compared exactly; the others are integrals over time, which a
// model of few steps a second has less exactly.
constexpr std::array<Limits, agreements> limits = {
    {{0.01, 0.003}, {0.3, 0.05}, {0.15, 0.05}, {0.5, 0.1}, {0.01, 0.003}, {0.1, 0.02}}};
constexpr double tolerable_loss = 0.02;  // of agreement elsewhere

// What a collision of a real vehicle does not reach in one step, and an artefact of differentiation does.
constexpr double spike = 100;  // m/s2

// When no mistake that the doctor knows explains a disagreement.
constexpr Findings::Kind unexplained[agreements] = {
    {"specific-force-at-rest", "physics", "The specific force at rest does not fit the attitude.",
     "At rest it is gravity alone: R^T (0, 0, -9.81) in body axes. Axes swapped, another unit, or an "
     "attitude that is "
     "not the vehicle's.",
     "The attitude estimate settles at another attitude than the vehicle's.",
     "Level and at rest send (0, 0, -9.81); nose up by 90 degrees it is (+9.81, 0, 0)."},
    {"velocity-and-position-differ", "physics", "Velocity is not the derivative of position.",
     "The two are in different frames or units, or one of them lags.",
     "GPS and inertial data disagree: \"EKF variance\", \"GPS glitch\".",
     "Send both from the same step of the physics, in m and m/s, north, east, down."},
    {"gyro-and-attitude-differ", "physics", "The gyro does not show how the attitude turns.",
     "The two are in different axes or units, or the attitude is set and not integrated.",
     "The attitude estimate is wrong whenever the vehicle turns.",
     "Send the angular velocity in rad/s about the body's axes forward, right, down."},
    {"specific-force-and-velocity-differ", "physics",
     "The specific force does not show how velocity changes.",
     "R f + g has to be the derivative of velocity. If there are other findings, mend them first.",
     "The estimates of velocity and position wander off as soon as the vehicle moves.",
     "Compute the specific force from the same acceleration that changes velocity: R^T (a - g)."},
    {"attitude-and-quaternion-differ", "physics", "attitude and quaternion are different rotations.",
     "SITL takes the quaternion when both are sent.",
     "The vehicle has another attitude than the simulator shows.",
     "Compute one from the other, in the order yaw, pitch, roll, or send one only."},
    {"geodetic-and-position-differ", "physics",
     "Latitude, longitude and altitude do not move as position does.",
     "SITL takes the geodetic position when all three are sent, and ignores position.",
     "The vehicle is elsewhere on the map than in the simulator.",
     "Compute one from the other: degrees, and metres above sea level."}};

constexpr Findings::Kind without_motion = {
    "specific-force-without-motion",
    "physics",
    "The specific force does not show that the vehicle accelerates.",
    "Velocity changes, and imu.accel_body stays what it is at rest: it is a constant, or belongs to another "
    "moment.",
    "The estimates of velocity and position lag or wander off: \"EKF variance\".",
    "Compute it in each step: R^T (a - g), with the acceleration of that very step."};

constexpr Findings::Kind spikes = {
    "specific-force-spikes",
    "physics",
    "The specific force has spikes of one step.",
    "Velocity jumps within a step, and its derivative is divided by a short step. The EKF integrates the "
    "spike for "
    "longer than it lasted.",
    "The speed estimate jumps: 45 m/s have been seen for a rover that does 1 m/s.",
    "Let velocity change with a bounded acceleration, or let the physics engine tell its acceleration."};

std::string text_of(const Vector3& v) {
    char text[80];
    std::snprintf(text, sizeof text, "(%.4g, %.4g, %.4g)", v.x, v.y, v.z);
    return text;
}

/// What was seen: the two sides that disagree, on average.
std::string seen_by(Agreement which, const Consistency& consistency) {
    const Consistency::Result& result = consistency.result(which);
    const double n = std::max(result.windows, 1);
    const std::string first = text_of((1 / n) * result.first_sum);
    const std::string second = text_of((1 / n) * result.second_sum);
    const std::string windows = " (mean of " + std::to_string(result.windows) + " tenths of a second)";
    switch (which) {
        case Agreement::rest:
            return "at rest imu.accel_body is " + first + " m/s2; by the attitude it has to be " + second +
                   windows;
        case Agreement::displacement:
            return "position moves by " + first + " m while velocity makes " + second + " m of it" + windows;
        case Agreement::rotation:
            return "the attitude turns by " + first + " rad while the gyro makes " + second + " rad of it" +
                   windows;
        case Agreement::acceleration:
            return "velocity changes by " + first + " m/s while specific force and gravity make " + second +
                   " m/s of it" + windows;
        case Agreement::attitudes: {
            char text[80];
            std::snprintf(
                text, sizeof text, "the two differ by %.1f degrees on average",
                2 * std::acos(std::clamp(1 - consistency.error(which) / 2, -1.0, 1.0)) * 57.29577951308232);
            return text;
        }
        case Agreement::geodetic:
            return "latitude, longitude and altitude move by " + first + " m while position moves by " +
                   second + " m" + windows;
    }
    return {};
}

using Set = std::array<bool, agreements>;

Set wrong_ones(const Consistency& consistency) {
    Set wrong{};
    for (std::size_t i = 0; i < agreements; ++i) {
        const auto which = static_cast<Agreement>(i);
        wrong[i] = consistency.is_known(which) && consistency.error(which) > limits[i].wrong;
    }
    return wrong;
}

/// How many of the wrong ones a correction sets right; 0 when it spoils another one.
int mended(const Set& wrong, const Consistency& before, const Consistency& after) {
    int count = 0;
    for (std::size_t i = 0; i < agreements; ++i) {
        const auto which = static_cast<Agreement>(i);
        const double error = after.error(which);
        const bool is_known = before.is_known(which) || after.is_known(which);
        if (!is_known) continue;
        if (wrong[i] && after.is_known(which) && error <= limits[i].right) ++count;
        if (error > std::max(before.error(which) + tolerable_loss, limits[i].right)) return 0;
    }
    return count;
}

}  // namespace

PhysicsCheck::PhysicsCheck() : corrected_(hypothesis_count) {}

void PhysicsCheck::add(const Sample& sample, const std::string& line, std::int64_t time_ns) {
    if (states_ == 0) {
        first_line_ = line;
        first_ns_ = time_ns;
    }
    last_ns_ = time_ns;
    look_for_spikes(sample, line, time_ns);
    as_sent_.add(sample);
    for (std::size_t i = 0; i < hypothesis_count; ++i) {
        Sample other = sample;
        hypotheses[i].correct(other);
        corrected_[i].add(other);
    }
    ++states_;
}

/// One state whose specific force is far from both its neighbours'.
void PhysicsCheck::look_for_spikes(const Sample& sample, const std::string& line, std::int64_t time_ns) {
    if (states_ >= 2) {
        const double before = norm(forces_[1] - forces_[0]);
        const double after = norm(forces_[1] - sample.force);
        if (before > spike && after > spike) {
            single_.add(spikes,
                        "imu.accel_body goes from " + text_of(forces_[0]) + " to " + text_of(forces_[1]) +
                            " and to " + text_of(sample.force) + " m/s2 in three states",
                        line, time_ns);
        }
    }
    forces_[0] = forces_[1];
    forces_[1] = sample.force;
}

std::vector<Finding> PhysicsCheck::conclude() const {
    Findings findings = single_;
    Set wrong = wrong_ones(as_sent_);
    for (;;) {
        int most = 0;
        std::size_t best = 0;
        for (std::size_t i = 0; i < hypothesis_count; ++i) {
            const int count = mended(wrong, as_sent_, corrected_[i]);
            if (count > most) {
                most = count;
                best = i;
            }
        }
        if (most == 0) break;
        std::string seen;
        for (std::size_t i = 0; i < agreements; ++i) {
            const auto which = static_cast<Agreement>(i);
            if (!wrong[i] || !corrected_[best].is_known(which) ||
                corrected_[best].error(which) > limits[i].right)
                continue;
            wrong[i] = false;
            seen += (seen.empty() ? "" : "; ") + seen_by(which, as_sent_);
        }
        const Hypothesis& h = hypotheses[best];
        findings.add({h.id, "physics", h.title, h.means, h.pilot, h.change}, seen, first_line_, first_ns_);
    }
    for (std::size_t i = 0; i < agreements; ++i) {
        if (!wrong[i]) continue;
        const auto which = static_cast<Agreement>(i);
        const bool is_still = which == Agreement::acceleration &&
                              as_sent_.windows_without_motion() * 2 > as_sent_.result(which).windows;
        findings.add(is_still ? without_motion : unexplained[i], seen_by(which, as_sent_), first_line_,
                     first_ns_);
    }
    return findings.all();
}

std::vector<std::string> PhysicsCheck::not_examined() const {
    std::vector<std::string> names;
    for (const auto which :
         {Agreement::rest, Agreement::displacement, Agreement::rotation, Agreement::acceleration}) {
        if (!as_sent_.is_known(which)) names.emplace_back(to_string(which));
    }
    return names;
}
