// sample.hpp - one state of a backend as the doctor's physics sees it.
#pragma once

#include <ap_json/state.hpp>
#include <optional>

struct Sample {
    double time = 0;                                // s
    ap_json::Vector3 gyro;                          // rad/s
    ap_json::Vector3 force;                         // m/s2: specific force
    ap_json::Vector3 position;                      // m
    ap_json::Vector3 velocity;                      // m/s
    std::optional<ap_json::EulerAngles> euler;      // rad
    std::optional<ap_json::Quaternion> quaternion;  // as sent
    std::optional<ap_json::Geodetic> geodetic;
};
