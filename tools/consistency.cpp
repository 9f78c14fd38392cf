// consistency.cpp - see consistency.hpp.
#include "consistency.hpp"

#include <algorithm>

#include "vector_math.hpp"

using namespace vector_math;

namespace {

constexpr double window_length = 0.1;  // s
constexpr double longest_step = 0.1;   // s: beyond it, nothing can be said of what lies between
constexpr Vector3 gravity{0, 0, ap_json::standard_gravity};  // NED

// The least that two sides have to differ from nothing in a window, to be compared there.
constexpr double least_displacement = 0.03;  // m
constexpr double least_rotation = 0.01;      // rad
constexpr double least_impulse = 0.04;       // m/s

constexpr double least_share = 0.2;  // of the whole vector, for an axis to count
constexpr double spike = 50;         // m/s2 from one state to the next

// What counts as rest.
constexpr double rest_speed = 0.1;       // m/s
constexpr double rest_impulse = 0.002;   // m/s of change in a window
constexpr double rest_rotation = 0.002;  // rad of change in a window

constexpr double metres_per_degree = 111319.5;

/// 0 when the same, 1 when at right angles or one is nothing, 2 when opposite.
double relative_error(const Vector3& a, const Vector3& b) {
    const double size = dot(a, a) + dot(b, b);
    const double error = size > 0 ? dot(a - b, a - b) / size : 0;
    return std::isfinite(error) ? error : 1;
}

double distance(const EulerAngles& a, const Quaternion& b) {
    const Quaternion q = from_euler(a);
    const double cosine = std::fabs(q.w * b.w + q.x * b.x + q.y * b.y + q.z * b.z);
    return 2 - 2 * std::min(cosine, 1.0);
}

}  // namespace

const char* to_string(Agreement agreement) {
    switch (agreement) {
        case Agreement::rest:
            return "specific force at rest against attitude";
        case Agreement::displacement:
            return "velocity against the change of position";
        case Agreement::rotation:
            return "gyro against the change of attitude";
        case Agreement::acceleration:
            return "specific force against the change of velocity";
        case Agreement::attitudes:
            return "attitude against quaternion";
        case Agreement::geodetic:
            return "latitude, longitude, altitude against position";
    }
    return "unknown";
}

Quaternion attitude_of(const Sample& sample) {
    if (sample.quaternion) {
        const double size = norm(*sample.quaternion);
        if (!(size > 1e-6)) return {1, 0, 0, 0};
        const Quaternion& q = *sample.quaternion;
        return {q.w / size, q.x / size, q.y / size, q.z / size};
    }
    return from_euler(sample.euler.value_or(EulerAngles{}));
}

void Consistency::add(const Sample& sample) {
    const Quaternion attitude = attitude_of(sample);
    const double dt = sample.time - newest_.time;
    if (!started_ || !(dt >= 0) || dt > longest_step) {  // the beginning, a reset, a pause
        begin(sample, attitude);
    } else if (dt > 0) {
        Window& w = window_;
        w.duration += dt;
        ++w.steps;
        w.moved = w.moved + (dt / 2) * (newest_.velocity + sample.velocity);
        w.turned = w.turned + dt * sample.gyro;
        w.attitude_turned = w.attitude_turned + rotation_vector(conjugate(newest_attitude_) * attitude);
        w.pushed = w.pushed + dt * (rotate(attitude, sample.force) + gravity);
        w.force_sum = w.force_sum + sample.force;
        w.has_spike = w.has_spike || norm(sample.force - newest_.force) > spike;
        if (w.duration >= window_length - 1e-9) {
            finish(sample, attitude);
            begin(sample, attitude);
        }
    }
    started_ = true;
    newest_ = sample;
    newest_attitude_ = attitude;
}

void Consistency::begin(const Sample& sample, const Quaternion& attitude) {
    window_ = Window{};
    window_.first = sample;
    window_.first_attitude = attitude;
}

bool Consistency::is_known(Agreement which) const {
    const auto& counts = result(which).counts;
    return *std::max_element(counts.begin(), counts.end()) >= fewest_windows;
}

double Consistency::error(Agreement which) const {
    const Result& result = this->result(which);
    double worst = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (result.counts[axis] >= fewest_windows) worst = std::max(worst, result.errors[axis]);
    }
    return worst;
}

void Consistency::count(Agreement which, std::size_t axis, double error) {
    Result& result = results_[static_cast<std::size_t>(which)];
    ++result.counts[axis];
    result.errors[axis] += (error - result.errors[axis]) / result.counts[axis];
}

void Consistency::compare(Agreement which, const Vector3& a, const Vector3& b, double smallest) {
    const double least = std::max(smallest, least_share * std::max(norm(a), norm(b)));
    const double pairs[3][2] = {{a.x, b.x}, {a.y, b.y}, {a.z, b.z}};
    bool any = false;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto [one, other] = pairs[axis];
        if (!(std::fabs(one) > least) && !(std::fabs(other) > least)) continue;
        count(which, axis, relative_error({one, 0, 0}, {other, 0, 0}));
        any = true;
    }
    if (!any) return;
    Result& result = results_[static_cast<std::size_t>(which)];
    ++result.windows;
    result.first_sum = result.first_sum + a;
    result.second_sum = result.second_sum + b;
}

void Consistency::compare_rest(const Vector3& force, const Vector3& expected) {
    count(Agreement::rest, 0, relative_error(force, expected));
    Result& result = results_[static_cast<std::size_t>(Agreement::rest)];
    ++result.windows;
    result.first_sum = result.first_sum + force;
    result.second_sum = result.second_sum + expected;
}

void Consistency::finish(const Sample& last, const Quaternion& attitude) {
    const Window& w = window_;
    const Vector3 gained = last.velocity - w.first.velocity;
    const Vector3 displaced = last.position - w.first.position;
    const bool rests = norm(last.velocity) < rest_speed && norm(gained) < rest_impulse &&
                       norm(w.attitude_turned) < rest_rotation;
    if (rests && !w.has_spike) compare_rest((1.0 / w.steps) * w.force_sum, rotate_back(attitude, -gravity));
    // With geodetic coordinates SITL ignores position, and a backend need not send it.
    if (!last.geodetic || norm(displaced) > 0) {
        compare(Agreement::displacement, displaced, w.moved, least_displacement);
    }
    compare(Agreement::rotation, w.attitude_turned, w.turned, least_rotation);
    if (!rests && !w.has_spike) {
        if (norm(gained) > least_impulse && norm(w.pushed) < 0.1 * norm(gained)) ++windows_without_motion_;
        compare(Agreement::acceleration, gained, w.pushed, least_impulse);
    }
    if (last.euler && last.quaternion && norm(*last.quaternion) > 1e-6) {
        count(Agreement::attitudes, 0, distance(*last.euler, attitude));
    }
    if (last.geodetic && w.first.geodetic && norm(displaced) > 0) {
        const double east_scale =
            metres_per_degree * std::cos(last.geodetic->latitude * 0.017453292519943295);
        const Vector3 by_geodetic{(last.geodetic->latitude - w.first.geodetic->latitude) * metres_per_degree,
                                  (last.geodetic->longitude - w.first.geodetic->longitude) * east_scale,
                                  w.first.geodetic->altitude - last.geodetic->altitude};
        compare(Agreement::geodetic, by_geodetic, displaced, least_displacement);
    }
}
