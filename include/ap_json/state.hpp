// state.hpp - what a simulator tells ArduPilot SITL in answer to each servo packet: the vehicle's state.
//
// Frames: *NED* is north, east, down, fixed to the ground, its origin at SITL's home. *FRD* is forward,
// right, down, fixed to the vehicle. The names in quotes are those of the JSON line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace ap_json {

/// m/s2, ArduPilot's value of the standard gravity.
constexpr double standard_gravity = 9.80665;

/// A vector; its unit and frame are said where it is used.
struct Vector3 {
    double x = 0;  ///< north in NED, forward in FRD
    double y = 0;  ///< east in NED, right in FRD
    double z = 0;  ///< down in both
};

/// rad, applied in the order yaw, pitch, roll: from NED to body. Nose east is yaw +pi/2; nose up is pitch >
/// 0; right wing down is roll > 0.
struct EulerAngles {
    double roll = 0;   ///< rad, right wing down is positive
    double pitch = 0;  ///< rad, nose up is positive
    double yaw = 0;    ///< rad, from north, clockwise seen from above
};

/// Rotation from body (FRD) to NED, scalar first. Its norm must be 1 within 0.001.
struct Quaternion {
    double w = 1;  ///< the scalar part
    double x = 0;  ///< forward part of the axis
    double y = 0;  ///< right part of the axis
    double z = 0;  ///< down part of the axis
};

/// Apparent wind as a wind vane on the vehicle sees it.
struct WindVane {
    double direction = 0;  ///< rad, clockwise from the nose; 0 = the wind comes from ahead
    double speed = 0;      ///< m/s
};

/// The battery as its monitor measures it.
struct Battery {
    double voltage = 0;  ///< V
    double current = 0;  ///< A, positive when discharging
};

/// Position on the globe.
struct Geodetic {
    double latitude = 0;   ///< deg, north positive
    double longitude = 0;  ///< deg, east positive
    double altitude = 0;   ///< m above mean sea level
};

/// The state of a vehicle at one instant. A new one is level, at rest on the ground at home, at time 0.
struct State {
    /// "timestamp": s of physics time, from 0 (or near it) on, increasing. SITL's clock advances by the
    /// differences. Steps that are whole microseconds and below 0.1 s are best.
    double timestamp = 0;

    /// "imu.gyro": rad/s, body FRD, each within 35 (2000 deg/s, where real gyros end too).
    Vector3 gyro;

    /// "imu.accel_body": m/s2, body FRD. What an accelerometer feels: acceleration minus gravity. At rest and
    /// level it is (0, 0, -9.81), in free fall it is (0, 0, 0).
    Vector3 specific_force{0, 0, -standard_gravity};

    /// "position": m, NED from home. It may jump, but neither up and down by kilometres nor sideways by 10,000 km
    /// from step to step: that ends SITL. Climbing is z < 0; z is within -50,000 and 2000. SITL ignores it while
    /// `geodetic` is sent.
    Vector3 position;

    /// "velocity": m/s, NED.
    Vector3 velocity;

    /// "attitude": ignored when `quaternion` is set.
    EulerAngles attitude;

    /// "quaternion": wins over `attitude` when set.
    std::optional<Quaternion> quaternion;

    /// "rng_1" to "rng_6": m, range finder instances 1 to 6. SITL reads the fourth only beside the first, the
    /// fifth only beside the second, the sixth only beside the third.
    std::array<std::optional<double>, 6> range_finders;

    /// "windvane": apparent wind, for sailing boats.
    std::optional<WindVane> wind_vane;

    /// "velocity_wind": m/s, NED; where the air moves to.
    std::optional<Vector3> wind;

    /// "airspeed": m/s.
    std::optional<double> airspeed;

    /// "rc.rc_1" to "rc.rc_12": microseconds, RC input, 800 to 2200. SITL reads 10 to 12 only beside the
    /// first.
    std::array<std::optional<std::uint16_t>, 12> rc;

    /// "battery".
    std::optional<Battery> battery;

    /// "latitude", "longitude", "altitude": where the vehicle is, for simulators that think in geodetic
    /// coordinates. SITL uses it in place of `position` (from December 2025 on; older versions use only
    /// `position`).
    std::optional<Geodetic> geodetic;

    /// "no_time_sync": true = SITL no longer sleeps to keep real time, and selects AHRS_EKF_TYPE 10 by
    /// default. SITL remembers it: only false undoes true.
    std::optional<bool> no_time_sync;

    /// "no_lockstep": true = SITL waits at most 100 ms for an answer, then goes on by one step. Remembered
    /// likewise.
    std::optional<bool> no_lockstep;
};

}  // namespace ap_json
