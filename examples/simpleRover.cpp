// simpleRover.cpp - the rover of simple_rover.hpp, linked to ArduPilot SITL.
#include <ap_json/ap_json.hpp>

#include "options.hpp"
#include "simple_rover.hpp"

int main(int argc, char** argv) {
    CLI::App app(
        "A rover that drives north and south as servo 3 asks: 1100 us is -1 m/s, 1900 us is +1 m/s.\n"
        "Start it, then: sim_vehicle.py -v Rover -f JSON");
    example::LinkOptions options;
    example::add_link_options(app, options);
    int rate = 400;
    app.add_option("--rate", rate, "Physics steps per simulated second; ArduRover arms from 90 on")
        ->check(CLI::Range(20, 10000))
        ->capture_default_str();
    if (const auto end = example::parse(app, argc, argv)) return *end;

    ap_json::Client client;
    if (auto error = example::open(client, options)) return example::report(error);

    SimpleRover rover;
    ap_json::Lockstep loop(client, rover, example::step_at(rate));
    if (auto error = loop.run([] { return !example::interrupted; })) return example::report(error);
    example::print_summary(client);
}
