// vector_math.hpp - the little algebra of vectors and rotations that the doctor needs.
#pragma once

#include <algorithm>
#include <ap_json/state.hpp>
#include <cmath>

namespace vector_math {

using ap_json::EulerAngles;
using ap_json::Quaternion;
using ap_json::Vector3;

inline Vector3 operator+(const Vector3& a, const Vector3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vector3 operator-(const Vector3& a, const Vector3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vector3 operator-(const Vector3& a) { return {-a.x, -a.y, -a.z}; }
inline Vector3 operator*(double s, const Vector3& a) { return {s * a.x, s * a.y, s * a.z}; }
inline double dot(const Vector3& a, const Vector3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline double norm(const Vector3& a) { return std::sqrt(dot(a, a)); }
inline Vector3 cross(const Vector3& a, const Vector3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

inline Quaternion conjugate(const Quaternion& q) { return {q.w, -q.x, -q.y, -q.z}; }
inline Quaternion operator*(const Quaternion& a, const Quaternion& b) {
    return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
inline double norm(const Quaternion& q) { return std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z); }

/// Of a unit quaternion: from body to NED.
inline Vector3 rotate(const Quaternion& q, const Vector3& v) {
    const Vector3 axis{q.x, q.y, q.z};
    const Vector3 t = 2 * cross(axis, v);
    return v + q.w * t + cross(axis, t);
}

/// From NED to body.
inline Vector3 rotate_back(const Quaternion& q, const Vector3& v) { return rotate(conjugate(q), v); }

/// Yaw, then pitch, then roll.
inline Quaternion from_euler(const EulerAngles& e) {
    const double cr = std::cos(e.roll / 2), sr = std::sin(e.roll / 2);
    const double cp = std::cos(e.pitch / 2), sp = std::sin(e.pitch / 2);
    const double cy = std::cos(e.yaw / 2), sy = std::sin(e.yaw / 2);
    return {cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy};
}

/// The rotation vector of a unit quaternion, by the shorter way round: rad.
inline Vector3 rotation_vector(const Quaternion& q) {
    const double sign = q.w < 0 ? -1 : 1;
    const Vector3 axis = sign * Vector3{q.x, q.y, q.z};
    const double sine = norm(axis);
    if (sine < 1e-12) return 2 * axis;
    return (2 * std::atan2(sine, std::fabs(q.w)) / sine) * axis;
}

}  // namespace vector_math
