// any_state.hpp - a State from an input's bytes: what a simulator may hand over, sound or not.
#pragma once

#include <ap_json/frames.hpp>
#include <ap_json/state.hpp>
#include <iterator>
#include <limits>

#include "fuzz.hpp"

namespace fuzz {

/// Any double; those that matter, and small ones with two decimals, come up often.
inline double any_number(Input& input) {
    using Limits = std::numeric_limits<double>;
    static constexpr double special[] = {0,
                                         -0.0,
                                         1,
                                         -1,
                                         0.1,
                                         1e-300,
                                         Limits::quiet_NaN(),
                                         Limits::infinity(),
                                         -Limits::infinity(),
                                         Limits::denorm_min(),
                                         Limits::max(),
                                         Limits::lowest(),
                                         3.141592653589793,
                                         1.5707963267948966,
                                         35,
                                         90,
                                         180,
                                         2e3,
                                         -5e4,
                                         1e4,
                                         1e5,
                                         1e6,
                                         1e7,
                                         1e9,
                                         -1e-7};
    const std::size_t kind = input.byte();
    if (kind < std::size(special)) return special[kind];
    return kind < 128 ? input.number<std::int16_t>() / 100.0 : input.number<double>();
}

inline ap_json::Vector3 any_vector(Input& input) {
    const double x = any_number(input), y = any_number(input);
    return {x, y, any_number(input)};
}

inline ap_json::Quaternion any_quaternion(Input& input) {
    const double w = any_number(input), x = any_number(input), y = any_number(input);
    const ap_json::Quaternion q{w, x, y, any_number(input)};
    return input.byte() % 4 == 0 ? q : ap_json::normalised(q);
}

/// The first bytes choose which parts differ from a new state, so that most of it can be sound.
inline ap_json::State any_state(Input& input) {
    ap_json::State state;
    const auto parts = input.number<std::uint16_t>();
    const auto has = [parts](int bit) { return (parts >> bit & 1) != 0; };
    if (has(0)) state.timestamp = any_number(input);
    if (has(1)) state.gyro = any_vector(input);
    if (has(2)) state.specific_force = any_vector(input);
    if (has(3)) state.position = any_vector(input);
    if (has(4)) state.velocity = any_vector(input);
    if (has(5)) {
        const ap_json::Vector3 v = any_vector(input);
        state.attitude = {v.x, v.y, v.z};
    }
    if (has(6)) state.quaternion = any_quaternion(input);
    const unsigned ranges = has(7) ? input.byte() : 0U;
    for (std::size_t i = 0; i < state.range_finders.size(); ++i) {
        if ((ranges >> i & 1) != 0) state.range_finders[i] = any_number(input);
    }
    if (has(8)) {
        const double direction = any_number(input);
        state.wind_vane = ap_json::WindVane{direction, any_number(input)};
    }
    if (has(9)) state.wind = any_vector(input);
    if (has(10)) state.airspeed = any_number(input);
    const unsigned channels = has(11) ? input.number<std::uint16_t>() : 0U;
    for (std::size_t i = 0; i < state.rc.size(); ++i) {
        if ((channels >> i & 1) != 0) state.rc[i] = input.number<std::uint16_t>();
    }
    if (has(12)) {
        const double voltage = any_number(input);
        state.battery = ap_json::Battery{voltage, any_number(input)};
    }
    if (has(13)) {
        const ap_json::Vector3 v = any_vector(input);
        state.geodetic = ap_json::Geodetic{v.x, v.y, v.z};
    }
    const unsigned flags = has(14) ? input.byte() : 0U;
    if ((flags & 1) != 0) state.no_time_sync = (flags & 2) != 0;
    if ((flags & 4) != 0) state.no_lockstep = (flags & 8) != 0;
    return state;
}

}  // namespace fuzz
