// same_state.hpp - whether two states are equal, bit for bit but for NaN.
#pragma once

#include <ap_json/state.hpp>
#include <cmath>
#include <vector>

namespace fuzz {

/// All numbers of a state, those that are not set as NaN.
inline std::vector<double> numbers_of(const ap_json::State& s) {
    const double none = std::nan("");
    std::vector<double> all = {s.timestamp,        s.gyro.x,           s.gyro.y,           s.gyro.z,
                               s.specific_force.x, s.specific_force.y, s.specific_force.z, s.position.x,
                               s.position.y,       s.position.z,       s.velocity.x,       s.velocity.y,
                               s.velocity.z,       s.attitude.roll,    s.attitude.pitch,   s.attitude.yaw};
    const auto add = [&all](std::initializer_list<double> more) { all.insert(all.end(), more); };
    const auto q = s.quaternion.value_or(ap_json::Quaternion{none, none, none, none});
    add({q.w, q.x, q.y, q.z});
    for (const auto& range : s.range_finders) add({range.value_or(none)});
    const auto vane = s.wind_vane.value_or(ap_json::WindVane{none, none});
    const auto wind = s.wind.value_or(ap_json::Vector3{none, none, none});
    add({vane.direction, vane.speed, wind.x, wind.y, wind.z, s.airspeed.value_or(none)});
    for (const auto& pulse : s.rc) add({pulse ? *pulse : none});
    const auto battery = s.battery.value_or(ap_json::Battery{none, none});
    const auto place = s.geodetic.value_or(ap_json::Geodetic{none, none, none});
    add({battery.voltage, battery.current, place.latitude, place.longitude, place.altitude});
    const auto flag = [none](const std::optional<bool>& value) {
        return value ? (*value ? 1.0 : 0.0) : none;
    };
    add({flag(s.no_time_sync), flag(s.no_lockstep)});
    return all;
}

inline bool same(const ap_json::State& a, const ap_json::State& b) {
    const auto left = numbers_of(a), right = numbers_of(b);
    for (std::size_t i = 0; i < left.size(); ++i) {
        const bool both_nan = std::isnan(left[i]) && std::isnan(right[i]);
        if (!both_nan && (left[i] != right[i] || std::signbit(left[i]) != std::signbit(right[i])))
            return false;
    }
    return true;
}

}  // namespace fuzz
