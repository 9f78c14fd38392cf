// little_rover.hpp - a rover of a few lines, for tests that close the loop: it turns as its wheels point, and follows the
// throttle with a lag.
#pragma once

#include <ap_json/frames.hpp>
#include <cmath>
#include <px4_hil/drive_controls.hpp>
#include <px4_hil/hil_state.hpp>
#include <px4_hil/mission_upload.hpp>

struct LittleRover {
    ap_json::State state;
    double speed = 0;  // m/s
    double yaw = 0;    // rad

    void step(const px4_hil::DriveControls& controls, double dt) {
        const double wanted = 12 * controls.throttle;
        const double before = speed;
        speed += (wanted - speed) * dt / 0.5;
        if (controls.brake > 0)
            speed -= std::copysign(std::fmin(std::fabs(speed), 6 * controls.brake * dt), speed);
        const double yaw_rate = speed * std::tan(0.45 * controls.steering) / 0.6;
        yaw = std::remainder(yaw + yaw_rate * dt, 2 * ap_json::pi);
        state.timestamp += dt;
        state.attitude = {0, 0, yaw};
        state.gyro = {0, 0, yaw_rate};
        state.velocity = {speed * std::cos(yaw), speed * std::sin(yaw), 0};
        state.position.x += state.velocity.x * dt;
        state.position.y += state.velocity.y * dt;
        state.specific_force = {(speed - before) / dt, speed * yaw_rate, -ap_json::standard_gravity};
    }
};

/// Way points by metres north and east of home.
inline px4_hil::Route route_of(std::initializer_list<std::array<double, 2>> points,
                               const px4_hil::Home& home = px4_hil::Home()) {
    const ap_json::LocalFrame frame({home.latitude, home.longitude, home.altitude});
    px4_hil::Route route;
    for (const auto& [north, east] : points) {
        const ap_json::Geodetic place = frame.to_geodetic({north, east, 0});
        px4_hil::Waypoint point;
        point.latitude = place.latitude;
        point.longitude = place.longitude;
        route.push_back(point);
    }
    return route;
}
