// frames.hpp - from a simulator's frames and units to ArduPilot's, and back. Opt-in: include it yourself. Header-only,
// pure functions; of threads, errors and allocation there is nothing to say.
//
// ArduPilot has NED for the world (x north, y east, z down) and FRD for the body (x forward, y right, z down). Others:
//
//     ROS, Gazebo       world ENU (east, north, up)           body FLU (forward, left, up)     right-handed, m, rad
//     Unity             world x east, y up, z north           body x right, y up, z forward    left-handed, m, degrees
//     Unreal            world x north, y east, z up           body x forward, y right, z up    left-handed, cm, degrees
//
// Which axis of a game engine's world is north is the author's choice; the ones above make +z (Unity) and +x (Unreal)
// north.
#pragma once

#include <algorithm>
#include <cmath>

#include "ap_json/state.hpp"

namespace ap_json {

/// Half a turn, in rad.
constexpr double pi = 3.14159265358979323846;
/// Degrees times this are rad.
constexpr double radians_per_degree = pi / 180;

// ---- rotations

/// @return unit quaternion from body to NED. Yaw is applied first, then pitch, then roll
inline Quaternion to_quaternion(const EulerAngles& angles) noexcept {
    const double sin_roll = std::sin(angles.roll / 2), cos_roll = std::cos(angles.roll / 2);
    const double sin_pitch = std::sin(angles.pitch / 2), cos_pitch = std::cos(angles.pitch / 2);
    const double sin_yaw = std::sin(angles.yaw / 2), cos_yaw = std::cos(angles.yaw / 2);
    return {cos_roll * cos_pitch * cos_yaw + sin_roll * sin_pitch * sin_yaw,
            sin_roll * cos_pitch * cos_yaw - cos_roll * sin_pitch * sin_yaw,
            cos_roll * sin_pitch * cos_yaw + sin_roll * cos_pitch * sin_yaw,
            cos_roll * cos_pitch * sin_yaw - sin_roll * sin_pitch * cos_yaw};
}

/// @param q  need not be normalised exactly: each angle is computed from ratios
/// @return   roll and yaw within +-pi, pitch within +-pi/2, in rad
inline EulerAngles to_euler(const Quaternion& q) noexcept {
    const double ww = q.w * q.w, xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    const double sin_pitch = 2 * (q.w * q.y - q.z * q.x) / (ww + xx + yy + zz);
    return {std::atan2(2 * (q.w * q.x + q.y * q.z), ww - xx - yy + zz),
            std::asin(std::clamp(sin_pitch, -1.0, 1.0)),
            std::atan2(2 * (q.w * q.z + q.x * q.y), ww + xx - yy - zz)};
}

/// The rotation b, then the rotation a.
constexpr Quaternion product(const Quaternion& a, const Quaternion& b) noexcept {
    return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

/// Of a unit quaternion.
constexpr Quaternion inverse(const Quaternion& q) noexcept { return {q.w, -q.x, -q.y, -q.z}; }

/// @return the same rotation with norm 1; no rotation when q is nothing or not finite
inline Quaternion normalised(const Quaternion& q) noexcept {
    const double norm = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    if (!(norm > 0) || !std::isfinite(norm)) return {};
    return {q.w / norm, q.x / norm, q.y / norm, q.z / norm};
}

/// A vector of the body's axes in NED.
/// @param q     attitude: unit quaternion from body to NED
/// @param body  forward, right, down
/// @return      north, east, down
constexpr Vector3 to_ned(const Quaternion& q, const Vector3& body) noexcept {
    // v + 2 w (u x v) + 2 u x (u x v), with u the vector part
    const Vector3 t{2 * (q.y * body.z - q.z * body.y), 2 * (q.z * body.x - q.x * body.z),
                    2 * (q.x * body.y - q.y * body.x)};
    return {body.x + q.w * t.x + q.y * t.z - q.z * t.y, body.y + q.w * t.y + q.z * t.x - q.x * t.z,
            body.z + q.w * t.z + q.x * t.y - q.y * t.x};
}

/// A vector of NED in the body's axes.
constexpr Vector3 to_body(const Quaternion& q, const Vector3& ned) noexcept {
    return to_ned(inverse(q), ned);
}

/// Rates of roll, pitch and yaw as rates about the body's axes: what a gyro feels, rad/s.
inline Vector3 body_rates(const EulerAngles& angles, const Vector3& angle_rates) noexcept {
    const double sin_roll = std::sin(angles.roll), cos_roll = std::cos(angles.roll);
    const double cos_pitch = std::cos(angles.pitch);
    return {angle_rates.x - std::sin(angles.pitch) * angle_rates.z,
            cos_roll * angle_rates.y + sin_roll * cos_pitch * angle_rates.z,
            -sin_roll * angle_rates.y + cos_roll * cos_pitch * angle_rates.z};
}

// ---- ROS and Gazebo: ENU and FLU

/// Position, velocity, wind: any vector of the world. The same exchange of axes goes back.
constexpr Vector3 ned_from_enu(const Vector3& enu) noexcept { return {enu.y, enu.x, -enu.z}; }
/// The way back.
constexpr Vector3 enu_from_ned(const Vector3& ned) noexcept { return {ned.y, ned.x, -ned.z}; }

/// Specific force, angular velocity: any vector of the body. The same change of signs goes back.
constexpr Vector3 frd_from_flu(const Vector3& flu) noexcept { return {flu.x, -flu.y, -flu.z}; }
/// The way back.
constexpr Vector3 flu_from_frd(const Vector3& frd) noexcept { return {frd.x, -frd.y, -frd.z}; }

namespace detail {
constexpr double half_root = 0.70710678118654752440;
constexpr Quaternion ned_in_enu{0, half_root, half_root,
                                0};           // a half turn about the line between north and east
constexpr Quaternion frd_in_flu{0, 1, 0, 0};  // a half turn about forward
}  // namespace detail

/// Attitude: from FLU to ENU (as in a ROS pose) into from FRD to NED (as in State).
constexpr Quaternion ned_frd_from_enu_flu(const Quaternion& q) noexcept {
    return product(product(detail::ned_in_enu, q), detail::frd_in_flu);
}
/// The way back.
constexpr Quaternion enu_flu_from_ned_frd(const Quaternion& q) noexcept {
    return product(product(inverse(detail::ned_in_enu), q), inverse(detail::frd_in_flu));
}

// ---- Unity: x right or east, y up, z forward or north; left-handed

/// Position or velocity; of the world (x east, y up, z north) into NED, or of the body (x right, y up, z forward) into
/// FRD: it is the same exchange of axes.
constexpr Vector3 from_unity(const Vector3& v) noexcept { return {v.z, v.x, -v.y}; }
/// The way back.
constexpr Vector3 to_unity(const Vector3& v) noexcept { return {v.y, -v.z, v.x}; }

/// Angular velocity, which turns the other way in a left-handed frame; rad/s, as Rigidbody.angularVelocity.
constexpr Vector3 rates_from_unity(const Vector3& w) noexcept { return {-w.z, -w.x, w.y}; }
/// The way back.
constexpr Vector3 rates_to_unity(const Vector3& w) noexcept { return {-w.y, w.z, -w.x}; }

/// Attitude, as Transform.rotation. Mind the order: Unity's constructor takes x, y, z, w.
constexpr Quaternion from_unity(const Quaternion& q) noexcept { return {q.w, -q.z, -q.x, q.y}; }
/// The way back.
constexpr Quaternion to_unity(const Quaternion& q) noexcept { return {q.w, -q.y, q.z, -q.x}; }

// ---- Unreal: x forward or north, y right or east, z up; left-handed, centimetres, degrees

/// Position in cm or velocity in cm/s into m or m/s; of the world into NED, or of the body into FRD.
constexpr Vector3 from_unreal(const Vector3& v) noexcept { return {v.x / 100, v.y / 100, -v.z / 100}; }
/// The way back: m and m/s into cm and cm/s.
constexpr Vector3 to_unreal(const Vector3& v) noexcept { return {v.x * 100, v.y * 100, -v.z * 100}; }

/// Angular velocity in degrees/s, as GetPhysicsAngularVelocityInDegrees, into rad/s.
constexpr Vector3 rates_from_unreal(const Vector3& w) noexcept {
    return {-w.x * radians_per_degree, -w.y * radians_per_degree, w.z * radians_per_degree};
}
/// The way back: rad/s into degrees/s.
constexpr Vector3 rates_to_unreal(const Vector3& w) noexcept {
    return {-w.x / radians_per_degree, -w.y / radians_per_degree, w.z / radians_per_degree};
}

/// Attitude, as FQuat. Mind the order: FQuat's constructor takes X, Y, Z, W.
constexpr Quaternion from_unreal(const Quaternion& q) noexcept { return {q.w, -q.x, -q.y, q.z}; }
/// The way back.
constexpr Quaternion to_unreal(const Quaternion& q) noexcept { return {q.w, -q.x, -q.y, q.z}; }

/// Attitude, as FRotator: degrees. Nose up, a turn to the right and right wing down are positive there too.
constexpr EulerAngles from_unreal_rotator(double roll, double pitch, double yaw) noexcept {
    return {roll * radians_per_degree, pitch * radians_per_degree, yaw * radians_per_degree};
}

// ---- what sensors feel

/// What an accelerometer feels: acceleration minus gravity, in the body's axes.
/// @param acceleration  m/s2, NED: the derivative of velocity. Nothing for a vehicle at rest
/// @param attitude      unit quaternion from body to NED
/// @return m/s2, FRD; at rest and level (0, 0, -9.80665), in free fall nothing
constexpr Vector3 specific_force(const Vector3& acceleration, const Quaternion& attitude) noexcept {
    return to_body(attitude, {acceleration.x, acceleration.y, acceleration.z - standard_gravity});
}

/// The wind that a vane on the vehicle sees.
/// @param wind      m/s, NED: where the air moves to
/// @param velocity  m/s, NED, of the vehicle over ground
/// @param yaw       rad
inline WindVane apparent_wind(const Vector3& wind, const Vector3& velocity, double yaw) noexcept {
    const double north = velocity.x - wind.x,
                 east = velocity.y - wind.y;  // where the apparent wind comes from
    const double ahead = std::cos(yaw) * north + std::sin(yaw) * east;
    const double right = -std::sin(yaw) * north + std::cos(yaw) * east;
    const double speed = std::hypot(ahead, right);
    return {speed > 0 ? std::atan2(right, ahead) : 0, speed};
}

/// What a pitot tube along the nose measures: m/s, never negative.
inline double airspeed(const Vector3& wind, const Vector3& velocity, const Quaternion& attitude) noexcept {
    const Vector3 through_air =
        to_body(attitude, {velocity.x - wind.x, velocity.y - wind.y, velocity.z - wind.z});
    return std::max(through_air.x, 0.0);
}

// ---- geodetic

/// North, east and down about an origin on the globe, exact on the WGS-84 ellipsoid: a plane that touches it there.
/// Altitudes are above the ellipsoid; where they are above sea level, the difference is the same all around and drops
/// out.
class LocalFrame {
  public:
    /// @param origin  where north, east and down are (0, 0, 0)
    explicit LocalFrame(const Geodetic& origin) noexcept
        : sin_latitude_(std::sin(origin.latitude * radians_per_degree)),
          cos_latitude_(std::cos(origin.latitude * radians_per_degree)),
          sin_longitude_(std::sin(origin.longitude * radians_per_degree)),
          cos_longitude_(std::cos(origin.longitude * radians_per_degree)),
          origin_(to_earth_fixed(origin)) {}

    /// @return m, NED from the origin
    [[nodiscard]] Vector3 to_local(const Geodetic& place) const noexcept {
        const Vector3 p = to_earth_fixed(place);
        const double x = p.x - origin_.x, y = p.y - origin_.y, z = p.z - origin_.z;
        const double outwards = cos_longitude_ * x + sin_longitude_ * y;
        return {-sin_latitude_ * outwards + cos_latitude_ * z, -sin_longitude_ * x + cos_longitude_ * y,
                -(cos_latitude_ * outwards + sin_latitude_ * z)};
    }

    /// @param ned  m from the origin
    [[nodiscard]] Geodetic to_geodetic(const Vector3& ned) const noexcept {
        const double outwards = -sin_latitude_ * ned.x - cos_latitude_ * ned.z;
        return from_earth_fixed({origin_.x + cos_longitude_ * outwards - sin_longitude_ * ned.y,
                                 origin_.y + sin_longitude_ * outwards + cos_longitude_ * ned.y,
                                 origin_.z + cos_latitude_ * ned.x - sin_latitude_ * ned.z});
    }

  private:
    static constexpr double equator = 6378137;                   // m, WGS-84
    static constexpr double flattening = 1 / 298.257223563;      // WGS-84
    static constexpr double e2 = flattening * (2 - flattening);  // eccentricity, squared

    static Vector3 to_earth_fixed(const Geodetic& place) noexcept {
        const double sine = std::sin(place.latitude * radians_per_degree);
        const double cosine = std::cos(place.latitude * radians_per_degree);
        const double normal = equator / std::sqrt(1 - e2 * sine * sine);
        const double outwards = (normal + place.altitude) * cosine;
        return {outwards * std::cos(place.longitude * radians_per_degree),
                outwards * std::sin(place.longitude * radians_per_degree),
                (normal * (1 - e2) + place.altitude) * sine};
    }

    /// By fixed-point iteration on the latitude, which gains two to three digits a round near the surface.
    static Geodetic from_earth_fixed(const Vector3& p) noexcept {
        const double outwards = std::hypot(p.x, p.y);
        double latitude = std::atan2(p.z, outwards);
        double normal = equator;
        for (int round = 0; round < 6; ++round) {
            const double sine = std::sin(latitude);
            normal = equator / std::sqrt(1 - e2 * sine * sine);
            latitude = std::atan2(p.z + e2 * normal * sine, outwards);
        }
        const double sine = std::sin(latitude), cosine = std::cos(latitude);
        // Each of the two forms is exact where the other divides by nothing.
        const double altitude =
            std::fabs(cosine) > 0.5 ? outwards / cosine - normal : p.z / sine - normal * (1 - e2);
        return {latitude / radians_per_degree, std::atan2(p.y, p.x) / radians_per_degree, altitude};
    }

    double sin_latitude_, cos_latitude_, sin_longitude_, cos_longitude_;
    Vector3 origin_;  // m, earth-centred, earth-fixed
};

}  // namespace ap_json
