// sitl_reader.cpp - see sitl_reader.hpp. Written from measurements of what SITL does with some hundred lines,
// right and wrong; the table is in the order in which SITL looks for the keys.
#include "ap_json/sitl_reader.hpp"

#include <algorithm>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace ap_json {
namespace {

enum class Kind : std::uint8_t { number, vector, quaternion, flag };

struct Key {
    const char* section;
    const char* name;
    Kind kind;
    bool required;
    void (*store)(State& state, const double* values);
};

template <int Index>
void store_range(State& state, const double* values) {
    state.range_finders[Index] = *values;
}

template <int Index>
void store_rc(State& state, const double* values) {
    const double limited = std::isfinite(*values) ? std::fmod(std::trunc(*values), 65536) : 0;
    state.rc[Index] = static_cast<std::uint16_t>(static_cast<std::int32_t>(limited));
}

template <class Part>
Part& part(std::optional<Part>& optional) {
    if (!optional) optional.emplace();
    return *optional;
}

Vector3 vector(const double* v) { return {v[0], v[1], v[2]}; }

constexpr Key keys[] = {
    {"", "timestamp", Kind::number, true, [](State& s, const double* v) { s.timestamp = *v; }},
    {"", "latitude", Kind::number, false, [](State& s, const double* v) { part(s.geodetic).latitude = *v; }},
    {"", "longitude", Kind::number, false,
     [](State& s, const double* v) { part(s.geodetic).longitude = *v; }},
    {"", "altitude", Kind::number, false, [](State& s, const double* v) { part(s.geodetic).altitude = *v; }},
    {"imu", "gyro", Kind::vector, true, [](State& s, const double* v) { s.gyro = vector(v); }},
    {"imu", "accel_body", Kind::vector, true,
     [](State& s, const double* v) { s.specific_force = vector(v); }},
    {"", "position", Kind::vector, false, [](State& s, const double* v) { s.position = vector(v); }},
    {"", "attitude", Kind::vector, false,
     [](State& s, const double* v) {
         s.attitude = {v[0], v[1], v[2]};
     }},
    {"", "quaternion", Kind::quaternion, false,
     [](State& s, const double* v) {
         s.quaternion = Quaternion{v[0], v[1], v[2], v[3]};
     }},
    {"", "velocity", Kind::vector, true, [](State& s, const double* v) { s.velocity = vector(v); }},
    {"", "rng_1", Kind::number, false, store_range<0>},
    {"", "rng_2", Kind::number, false, store_range<1>},
    {"", "rng_3", Kind::number, false, store_range<2>},
    {"", "rng_4", Kind::number, false, store_range<3>},
    {"", "rng_5", Kind::number, false, store_range<4>},
    {"", "rng_6", Kind::number, false, store_range<5>},
    {"", "velocity_wind", Kind::vector, false, [](State& s, const double* v) { s.wind = vector(v); }},
    {"windvane", "direction", Kind::number, false,
     [](State& s, const double* v) { part(s.wind_vane).direction = *v; }},
    {"windvane", "speed", Kind::number, false,
     [](State& s, const double* v) { part(s.wind_vane).speed = *v; }},
    {"", "airspeed", Kind::number, false, [](State& s, const double* v) { s.airspeed = *v; }},
    {"", "no_time_sync", Kind::flag, false, [](State& s, const double* v) { s.no_time_sync = *v != 0; }},
    {"", "no_lockstep", Kind::flag, false, [](State& s, const double* v) { s.no_lockstep = *v != 0; }},
    {"rc", "rc_1", Kind::number, false, store_rc<0>},
    {"rc", "rc_2", Kind::number, false, store_rc<1>},
    {"rc", "rc_3", Kind::number, false, store_rc<2>},
    {"rc", "rc_4", Kind::number, false, store_rc<3>},
    {"rc", "rc_5", Kind::number, false, store_rc<4>},
    {"rc", "rc_6", Kind::number, false, store_rc<5>},
    {"rc", "rc_7", Kind::number, false, store_rc<6>},
    {"rc", "rc_8", Kind::number, false, store_rc<7>},
    {"rc", "rc_9", Kind::number, false, store_rc<8>},
    {"rc", "rc_10", Kind::number, false, store_rc<9>},
    {"rc", "rc_11", Kind::number, false, store_rc<10>},
    {"rc", "rc_12", Kind::number, false, store_rc<11>},
    {"battery", "voltage", Kind::number, false,
     [](State& s, const double* v) { part(s.battery).voltage = *v; }},
    {"battery", "current", Kind::number, false,
     [](State& s, const double* v) { part(s.battery).current = *v; }},
};
constexpr int key_count = static_cast<int>(sizeof keys / sizeof keys[0]);
static_assert(key_count <= 64);

constexpr std::uint64_t bit(int index) { return std::uint64_t{1} << index; }
constexpr std::uint64_t attitude_bits = bit(7) | bit(8);

/// strtod, but with a decimal point whatever the process's locale is, as in SITL.
double read_number(const char* text) {
    const char* point = std::localeconv()->decimal_point;
    if (std::strcmp(point, ".") == 0) return std::strtod(text, nullptr);
    std::string copy(text, std::strcspn(text, ",]}\""));
    if (const auto dot = copy.find('.'); dot != std::string::npos) copy.replace(dot, 1, point);
    return std::strtod(copy.c_str(), nullptr);
}

/// Finds `count` numbers: each begins at the next digit or minus, wherever that is; between them a comma has
/// to come before a closing bracket does.
bool read_numbers(const char* text, int count, double* values) {
    for (int i = 0; i < count; ++i) {
        text += std::strcspn(text, "0123456789-");
        if (*text == '\0') return false;
        values[i] = read_number(text);
        if (i + 1 == count) break;
        text += std::strcspn(text, ",]");
        if (*text != ',') return false;
    }
    return true;
}

bool is_true(const char* text) {
    constexpr char wanted[] = "true";
    for (int i = 0; i < 4; ++i) {
        if ((text[i] | 0x20) != wanted[i]) return std::strtol(text, nullptr, 10) != 0;
    }
    return true;
}

const char* find_last_zero(const char* begin, const char* end) {
    while (end != begin) {
        if (*--end == '\0') return end;
    }
    return nullptr;
}

std::string path(const Key& key) { return std::string(key.section) + "/" + key.name; }

/// Where the value of a key is in the text, or null.
const char* find_value(const char* text, const Key& key, const char*& section) {
    section = std::strstr(text, key.section);
    if (section == nullptr) return nullptr;
    // One character further on even when that is behind the end of the text: then SITL reads what is left
    // over there.
    const char* name = std::strstr(section + std::strlen(key.section) + 1, key.name);
    if (name == nullptr) return nullptr;
    const char* value = name + std::strlen(key.name);
    for (int skipped = 0; skipped < 2 && *value != '\0'; ++skipped) ++value;  // the quote and the colon
    return value;
}

}  // namespace

const char* to_string(SitlVerdict verdict) noexcept {
    switch (verdict) {
        case SitlVerdict::accepted:
            return "accepted";
        case SitlVerdict::rejected:
            return "rejected";
        case SitlVerdict::incomplete:
            return "incomplete";
        case SitlVerdict::full:
            return "full";
        case SitlVerdict::fatal:
            return "fatal";
    }
    return "unknown";
}

SitlReader::SitlReader() : buffer_(buffer_size + 2, '\0') {}

SitlVerdict SitlReader::feed(const char* data, std::size_t size) {
    console_.clear();
    advice_.clear();
    if (used_ >= buffer_size) {
        advice_ =
            "SITL's buffer of 65000 bytes is full of lines that it rejected: it reads nothing any more. "
            "Correct "
            "the lines and restart SITL.";
        return SitlVerdict::full;
    }
    const std::size_t added = std::min(size, buffer_size - used_);
    char* const begin = buffer_.data();
    std::replace_copy(data, data + added, begin + used_, '\n', '\0');
    used_ += added;

    const char* const last = find_last_zero(begin, begin + used_);
    const char* const before = last == nullptr ? nullptr : find_last_zero(begin, last);
    if (before == nullptr) {
        advice_ = "There is no text between two newlines: a line has to begin and to end with one.";
        return SitlVerdict::incomplete;
    }
    const SitlVerdict verdict = parse(before + 1);
    if (verdict == SitlVerdict::accepted || verdict == SitlVerdict::fatal) {
        used_ = static_cast<std::size_t>(begin + used_ - last);
        std::memmove(begin, last, used_);
    }
    return verdict;
}

SitlVerdict SitlReader::parse(const char* text) {
    std::uint64_t found = 0;
    changed_ = false;
    if (!look_for_keys(text, found)) {
        console_.emplace_back("Did not contain all mandatory fields");
        return SitlVerdict::rejected;
    }
    if ((found & attitude_bits) == 0) {
        console_.emplace_back("Did not receive attitude or quaternion");
        if (advice_.empty())
            advice_ = "The line has neither \"attitude\" nor \"quaternion\": one of them is needed.";
        return SitlVerdict::rejected;
    }
    changed_ = found != found_;
    found_ = found;
    return values_are_fatal() ? SitlVerdict::fatal : SitlVerdict::accepted;
}

/// @return false when a required key is missing
bool SitlReader::look_for_keys(const char* text, std::uint64_t& found) {
    for (int i = 0; i < key_count; ++i) {
        const Key& key = ap_json::keys[i];
        const char* section = nullptr;
        const char* value = find_value(text, key, section);
        if (value == nullptr) {
            if (!key.required) continue;
            const std::string what = section == nullptr ? std::string(key.section) : "key " + path(key);
            console_.push_back("Failed to find " + what);
            advice_ = "The line has no \"" + std::string(section == nullptr ? key.section : key.name) +
                      "\"; it is mandatory. Are there newlines inside the object, or is the line cut?";
            return false;
        }
        found |= bit(i);
        double values[4] = {};
        const int count = key.kind == Kind::vector ? 3 : 4;
        if (key.kind == Kind::number) {
            values[0] = read_number(value);
        } else if (key.kind == Kind::flag) {
            values[0] = is_true(value) ? 1 : 0;
        } else if (!read_numbers(value, count, values)) {
            const bool is_position = std::strcmp(key.name, "position") == 0;
            const char* type = key.kind == Kind::quaternion ? "Vector4f"
                               : is_position                ? "Vector3d"
                                                            : "Vector3f";
            console_.push_back(std::string("Failed to parse ") + type + " for " + path(key));
            advice_ = "\"" + std::string(key.name) + "\" is not a list of " + std::to_string(count) +
                      " numbers; SITL reads nothing of the line from there on.";
            return true;  // what has been found so far counts
        }
        key.store(state_, values);
    }
    return true;
}

/// Whether SITL would die of the values. The limits are those at which it has been seen to.
bool SitlReader::values_are_fatal() {
    bool fatal = false;
    const auto check = [this, &fatal](const char* name, double value, double limit) {
        if (fatal || std::fabs(value) < limit) return;
        fatal = true;
        advice_ =
            std::string(name) + " is " + std::to_string(value) +
            ": SITL ends with a floating point exception. Never send what is not finite, or absurdly large.";
    };
    const auto check_vector = [&check](const char* name, const Vector3& v, double limit) {
        check(name, v.x, limit);
        check(name, v.y, limit);
        check(name, v.z, limit);
    };
    check_vector("imu.gyro", state_.gyro, 1e6);
    check_vector("imu.accel_body", state_.specific_force, 1e8);
    check("position", state_.position.x, 1e9);
    check("position", state_.position.y, 1e9);
    check("position", state_.position.z, state_.position.z < 0 ? 8e4 : 1e4);
    check_vector("velocity", state_.velocity, 1e7);
    check_vector("attitude", {state_.attitude.roll, state_.attitude.pitch, state_.attitude.yaw}, 1e18);
    if (state_.quaternion) {
        const Quaternion& q = *state_.quaternion;
        check_vector("quaternion", {q.x, q.y, q.z}, 1e18);
        check("quaternion", q.w, 1e18);
    }
    if (state_.geodetic) {
        check("latitude", state_.geodetic->latitude, 1e9);
        check("longitude", state_.geodetic->longitude, 1e9);
        check("altitude", state_.geodetic->altitude, state_.geodetic->altitude > 0 ? 8e4 : 1e4);
    }
    if (state_.battery) {
        check("battery.voltage", state_.battery->voltage, 1e6);
        check("battery.current", state_.battery->current, 1e6);
    }
    return fatal;
}

std::vector<std::string> SitlReader::keys() const {
    std::vector<std::string> names;
    for (int i = 0; i < key_count; ++i) {
        if ((found_ & bit(i)) == 0) continue;
        const Key& key = ap_json::keys[i];
        names.push_back(*key.section == '\0' ? std::string(key.name)
                                             : std::string(key.section) + ": " + key.name);
    }
    return names;
}

}  // namespace ap_json
