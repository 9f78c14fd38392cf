// state_json.cpp - checks a state and writes it as a line that SITL's substring search cannot misread.
#include "ap_json/state_json.hpp"

#include <charconv>
#include <cmath>
#include <cstring>
#include <string_view>

#include "ap_json/frames.hpp"
#include "text_writer.hpp"

namespace ap_json {
namespace {

// SITL computes in single precision with floating point exceptions on, and ends when one occurs. The limits
// are values that ArduRover, ArduCopter and ArduPlane survived for thousands of frames; the comments say what
// they did not survive.
constexpr double max_timestamp = 1e9;     // s; also catches seconds since 1970
constexpr double max_rate = 35;           // rad/s, 2000 deg/s; dead after some seconds of 50 about each axis
constexpr double max_force = 1e6;         // m/s2; dead at 1e8
constexpr double max_speed = 1e5;         // m/s; dead at 1e7
constexpr double max_distance = 1e7;      // m, horizontally
constexpr double max_height = 5e4;        // m; dead at 8e4, outside of its model of the atmosphere
constexpr double max_depth = 2e3;         // m below home; dead at 5e3
constexpr double max_angle = 1e4;         // rad
constexpr double max_range = 1e7;         // m
constexpr double max_electric = 1e4;      // V, A; dead at 1e6
constexpr double norm_tolerance = 1e-3;   // of a quaternion
constexpr std::uint16_t min_pulse = 800;  // microseconds
constexpr std::uint16_t max_pulse = 2200;

Error not_finite(const char* field, const char* part, double value, const char* advice = "") noexcept {
    MessageWriter text;
    text << field << part << " is " << value << "; it has to be a finite number" << advice;
    return {ErrorCode::not_finite, text.c_str()};
}

/// A value that is not a number between the limits, in words.
Error refuse(const char* field, const char* part, double value, double lowest, double highest,
             const char* advice = "") noexcept {
    if (!std::isfinite(value)) return not_finite(field, part, value, advice);
    MessageWriter text;
    text << field << part << " is " << value << "; it has to be between " << lowest << " and " << highest
         << advice;
    return {ErrorCode::out_of_range, text.c_str()};
}

bool within(double value, double limit) noexcept { return std::fabs(value) <= limit; }  // false for NaN

bool within(const Vector3& v, double limit) noexcept {
    return within(v.x, limit) && within(v.y, limit) && within(v.z, limit);
}

Error check(const char* field, double value, double limit) noexcept {
    return within(value, limit) ? Error() : refuse(field, "", value, -limit, limit);
}

Error check(const char* field, const Vector3& v, double limit, const char* advice = "") noexcept {
    if (within(v, limit)) return {};
    if (!within(v.x, limit)) return refuse(field, ".x", v.x, -limit, limit, advice);
    if (!within(v.y, limit)) return refuse(field, ".y", v.y, -limit, limit, advice);
    return refuse(field, ".z", v.z, -limit, limit, advice);
}

Error check_position(const Vector3& p) noexcept {
    if (!within(p.x, max_distance)) return refuse("position", ".x", p.x, -max_distance, max_distance);
    if (!within(p.y, max_distance)) return refuse("position", ".y", p.y, -max_distance, max_distance);
    if (p.z >= -max_height && p.z <= max_depth) return {};
    return refuse("position", ".z", p.z, -max_height, max_depth, " m (down is positive)");
}

Error check_timestamp(double timestamp) noexcept {
    if (timestamp >= 0 && timestamp <= max_timestamp) return {};
    const char* advice = "";
    if (std::isfinite(timestamp)) {
        advice = timestamp < 0
                     ? ": begin at 0"
                     : ": seconds since 1970? Begin at 0, or set ClientOptions::relative_timestamps";
    }
    return refuse("timestamp", "", timestamp, 0, max_timestamp, advice);
}

Error check_attitude(const State& state) noexcept {
    if (!state.quaternion) {
        const EulerAngles& a = state.attitude;
        if (!within(a.roll, max_angle)) return refuse("attitude", ".roll", a.roll, -max_angle, max_angle);
        if (!within(a.pitch, max_angle)) return refuse("attitude", ".pitch", a.pitch, -max_angle, max_angle);
        if (!within(a.yaw, max_angle)) return refuse("attitude", ".yaw", a.yaw, -max_angle, max_angle);
        return {};
    }
    const Quaternion& q = *state.quaternion;
    const double norm = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    if (std::fabs(norm - 1) <= norm_tolerance) return {};
    for (const auto& [part, value] : {std::pair{".w", q.w}, {".x", q.x}, {".y", q.y}, {".z", q.z}}) {
        if (!std::isfinite(value)) return not_finite("quaternion", part, value);
    }
    MessageWriter text;
    text << "quaternion (" << q.w << ", " << q.x << ", " << q.y << ", " << q.z << ") has the norm " << norm
         << "; it has to be 1 within " << norm_tolerance << ": normalise it";
    return {ErrorCode::not_normalised, text.c_str()};
}

/// SITL takes over the element at `index` only when the one at `needs` is there too.
Error lacks(const char* field, std::size_t index, std::size_t needs) noexcept {
    MessageWriter text;
    text << field << index + 1 << " is set but " << field << needs + 1
         << " is not; SITL reads the one only beside the other: set both";
    return {ErrorCode::incomplete, text.c_str()};
}

Error check_range_finders(const State& state) noexcept {
    const auto& ranges = state.range_finders;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        if (!ranges[i]) continue;
        if (!within(*ranges[i], max_range)) {
            const char part[] = {'_', static_cast<char>('1' + i), '\0'};
            return refuse("rng", part, *ranges[i], -max_range, max_range,
                          "; when nothing is in range, leave it unset or send its largest range");
        }
        if (i >= 3 && !ranges[i - 3]) return lacks("rng_", i, i - 3);
    }
    return {};
}

Error check_rc(const State& state) noexcept {
    for (std::size_t i = 0; i < state.rc.size(); ++i) {
        if (!state.rc[i]) continue;
        if (*state.rc[i] < min_pulse || *state.rc[i] > max_pulse) {
            MessageWriter text;
            text << "rc_" << i + 1 << " is " << *state.rc[i] << "; a pulse has to be between " << min_pulse
                 << " and " << max_pulse << " microseconds";
            return {ErrorCode::out_of_range, text.c_str()};
        }
        // The search for "rc_1" would otherwise find the beginning of "rc_10".
        if (i >= 9 && !state.rc[0]) return lacks("rc_", i, 0);
    }
    return {};
}

Error check_geodetic(const Geodetic& place) noexcept {
    if (!within(place.latitude, 90)) return refuse("latitude", "", place.latitude, -90, 90, " degrees");
    if (!within(place.longitude, 180)) return refuse("longitude", "", place.longitude, -180, 180, " degrees");
    if (place.altitude >= -max_depth && place.altitude <= max_height) return {};
    return refuse("altitude", "", place.altitude, -max_depth, max_height, " m above sea level");
}

/// Writes without checking for room: the buffer is known to hold the longest line.
class LineWriter {
  public:
    explicit LineWriter(char* begin) noexcept : begin_(begin), end_(begin) {}

    template <std::size_t N>
    LineWriter& operator<<(const char (&text)[N]) noexcept {
        std::memcpy(end_, text, N - 1);
        end_ += N - 1;
        return *this;
    }
    LineWriter& operator<<(double value) noexcept {
        // Zeros and small whole numbers are most of what a state holds, and need no search for the shortest
        // text.
        if (value == 0 && !std::signbit(value)) {
            *end_++ = '0';
            return *this;
        }
        end_ = std::to_chars(end_, end_ + 32, value).ptr;
        return *this;
    }
    LineWriter& operator<<(std::uint16_t value) noexcept {
        end_ = std::to_chars(end_, end_ + 8, value).ptr;
        return *this;
    }
    LineWriter& operator<<(const Vector3& v) noexcept {
        return *this << "[" << v.x << "," << v.y << "," << v.z << "]";
    }
    LineWriter& operator<<(const EulerAngles& a) noexcept {
        return *this << "[" << a.roll << "," << a.pitch << "," << a.yaw << "]";
    }
    LineWriter& operator<<(const Quaternion& q) noexcept {
        return *this << "[" << q.w << "," << q.x << "," << q.y << "," << q.z << "]";
    }

    [[nodiscard]] std::size_t length() const noexcept { return static_cast<std::size_t>(end_ - begin_); }

  private:
    char* begin_;
    char* end_;
};

// max_state_line: 37 doubles of at most 24 characters, 12 pulses of at most 4, and the keys.
constexpr std::string_view all_keys =
    "\n{\"timestamp\":,\"imu\":{\"gyro\":[,,],\"accel_body\":[,,]},\"position\":[,,],\"attitude\":[,,],"
    "\"quaternion\":[,,,],\"velocity\":[,,],\"velocity_wind\":[,,],\"windvane\":{\"direction\":,\"speed\":},"
    "\"airspeed\":,\"rng_1\":,\"rng_2\":,\"rng_3\":,\"rng_4\":,\"rng_5\":,\"rng_6\":,"
    "\"rc\":{\"rc_1\":,\"rc_2\":,\"rc_3\":,\"rc_4\":,\"rc_5\":,\"rc_6\":,\"rc_7\":,\"rc_8\":,\"rc_9\":,\"rc_"
    "10\":,"
    "\"rc_11\":,\"rc_12\":},\"battery\":{\"voltage\":,\"current\":},\"latitude\":,\"longitude\":,"
    "\"altitude\":,"
    "\"no_time_sync\":false,\"no_lockstep\":false}\n";
// 8 more than needed, since std::to_chars is told that it may use 32 for the last double.
static_assert(all_keys.size() + 37 * 24 + 12 * 4 + 8 <= max_state_line);

/// The optional parts, each after a comma. Their order matters: SITL looks for a key name anywhere behind its
/// section's name, so no key may stand in front of one whose name it contains (velocity before velocity_wind,
/// rc_1 before rc_10, windvane's speed before airspeed).
void write_optional_parts(const State& state, LineWriter& line) noexcept {
    if (state.wind) line << ",\"velocity_wind\":" << *state.wind;
    if (state.wind_vane) {
        line << ",\"windvane\":{\"direction\":" << state.wind_vane->direction
             << ",\"speed\":" << state.wind_vane->speed << "}";
    }
    if (state.airspeed) line << ",\"airspeed\":" << *state.airspeed;
    for (std::size_t i = 0; i < state.range_finders.size(); ++i) {
        if (!state.range_finders[i]) continue;
        line << ",\"rng_" << static_cast<std::uint16_t>(i + 1) << "\":" << *state.range_finders[i];
    }
    bool in_rc = false;
    for (std::size_t i = 0; i < state.rc.size(); ++i) {
        if (!state.rc[i]) continue;
        if (in_rc) {
            line << ",\"rc_";
        } else {
            line << ",\"rc\":{\"rc_";
            in_rc = true;
        }
        line << static_cast<std::uint16_t>(i + 1) << "\":" << *state.rc[i];
    }
    if (in_rc) line << "}";
    if (state.battery) {
        line << ",\"battery\":{\"voltage\":" << state.battery->voltage
             << ",\"current\":" << state.battery->current << "}";
    }
    if (state.geodetic) {
        line << ",\"latitude\":" << state.geodetic->latitude << ",\"longitude\":" << state.geodetic->longitude
             << ",\"altitude\":" << state.geodetic->altitude;
    }
    // SITL reads `true` only right behind the colon.
    if (state.no_time_sync)
        *state.no_time_sync ? line << ",\"no_time_sync\":true" : line << ",\"no_time_sync\":false";
    if (state.no_lockstep)
        *state.no_lockstep ? line << ",\"no_lockstep\":true" : line << ",\"no_lockstep\":false";
}

std::size_t write_line(const State& state, char* buffer) noexcept {
    bool any_range = false;
    for (const auto& range : state.range_finders) any_range = any_range || range.has_value();

    LineWriter line(buffer);
    line << "\n{\"timestamp\":" << state.timestamp << ",\"imu\":{\"gyro\":" << state.gyro
         << ",\"accel_body\":" << state.specific_force << "},\"position\":" << state.position
         << ",\"attitude\":";
    if (state.quaternion) {
        line << to_euler(*state.quaternion) << ",\"quaternion\":" << *state.quaternion;
    } else {
        line << state.attitude;
        if (any_range) line << ",\"quaternion\":" << to_quaternion(state.attitude);
    }
    line << ",\"velocity\":" << state.velocity;
    write_optional_parts(state, line);
    line << "}\n";
    return line.length();
}

}  // namespace

Error validate(const State& state) noexcept {
    if (auto error = check_timestamp(state.timestamp)) return error;
    if (auto error = check("gyro", state.gyro, max_rate, " rad/s: limit it as a real gyro does"))
        return error;
    if (auto error = check("specific_force", state.specific_force, max_force)) return error;
    if (auto error = check_position(state.position)) return error;
    if (auto error = check("velocity", state.velocity, max_speed)) return error;
    if (auto error = check_attitude(state)) return error;
    if (auto error = check_range_finders(state)) return error;
    if (auto error = check_rc(state)) return error;
    if (state.wind) {
        if (auto error = check("wind", *state.wind, max_speed)) return error;
    }
    if (state.wind_vane) {
        if (auto error = check("wind_vane.direction", state.wind_vane->direction, max_angle)) return error;
        if (auto error = check("wind_vane.speed", state.wind_vane->speed, max_speed)) return error;
    }
    if (state.airspeed) {
        if (auto error = check("airspeed", *state.airspeed, max_speed)) return error;
    }
    if (state.battery) {
        if (auto error = check("battery.voltage", state.battery->voltage, max_electric)) return error;
        if (auto error = check("battery.current", state.battery->current, max_electric)) return error;
    }
    return state.geodetic ? check_geodetic(*state.geodetic) : Error();
}

Error encode(const State& state, char* buffer, std::size_t capacity, std::size_t& length) noexcept {
    length = 0;
    if (auto error = validate(state)) return error;
    if (capacity >= max_state_line) {
        length = write_line(state, buffer);
        return {};
    }
    char line[max_state_line];
    const std::size_t needed = write_line(state, line);
    if (needed > capacity) {
        MessageWriter text;
        text << "the line has " << needed << " bytes and the buffer " << capacity << "; max_state_line ("
             << max_state_line << ") always suffice";
        return {ErrorCode::buffer_too_small, text.c_str()};
    }
    std::memcpy(buffer, line, needed);
    length = needed;
    return {};
}

}  // namespace ap_json
