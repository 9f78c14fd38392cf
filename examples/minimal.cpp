// minimal.cpp - tests the connectivity to ArduPilot SITL: a vehicle that rests on the ground, whatever the
// servos do. Shows what the library has to offer, with the physics loop written out; simpleRover shows the
// short way.
#include <ap_json/ap_json.hpp>

#include "options.hpp"

using namespace std::chrono_literals;

/// At rest on the ground, level, nose north: the ground pushes up, so the accelerometer says -9.81 along body
/// down.
ap_json::State resting_vehicle() {
    ap_json::State state;
    state.gyro = {0, 0, 0};
    state.specific_force = {0, 0, -9.81};
    state.position = {0, 0, 0};
    state.velocity = {0, 0, 0};
    state.attitude = {0, 0, 0};
    state.airspeed = 1;
    state.wind_vane = ap_json::WindVane{1, 1};
    state.range_finders = {1, 2, 3, 4, 5, 6};
    return state;
}

void print_pwm(const ap_json::ServoPacket& servos) {
    std::printf("frame %u at %u Hz, PWM", unsigned{servos.frame_count}, unsigned{servos.frame_rate});
    for (int number = 1; number <= servos.channels; ++number)
        std::printf(" %u", unsigned{servos.servo(number)});
    std::printf("\n");
    std::fflush(stdout);
}

int main(int argc, char** argv) {
    CLI::App app(
        "A vehicle at rest on the ground, to test the connection to ArduPilot SITL.\n"
        "Start it, then: sim_vehicle.py -v Rover -f JSON");
    example::LinkOptions options;
    example::add_link_options(app, options);
    bool verbose = false;
    app.add_flag("--verbose", verbose, "Show the PWM of all channels, twice a second");
    if (const auto end = example::parse(app, argc, argv)) return *end;

    ap_json::Client client;
    if (auto error = example::open(client, options)) return example::report(error);

    const double step = 0.0025;  // s: 400 Hz
    ap_json::State state = resting_vehicle();
    ap_json::LinkStatus status = ap_json::LinkStatus::closed;
    auto last_shown = std::chrono::steady_clock::now();
    while (!example::interrupted) {
        if (client.status() != status) {
            status = client.status();
            std::printf("%s: %s\n", to_string(status), explain(status));
            std::fflush(stdout);
        }
        const auto frame = client.receive(100ms);
        if (!frame) continue;
        if (frame->restarted()) state.timestamp = 0;
        if (!frame->repeated()) state.timestamp += step;
        if (auto error = client.send(state)) {
            example::report(error);
            if (error.code() != ap_json::ErrorCode::not_sent)
                return 1;  // the network may recover: SITL asks again
        }

        if (verbose && std::chrono::steady_clock::now() - last_shown > 500ms) {
            last_shown = std::chrono::steady_clock::now();
            print_pwm(frame->servos);
        }
    }
    example::print_summary(client);
}
