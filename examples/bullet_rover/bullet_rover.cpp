// bullet_rover.cpp - Bullet's raycast vehicle on hills, linked to ArduPilot SITL: how to put ap_json into a
// simulator that exists already.
#include "../options.hpp"
#include "ardupilot_link.hpp"

int main(int argc, char** argv) {
    CLI::App app(
        "A car with Ackermann steering (servo 1) and throttle (servo 3) on the hills of a Bullet world.\n"
        "Start it, then: sim_vehicle.py -v Rover -f JSON "
        "--add-param-file=Tools/autotest/default_params/rover.parm");
    example::LinkOptions options;
    example::add_link_options(app, options);
    int rate = 400;
    app.add_option("--rate", rate, "Physics steps per simulated second; ArduRover arms from 90 on")
        ->check(CLI::Range(100, 2000))
        ->capture_default_str();
    if (const auto end = example::parse(app, argc, argv)) return *end;

    ap_json::Client client;
    if (auto error = example::open(client, options)) return example::report(error);

    const std::chrono::microseconds step((1000000 + rate / 2) / rate);
    Simulator simulator(std::chrono::duration<btScalar>(step).count());
    ArduPilotLink link(simulator);
    ap_json::Lockstep loop(client, link, step);
    if (auto error = loop.run([] { return !example::interrupted; })) return example::report(error);
    example::print_summary(client);
}
