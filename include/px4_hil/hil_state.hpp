// hil_state.hpp - from ap_json::State, the core's picture of a vehicle, to what PX4 wants to be told: one vehicle model
// serves both autopilots. Pure: no clock, no allocation.
//
// Every conversion multiplies, rounds half away from zero and saturates at the field's limits. A state with a value that
// is not finite converts to nothing: the result is an error, and nothing is written.
#pragma once

#include <ap_json/state.hpp>
#include <cstdint>
#include <optional>

#include "px4_hil/error.hpp"
#include "px4_hil/export.hpp"
#include "px4_hil/messages.hpp"

namespace px4_hil {

/// What one unit of HilStateQuaternion::xacc, yacc and zacc means to the receiver.
enum class AccelerationUnit : std::uint8_t {
    milli_g,  ///< 9.80665e-3 m/s2: MAVLink's definition, and PX4 on hardware from 1.11 on
    mm_s2,    ///< 1e-3 m/s2: the ground truth of PX4 SITL
    m_s2,     ///< 1 m/s2: PX4 1.10 on hardware
};

/// Where State::position counts from. Not used while State::geodetic is set.
struct Home {
    double latitude = 39.9042;    ///< deg
    double longitude = 116.4074;  ///< deg
    double altitude = 43.5;       ///< m above sea level
};

struct HilStateOptions {
    Home home;
    AccelerationUnit unit = AccelerationUnit::milli_g;
    /// m/s; without it State::airspeed stands for both kinds, and without that both are 0.
    std::optional<double> true_airspeed;
};

/// Position on the globe of a state, by State::geodetic or else State::position.
[[nodiscard]] PX4_HIL_API ap_json::Geodetic geodetic_of(const ap_json::State& state,
                                                        const Home& home) noexcept;

/// State level: where the vehicle is, for PX4 on hardware; ground truth for PX4 SITL.
/// The acceleration is what an accelerometer feels: -1000 mG in z at rest.
/// @return ok or not_finite
PX4_HIL_API Error to_hil_state(const ap_json::State& state, const HilStateOptions& options,
                               HilStateQuaternion& message) noexcept;

/// What the sensors of sensor level are like.
struct SensorOptions {
    Home home;
    ap_json::Vector3 magnetic_field{0.28, -0.03, 0.47};  ///< gauss, NED, at home

    /// Standard deviations. A sensor that says the same for long counts as broken, so none of them should be 0.
    double accelerometer_noise = 0.02;  ///< m/s2
    double gyro_noise = 0.001;          ///< rad/s
    double magnetometer_noise = 0.002;  ///< gauss
    double pressure_noise = 0.01;       ///< hPa

    std::uint64_t utc_at_start = 1700000000000000;  ///< us since 1970, when State::timestamp is 0
};

/// Sensor level: what the vehicle's sensors feel. Noise comes from a generator of its own: the same states give the same
/// messages.
class PX4_HIL_API SensorModel {
  public:
    explicit SensorModel(const SensorOptions& options) noexcept : options_(options) {}

    /// All fields at once. The caller says in fields_updated which of them are new; preset: all.
    /// @return ok or not_finite
    Error sensor(const ap_json::State& state, HilSensor& message) noexcept;

    /// @return ok or not_finite
    Error gps(const ap_json::State& state, HilGps& message) const noexcept;

  private:
    double noise(double deviation) noexcept;

    SensorOptions options_;
    std::uint64_t random_ = 0x9E3779B97F4A7C15;
};

/// HilSensor::fields_updated: PX4 uses a group only when all of its bits are set.
namespace sensor_bits {
constexpr std::uint32_t accelerometer = 0x0007, gyro = 0x0038, magnetometer = 0x01C0, barometer = 0x1A00,
                        airspeed = 0x0400;
}

}  // namespace px4_hil
