// px4_rover.cpp - the rover of rover_model.hpp with a PX4 as its autopilot: on hardware over USB, PX4 SITL, or the stand-in
// `ap_json px4`. Uploads a route, and drives along it.
#include <CLI/CLI.hpp>
#include <ap_json/frames.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <px4_hil/component.hpp>
#include <string>
#include <thread>

#include "options.hpp"
#include "rover_model.hpp"

namespace {

using Clock = std::chrono::steady_clock;

/// Prints what happens.
class Reporter final : public px4_hil::Host {
  public:
    void report(const px4_hil::Event& event) override {
        const std::string_view text = event.text();
        std::printf("%.*s\n", static_cast<int>(text.size()), text.data());
        std::fflush(stdout);
    }
};

/// Way points of "north,east north,east ...", in metres from home.
px4_hil::Route read_route(const std::string& text, const px4_hil::Home& home) {
    const ap_json::LocalFrame frame({home.latitude, home.longitude, home.altitude});
    px4_hil::Route route;
    const char* from = text.c_str();
    double north = 0, east = 0;
    int used = 0;
    while (std::sscanf(from, " %lf , %lf%n", &north, &east, &used) == 2) {
        from += used;
        const ap_json::Geodetic place = frame.to_geodetic({north, east, 0});
        px4_hil::Waypoint point;
        point.latitude = place.latitude;
        point.longitude = place.longitude;
        route.push_back(point);
    }
    return *from == '\0' ? route : px4_hil::Route();
}

/// The rover takes servo pulses: 1 steers, 3 drives.
ap_json::ServoPacket to_servos(const px4_hil::DriveControls& controls) {
    const auto pulse = [](double value) {
        return static_cast<std::uint16_t>(std::lround(1500 + 500 * value));
    };
    ap_json::ServoPacket servos;
    servos.channels = 16;
    servos.pwm[0] = pulse(controls.steering);
    // Its motor brakes when it is asked for less speed than it has.
    servos.pwm[2] = pulse(controls.brake > 0 ? 0 : controls.throttle);
    return servos;
}

int report(const px4_hil::Error& error) {
    std::fprintf(stderr, "error: %s: %s\n", to_string(error.code()), error.message());
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app(
        "A rover driven by a PX4 along a route. Ends with 0 when it has arrived.\n"
        "PX4 on hardware:  px4_rover                          (searches the USB ports)\n"
        "PX4 SITL:         px4_rover --sitl --link udp:14550\n"
        "The stand-in:     px4_rover --link tcp:4560, and in another terminal: ap_json px4 --link tcp:4560");
    px4_hil::ComponentOptions options;
    options.station.state.home = options.station.sensors.home = {47.397742, 8.545594, 488};
    app.add_option(
        "--link", options.link,
        "serial:DEVICE, udp:PORT, udp:ADDRESS:PORT or tcp:PORT; without it the serial ports are searched");
    bool sitl = false;
    app.add_flag("--sitl", sitl,
                 "PX4 SITL in lockstep: its simulator interface connects to --simulator-link");
    std::string simulator_link = "tcp:4560";
    app.add_option("--simulator-link", simulator_link, "For --sitl")->capture_default_str();
    std::string points = "30,0 30,20 0,20";
    app.add_option("--route", points, "Way points: metres north,east of the start")->capture_default_str();
    app.add_flag("--set-sys-hitl", options.station.may_set_sys_hitl,
                 "Set PX4's parameter SYS_HITL and reboot it, if it is not in HIL mode");
    std::string track;
    app.add_option("--track", track, "Write time, north, east and speed to this file, as CSV");
    int seconds = 300;
    app.add_option("--limit", seconds, "Give up after so many seconds")
        ->check(CLI::Range(1, 86400))
        ->capture_default_str();
    if (const auto end = example::parse(app, argc, argv)) return *end;

    const px4_hil::Route route = read_route(points, options.station.state.home);
    if (route.empty()) {
        std::fprintf(stderr, "error: --route \"%s\" is no list of north,east\n", points.c_str());
        return 2;
    }
    if (sitl) {
        options.simulator_link = simulator_link;
        options.station.hardware = false;
        options.station.feed = px4_hil::Feed::sensor_level;
        if (options.link.empty()) options.link = "udp:14550";
    }

    Reporter reporter;
    px4_hil::Component px4;
    if (auto error = px4.init(options, &reporter)) return report(error);
    std::printf("connected over %s\n", px4.link_name().c_str());
    if (auto error = px4.move_along(route)) return report(error);

    example::Rover rover;
    ap_json::State state;
    rover.reset(state);
    std::ofstream csv(track);
    constexpr std::chrono::microseconds step(4000);
    const Clock::time_point begin = Clock::now();
    Clock::time_point next = begin;
    double shown = 0;
    while (!example::interrupted && px4.busy() && Clock::now() - begin < std::chrono::seconds(seconds)) {
        const px4_hil::Update update = px4.update(state);
        if (update.error) return report(update.error);
        rover.step(to_servos(update.controls), 1e-6 * step.count(), state);
        state.timestamp += 1e-6 * step.count();
        if (state.timestamp >= shown) {
            shown += 1;
            const double speed = std::hypot(state.velocity.x, state.velocity.y);
            std::printf("%7.1f s  north %7.2f m  east %7.2f m  %5.2f m/s\n", state.timestamp,
                        state.position.x, state.position.y, speed);
            std::fflush(stdout);
            csv << state.timestamp << ',' << state.position.x << ',' << state.position.y << ',' << speed
                << '\n';
        }
        std::this_thread::sleep_until(next += step);
    }
    px4.exit();
    const px4_hil::StationStatistics s = px4.statistics();
    const bool arrived = s.tasks_done == 1;
    std::printf("%s at north %.2f m, east %.2f m; states %llu, controls %llu, lost links %llu\n",
                arrived ? "arrived" : "not arrived:", state.position.x, state.position.y,
                static_cast<unsigned long long>(s.states_sent + s.sensors_sent),
                static_cast<unsigned long long>(s.controls), static_cast<unsigned long long>(s.losses));
    return arrived ? 0 : 1;
}
