// hil_state.cpp - see hil_state.hpp.
#include "px4_hil/hil_state.hpp"

#include <ap_json/frames.hpp>
#include <cmath>
#include <limits>

#include "message_writer.hpp"

namespace px4_hil {
namespace {

using ap_json::Vector3;

/// Rounded half away from zero, saturated.
template <class Field>
void put(Field& field, double value) noexcept {
    using Limits = std::numeric_limits<Field>;
    const double rounded = std::round(value);
    field = rounded <= static_cast<double>(Limits::min())   ? Limits::min()
            : rounded >= static_cast<double>(Limits::max()) ? Limits::max()
                                                            : static_cast<Field>(rounded);
}

template <class Field>
void put(Field& x, Field& y, Field& z, const Vector3& v, double factor) noexcept {
    put(x, v.x * factor);
    put(y, v.y * factor);
    put(z, v.z * factor);
}

void put(float& x, float& y, float& z, const Vector3& v) noexcept {
    x = static_cast<float>(v.x);
    y = static_cast<float>(v.y);
    z = static_cast<float>(v.z);
}

struct Checked {
    const char* name;
    double value;
};

/// Looks at what a conversion is about to use.
Error check(const ap_json::State& state, const ap_json::Quaternion& attitude, const ap_json::Geodetic& place,
            double airspeed) noexcept {
    const Checked all[] = {
        {"timestamp", state.timestamp},
        {"attitude", attitude.w + attitude.x + attitude.y + attitude.z},
        {"gyro", state.gyro.x + state.gyro.y + state.gyro.z},
        {"specific_force", state.specific_force.x + state.specific_force.y + state.specific_force.z},
        {"velocity", state.velocity.x + state.velocity.y + state.velocity.z},
        {state.geodetic ? "geodetic" : "position", place.latitude + place.longitude + place.altitude},
        {"airspeed", airspeed}};
    for (const Checked& each : all) {
        if (std::isfinite(each.value)) continue;
        MessageWriter text;
        return error(ErrorCode::not_finite,
                     text << "State::" << each.name << " is not a finite number: nothing was sent to PX4");
    }
    return {};
}

ap_json::Quaternion attitude_of(const ap_json::State& state) noexcept {
    if (!state.quaternion) return ap_json::to_quaternion(state.attitude);
    const ap_json::Quaternion& q = *state.quaternion;
    const bool finite = std::isfinite(q.w + q.x + q.y + q.z);
    return finite ? ap_json::normalised(q) : q;
}

double unit_of(AccelerationUnit unit) noexcept {
    constexpr double units[] = {ap_json::standard_gravity / 1000, 1e-3, 1};  // m/s2
    return units[static_cast<std::size_t>(unit)];
}

/// The standard atmosphere below 11 km.
double temperature_at(double altitude) noexcept { return 288.15 - 0.0065 * std::fmin(altitude, 11000); }  // K
double pressure_at(double altitude) noexcept {
    return 1013.25 * std::pow(temperature_at(altitude) / 288.15, 5.25588);  // hPa
}

std::uint64_t microseconds(double seconds) noexcept {
    std::uint64_t result = 0;
    put(result, seconds * 1e6);
    return result;
}

}  // namespace

ap_json::Geodetic geodetic_of(const ap_json::State& state, const Home& home) noexcept {
    if (state.geodetic) return *state.geodetic;
    const Vector3& p = state.position;
    if (p.x == 0 && p.y == 0 && p.z == 0) return {home.latitude, home.longitude, home.altitude};
    return ap_json::LocalFrame({home.latitude, home.longitude, home.altitude}).to_geodetic(p);
}

Error to_hil_state(const ap_json::State& state, const HilStateOptions& options,
                   HilStateQuaternion& message) noexcept {
    const ap_json::Quaternion q = attitude_of(state);
    const ap_json::Geodetic place = geodetic_of(state, options.home);
    const double indicated = state.airspeed.value_or(0),
                 true_airspeed = options.true_airspeed.value_or(indicated);
    if (auto failed = check(state, q, place, indicated + true_airspeed)) return failed;

    message.time_usec = microseconds(state.timestamp);
    message.attitude_quaternion = {static_cast<float>(q.w), static_cast<float>(q.x), static_cast<float>(q.y),
                                   static_cast<float>(q.z)};
    put(message.rollspeed, message.pitchspeed, message.yawspeed, state.gyro);
    put(message.lat, place.latitude * 1e7);
    put(message.lon, place.longitude * 1e7);
    put(message.alt, place.altitude * 1e3);
    put(message.vx, message.vy, message.vz, state.velocity, 100);
    put(message.ind_airspeed, indicated * 100);
    put(message.true_airspeed, true_airspeed * 100);
    put(message.xacc, message.yacc, message.zacc, state.specific_force, 1 / unit_of(options.unit));
    return {};
}

/// Roughly normal: the sum of some uniform numbers, of xorshift64*.
double SensorModel::noise(double deviation) noexcept {
    constexpr int terms = 4;
    double sum = 0;
    for (int i = 0; i < terms; ++i) {
        random_ ^= random_ >> 12;
        random_ ^= random_ << 25;
        random_ ^= random_ >> 27;
        sum += static_cast<double>((random_ * 0x2545F4914F6CDD1D) >> 11) / 9007199254740992.0 - 0.5;
    }
    return deviation * sum * std::sqrt(12.0 / terms);
}

Error SensorModel::sensor(const ap_json::State& state, HilSensor& message) noexcept {
    const ap_json::Quaternion q = attitude_of(state);
    const ap_json::Geodetic place = geodetic_of(state, options_.home);
    const double airspeed = state.airspeed.value_or(0);
    if (auto failed = check(state, q, place, airspeed)) return failed;

    const auto noisy = [this](const Vector3& v, double deviation) {
        const double x = noise(deviation), y = noise(deviation), z = noise(deviation);
        return Vector3{v.x + x, v.y + y, v.z + z};
    };
    constexpr double air_density = 1.225, pascal_per_hpa = 100;
    message.time_usec = microseconds(state.timestamp);
    put(message.xacc, message.yacc, message.zacc, noisy(state.specific_force, options_.accelerometer_noise));
    put(message.xgyro, message.ygyro, message.zgyro, noisy(state.gyro, options_.gyro_noise));
    put(message.xmag, message.ymag, message.zmag,
        noisy(ap_json::to_body(q, options_.magnetic_field), options_.magnetometer_noise));
    message.abs_pressure = static_cast<float>(pressure_at(place.altitude) + noise(options_.pressure_noise));
    message.diff_pressure = static_cast<float>(air_density * airspeed * airspeed / 2 / pascal_per_hpa);
    message.pressure_alt = static_cast<float>(place.altitude);
    message.temperature = static_cast<float>(temperature_at(place.altitude) - 273.15);
    message.fields_updated = sensor_bits::accelerometer | sensor_bits::gyro | sensor_bits::magnetometer |
                             sensor_bits::barometer | (state.airspeed ? sensor_bits::airspeed : 0U);
    message.sensor_id = 0;
    return {};
}

Error SensorModel::gps(const ap_json::State& state, HilGps& message) const noexcept {
    const ap_json::Geodetic place = geodetic_of(state, options_.home);
    if (auto failed = check(state, attitude_of(state), place, 0)) return failed;
    const Vector3& v = state.velocity;
    const double over_ground = std::hypot(v.x, v.y);
    message.time_usec = options_.utc_at_start + microseconds(state.timestamp);
    put(message.lat, place.latitude * 1e7);
    put(message.lon, place.longitude * 1e7);
    put(message.alt, place.altitude * 1e3);
    message.eph = 30;  // cm, as PX4 reads it
    message.epv = 40;
    put(message.vel, over_ground * 100);
    put(message.vn, message.ve, message.vd, v, 100);
    double course = std::atan2(v.y, v.x) / ap_json::radians_per_degree;
    if (course < 0) course += 360;
    message.cog = 65535;  // unknown: a vehicle that stands has no course
    if (over_ground > 0.1) put(message.cog, std::fmod(std::round(course * 100), 36000.0));
    message.fix_type = 3;
    message.satellites_visible = 10;
    message.receiver_id = 0;
    message.yaw = 0;
    return {};
}

}  // namespace px4_hil
