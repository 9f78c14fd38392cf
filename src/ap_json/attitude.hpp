// attitude.hpp - Euler angles to quaternion and back, for the encoder. Private to the library.
#pragma once

#include <algorithm>
#include <cmath>

#include "ap_json/state.hpp"

namespace ap_json {

inline Quaternion to_quaternion(const EulerAngles& angles) noexcept {
    const double sin_roll = std::sin(angles.roll / 2), cos_roll = std::cos(angles.roll / 2);
    const double sin_pitch = std::sin(angles.pitch / 2), cos_pitch = std::cos(angles.pitch / 2);
    const double sin_yaw = std::sin(angles.yaw / 2), cos_yaw = std::cos(angles.yaw / 2);
    return {cos_roll * cos_pitch * cos_yaw + sin_roll * sin_pitch * sin_yaw,
            sin_roll * cos_pitch * cos_yaw - cos_roll * sin_pitch * sin_yaw,
            cos_roll * sin_pitch * cos_yaw + sin_roll * cos_pitch * sin_yaw,
            cos_roll * cos_pitch * sin_yaw - sin_roll * sin_pitch * cos_yaw};
}

/// Does not need an exactly normalised quaternion: each angle is computed from ratios.
inline EulerAngles to_euler(const Quaternion& q) noexcept {
    const double ww = q.w * q.w, xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    const double sin_pitch = 2 * (q.w * q.y - q.z * q.x) / (ww + xx + yy + zz);
    return {std::atan2(2 * (q.w * q.x + q.y * q.z), ww - xx - yy + zz),
            std::asin(std::clamp(sin_pitch, -1.0, 1.0)),
            std::atan2(2 * (q.w * q.z + q.x * q.y), ww + xx - yy - zz)};
}

}  // namespace ap_json
