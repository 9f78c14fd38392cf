// vectors.hpp - the little algebra of vectors and rotations that the vehicle models need, on the library's own types.
#pragma once

#include <ap_json/frames.hpp>
#include <cmath>

namespace example {

using ap_json::Quaternion;
using ap_json::Vector3;

inline Vector3 operator+(const Vector3& a, const Vector3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vector3 operator-(const Vector3& a, const Vector3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vector3 operator-(const Vector3& a) { return {-a.x, -a.y, -a.z}; }
inline Vector3 operator*(double s, const Vector3& a) { return {s * a.x, s * a.y, s * a.z}; }
inline Vector3& operator+=(Vector3& a, const Vector3& b) { return a = a + b; }
inline double dot(const Vector3& a, const Vector3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline double norm(const Vector3& a) { return std::sqrt(dot(a, a)); }
inline Vector3 cross(const Vector3& a, const Vector3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// The attitude q, turned about the body's axes by this angle: q exp(angle / 2), exact for a constant rate.
/// @param angle  rad, a rotation vector in body axes: angular velocity times time
inline Quaternion turned(const Quaternion& q, const Vector3& angle) {
    const double size = norm(angle);
    const double scale = size > 1e-9 ? std::sin(size / 2) / size : 0.5;  // sin(x / 2) / x at 0 is 1 / 2
    return ap_json::normalised(
        ap_json::product(q, {std::cos(size / 2), scale * angle.x, scale * angle.y, scale * angle.z}));
}

}  // namespace example
