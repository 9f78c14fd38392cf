// state_fields.cpp - see state_fields.hpp.
#include "state_fields.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace {

using ap_json::State;
using Kind = StateField::Kind;

void store(const ap_json::Vector3& v, double* values) {
    values[0] = v.x;
    values[1] = v.y;
    values[2] = v.z;
}

template <std::size_t Index>
void read_range(const State& state, double* values) {
    *values = state.range_finders[Index].value_or(0);
}

template <std::size_t Index>
void read_rc(const State& state, double* values) {
    *values = state.rc[Index].value_or(0);
}

template <std::size_t... Index>
void add_ranges(std::vector<StateField>& fields, std::index_sequence<Index...> /*all*/) {
    const auto name = [](std::size_t i) { return "rng_" + std::to_string(i + 1); };
    (fields.push_back({name(Index), name(Index), "m", {""}, Kind::plain, read_range<Index>}), ...);
}

template <std::size_t... Index>
void add_rc(std::vector<StateField>& fields, std::index_sequence<Index...> /*all*/) {
    const auto name = [](std::size_t i) { return "rc_" + std::to_string(i + 1); };
    (fields.push_back({"rc." + name(Index), "rc: " + name(Index), "us", {""}, Kind::plain, read_rc<Index>}),
     ...);
}

void add_motion(std::vector<StateField>& fields) {
    const std::vector<std::string> body = {"x", "y", "z"};
    const std::vector<std::string> ned = {"north", "east", "down"};
    fields.push_back({"timestamp", "timestamp", "s", {""}, Kind::plain, [](const State& s, double* v) {
                          *v = s.timestamp;
                      }});
    fields.push_back({"imu.gyro", "imu: gyro", "rad/s", body, Kind::plain,
                      [](const State& s, double* v) { store(s.gyro, v); }});
    fields.push_back({"imu.accel_body", "imu: accel_body", "m/s2", body, Kind::plain,
                      [](const State& s, double* v) { store(s.specific_force, v); }});
    fields.push_back({"position", "position", "m", ned, Kind::plain,
                      [](const State& s, double* v) { store(s.position, v); }});
    fields.push_back({"velocity", "velocity", "m/s", ned, Kind::plain,
                      [](const State& s, double* v) { store(s.velocity, v); }});
    fields.push_back(
        {"attitude", "attitude", "rad", {"roll", "pitch", "yaw"}, Kind::angle, [](const State& s, double* v) {
             v[0] = s.attitude.roll;
             v[1] = s.attitude.pitch;
             v[2] = s.attitude.yaw;
         }});
    fields.push_back({"quaternion",
                      "quaternion",
                      "",
                      {"w", "x", "y", "z"},
                      Kind::quaternion,
                      [](const State& s, double* v) {
                          const auto q = s.quaternion.value_or(ap_json::Quaternion{});
                          v[0] = q.w;
                          v[1] = q.x;
                          v[2] = q.y;
                          v[3] = q.z;
                      }});
}

void add_surroundings(std::vector<StateField>& fields) {
    fields.push_back({"velocity_wind",
                      "velocity_wind",
                      "m/s",
                      {"north", "east", "down"},
                      Kind::plain,
                      [](const State& s, double* v) { store(s.wind.value_or(ap_json::Vector3{}), v); }});
    fields.push_back(
        {"windvane.direction",
         "windvane: direction",
         "rad",
         {""},
         Kind::angle,
         [](const State& s, double* v) { *v = s.wind_vane.value_or(ap_json::WindVane{}).direction; }});
    fields.push_back(
        {"windvane.speed", "windvane: speed", "m/s", {""}, Kind::plain, [](const State& s, double* v) {
             *v = s.wind_vane.value_or(ap_json::WindVane{}).speed;
         }});
    fields.push_back({"airspeed", "airspeed", "m/s", {""}, Kind::plain, [](const State& s, double* v) {
                          *v = s.airspeed.value_or(0);
                      }});
    fields.push_back(
        {"battery.voltage", "battery: voltage", "V", {""}, Kind::plain, [](const State& s, double* v) {
             *v = s.battery.value_or(ap_json::Battery{}).voltage;
         }});
    fields.push_back(
        {"battery.current", "battery: current", "A", {""}, Kind::plain, [](const State& s, double* v) {
             *v = s.battery.value_or(ap_json::Battery{}).current;
         }});
}

void add_place_and_flags(std::vector<StateField>& fields) {
    using ap_json::Geodetic;
    fields.push_back({"latitude", "latitude", "deg", {""}, Kind::plain, [](const State& s, double* v) {
                          *v = s.geodetic.value_or(Geodetic{}).latitude;
                      }});
    fields.push_back({"longitude", "longitude", "deg", {""}, Kind::plain, [](const State& s, double* v) {
                          *v = s.geodetic.value_or(Geodetic{}).longitude;
                      }});
    fields.push_back({"altitude", "altitude", "m", {""}, Kind::plain, [](const State& s, double* v) {
                          *v = s.geodetic.value_or(Geodetic{}).altitude;
                      }});
    fields.push_back({"no_time_sync", "no_time_sync", "", {""}, Kind::flag, [](const State& s, double* v) {
                          *v = s.no_time_sync.value_or(false) ? 1 : 0;
                      }});
    fields.push_back({"no_lockstep", "no_lockstep", "", {""}, Kind::flag, [](const State& s, double* v) {
                          *v = s.no_lockstep.value_or(false) ? 1 : 0;
                      }});
}

std::vector<StateField> make_fields() {
    std::vector<StateField> fields;
    add_motion(fields);
    add_surroundings(fields);
    add_ranges(fields, std::make_index_sequence<6>());
    add_rc(fields, std::make_index_sequence<12>());
    add_place_and_flags(fields);
    return fields;
}

}  // namespace

const std::vector<StateField>& state_fields() {
    static const std::vector<StateField> fields = make_fields();
    return fields;
}

FieldSet to_field_set(const std::vector<std::string>& keys) {
    const auto& fields = state_fields();
    FieldSet set = 0;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (std::find(keys.begin(), keys.end(), fields[i].key) != keys.end()) set |= FieldSet{1} << i;
    }
    return set;
}

int find_state_field(const std::string& name) {
    const auto& fields = state_fields();
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (name == fields[i].name || "imu." + name == fields[i].name) return static_cast<int>(i);
    }
    return -1;
}

ap_json::EulerAngles attitude_of(const State& state) {
    if (!state.quaternion) return state.attitude;
    const ap_json::Quaternion& q = *state.quaternion;
    const double sine_of_pitch = std::clamp(2 * (q.w * q.y - q.z * q.x), -1.0, 1.0);
    return {std::atan2(2 * (q.w * q.x + q.y * q.z), 1 - 2 * (q.x * q.x + q.y * q.y)),
            std::asin(sine_of_pitch),
            std::atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z))};
}
