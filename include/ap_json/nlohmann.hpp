// nlohmann.hpp - State to and from nlohmann::json, for simulators that already work with nlohmann_json.
// Opt-in: include it yourself, and link nlohmann_json yourself.
//
//     nlohmann::json document = state;                                  // the keys of the wire
//     std::string problem = ap_json::read_state(document, state);       // empty when all is well
//     auto state = document.get<ap_json::State>();                      // throws std::invalid_argument
//     instead
//
// This is not what is sent to SITL: only encode() (Client::send) writes lines that SITL reads safely.
#pragma once

#include <algorithm>
#include <ap_json/state.hpp>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#include <stdexcept>
#endif

namespace ap_json {

/// Writes the keys of the wire; optional ones only when they are set. "quaternion" takes the place of
/// "attitude".
inline void to_json(nlohmann::json& document, const State& state) {
    const auto list = [](const Vector3& v) { return nlohmann::json{v.x, v.y, v.z}; };
    document =
        nlohmann::json{{"timestamp", state.timestamp},
                       {"imu", {{"gyro", list(state.gyro)}, {"accel_body", list(state.specific_force)}}},
                       {"position", list(state.position)},
                       {"velocity", list(state.velocity)}};
    if (state.quaternion) {
        document["quaternion"] = {state.quaternion->w, state.quaternion->x, state.quaternion->y,
                                  state.quaternion->z};
    } else {
        document["attitude"] = {state.attitude.roll, state.attitude.pitch, state.attitude.yaw};
    }
    for (std::size_t i = 0; i < state.range_finders.size(); ++i) {
        if (state.range_finders[i]) document["rng_" + std::to_string(i + 1)] = *state.range_finders[i];
    }
    if (state.wind_vane) {
        document["windvane"] = {{"direction", state.wind_vane->direction}, {"speed", state.wind_vane->speed}};
    }
    if (state.wind) document["velocity_wind"] = list(*state.wind);
    if (state.airspeed) document["airspeed"] = *state.airspeed;
    for (std::size_t i = 0; i < state.rc.size(); ++i) {
        if (state.rc[i]) document["rc"]["rc_" + std::to_string(i + 1)] = *state.rc[i];
    }
    if (state.battery) {
        document["battery"] = {{"voltage", state.battery->voltage}, {"current", state.battery->current}};
    }
    if (state.geodetic) {
        document["latitude"] = state.geodetic->latitude;
        document["longitude"] = state.geodetic->longitude;
        document["altitude"] = state.geodetic->altitude;
    }
    if (state.no_time_sync) document["no_time_sync"] = *state.no_time_sync;
    if (state.no_lockstep) document["no_lockstep"] = *state.no_lockstep;
}

namespace detail {

/// Reads one document; remembers the first problem.
class StateReader {
  public:
    explicit StateReader(const nlohmann::json& document) : document_(document) {}

    State read() {
        State state;
        if (!is_object(document_, "the state")) return state;
        number(document_, "", "timestamp", state.timestamp);
        if (const auto* imu = object("imu", true)) {
            vector(*imu, "imu.", "gyro", state.gyro);
            vector(*imu, "imu.", "accel_body", state.specific_force);
            known_keys(*imu, "imu.", {"gyro", "accel_body"});
        }
        vector(document_, "", "velocity", state.velocity);
        read_attitude(state);
        read_position(state);
        read_sensors(state);
        read_rc(state);
        if (document_.contains("no_time_sync")) flag("no_time_sync", state.no_time_sync);
        if (document_.contains("no_lockstep")) flag("no_lockstep", state.no_lockstep);
        known_keys(document_, "",
                   {"timestamp", "imu",       "velocity",     "attitude",   "quaternion",    "position",
                    "latitude",  "longitude", "altitude",     "windvane",   "velocity_wind", "airspeed",
                    "rng_1",     "rng_2",     "rng_3",        "rng_4",      "rng_5",         "rng_6",
                    "rc",        "battery",   "no_time_sync", "no_lockstep"});
        return state;
    }

    [[nodiscard]] const std::string& problem() const { return problem_; }

  private:
    using Json = nlohmann::json;

    void fail(const std::string& problem) {
        if (problem_.empty()) problem_ = problem;
    }

    static std::string shown(const Json& value) {
        // dump() calls itself for what is nested, which a document may be too deeply.
        const auto is_structured = [](const Json& part) { return part.is_structured(); };
        if (value.is_structured() && std::any_of(value.begin(), value.end(), is_structured)) {
            return value.is_array() ? "an array of arrays or objects"
                                    : "an object that holds arrays or objects";
        }
        const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
        return text.size() <= 60 ? text : text.substr(0, 57) + "...";
    }

    bool is_object(const Json& value, const std::string& name) {
        if (!value.is_object()) fail(name + " has to be an object, but is " + shown(value));
        return value.is_object();
    }

    const Json* find(const Json& parent, const std::string& path, const char* key) {
        const auto found = parent.find(key);
        if (found == parent.end()) {
            fail(path + key + " is missing");
            return nullptr;
        }
        return &*found;
    }

    const Json* object(const char* key, bool required) {
        if (!required && !document_.contains(key)) return nullptr;
        const Json* value = find(document_, "", key);
        return value != nullptr && is_object(*value, key) ? value : nullptr;
    }

    void number(const Json& parent, const std::string& path, const char* key, double& result) {
        const Json* value = find(parent, path, key);
        if (value == nullptr) return;
        if (!value->is_number()) return fail(path + key + " has to be a number, but is " + shown(*value));
        result = value->get<double>();
    }

    void flag(const char* key, std::optional<bool>& result) {
        const Json* value = find(document_, "", key);
        if (value == nullptr) return;
        if (!value->is_boolean())
            return fail(std::string(key) + " has to be true or false, but is " + shown(*value));
        result = value->get<bool>();
    }

    void numbers(const Json& parent, const std::string& path, const char* key,
                 std::initializer_list<double*> results) {
        const Json* value = find(parent, path, key);
        if (value == nullptr) return;
        bool good = value->is_array() && value->size() == results.size();
        for (const Json& element : *value) good = good && element.is_number();
        if (!good) {
            return fail(path + key + " has to be a list of " + std::to_string(results.size()) +
                        " numbers, but is " + shown(*value));
        }
        std::size_t i = 0;
        for (double* result : results) *result = (*value)[i++].get<double>();
    }

    void vector(const Json& parent, const std::string& path, const char* key, Vector3& v) {
        numbers(parent, path, key, {&v.x, &v.y, &v.z});
    }

    void read_attitude(State& state) {
        if (document_.contains("quaternion")) {
            Quaternion q;
            numbers(document_, "", "quaternion", {&q.w, &q.x, &q.y, &q.z});
            state.quaternion = q;
        } else if (!document_.contains("attitude")) {
            return fail("attitude or quaternion is missing");
        }
        if (document_.contains("attitude")) {
            EulerAngles& a = state.attitude;
            numbers(document_, "", "attitude", {&a.roll, &a.pitch, &a.yaw});
        }
    }

    void read_position(State& state) {
        const bool any_geodetic = document_.contains("latitude") || document_.contains("longitude") ||
                                  document_.contains("altitude");
        if (any_geodetic) {
            Geodetic place;
            number(document_, "", "latitude", place.latitude);
            number(document_, "", "longitude", place.longitude);
            number(document_, "", "altitude", place.altitude);
            state.geodetic = place;
        }
        if (!any_geodetic || document_.contains("position"))
            vector(document_, "", "position", state.position);
    }

    void read_sensors(State& state) {
        for (std::size_t i = 0; i < state.range_finders.size(); ++i) {
            optional_number(("rng_" + std::to_string(i + 1)).c_str(), state.range_finders[i]);
        }
        optional_number("airspeed", state.airspeed);
        if (document_.contains("velocity_wind")) {
            vector(document_, "", "velocity_wind", state.wind.emplace());
        }
        if (const Json* vane = object("windvane", false)) {
            state.wind_vane.emplace();
            number(*vane, "windvane.", "direction", state.wind_vane->direction);
            number(*vane, "windvane.", "speed", state.wind_vane->speed);
            known_keys(*vane, "windvane.", {"direction", "speed"});
        }
        if (const Json* battery = object("battery", false)) {
            state.battery.emplace();
            number(*battery, "battery.", "voltage", state.battery->voltage);
            number(*battery, "battery.", "current", state.battery->current);
            known_keys(*battery, "battery.", {"voltage", "current"});
        }
    }

    void optional_number(const char* key, std::optional<double>& result) {
        if (document_.contains(key)) number(document_, "", key, result.emplace());
    }

    void read_rc(State& state) {
        const Json* rc = object("rc", false);
        if (rc == nullptr) return;
        for (const auto& [key, value] : rc->items()) {
            std::size_t index = 0;
            while (index < state.rc.size() && key != "rc_" + std::to_string(index + 1)) ++index;
            if (index == state.rc.size())
                return fail("rc." + key + " is unknown; RC inputs are rc_1 to rc_12");
            const double pwm = value.is_number() ? value.get<double>() : -1;
            if (!(pwm >= 0 && pwm <= 65535) || pwm != std::floor(pwm)) {
                return fail("rc." + key + " has to be a whole number of microseconds, but is " +
                            shown(value));
            }
            state.rc[index] = static_cast<std::uint16_t>(pwm);
        }
    }

    void known_keys(const Json& parent, const std::string& path, std::initializer_list<const char*> known) {
        for (const auto& item : parent.items()) {
            bool found = false;
            for (const char* name : known) found = found || item.key() == name;
            if (!found) return fail(path + item.key() + " is unknown");
        }
    }

    const Json& document_;
    std::string problem_;
};

}  // namespace detail

/// Reads a state from a document with the keys of the wire. Whether its values are safe to send is what
/// validate() says.
///
/// @param document  an object; unknown keys are a problem
/// @param state     left untouched when there is a problem
/// @return empty, or what is missing or wrong: the first problem found, with the key and its value
[[nodiscard]] inline std::string read_state(const nlohmann::json& document, State& state) {
    detail::StateReader reader(document);
    const State result = reader.read();
    if (reader.problem().empty()) state = result;
    return reader.problem();
}

#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
/// For document.get<ap_json::State>(). Throws std::invalid_argument with the text of read_state().
inline void from_json(const nlohmann::json& document, State& state) {
    const std::string problem = read_state(document, state);
    if (!problem.empty()) throw std::invalid_argument("not a state for ArduPilot: " + problem);
}
#endif

}  // namespace ap_json
