// rover.cpp - the rover of rover_model.hpp, linked to ArduPilot SITL.
#include <ap_json/ap_json.hpp>

#include "options.hpp"
#include "rover_model.hpp"
#include "slow_simulator.hpp"

int main(int argc, char** argv) {
    CLI::App app(
        "A rover with wheels that slip a little, steered by its front wheels or by the difference of its "
        "sides.\n"
        "Start it, then: sim_vehicle.py -v Rover -f JSON\n"
        "For --drive skid give ArduPilot its rover-skid.parm: servo 1 is the left side, servo 3 the right "
        "one.");
    example::LinkOptions options;
    example::add_link_options(app, options);
    std::string drive = "ackermann";
    app.add_option("--drive", drive, "How it steers")
        ->check(CLI::IsMember({"ackermann", "skid"}))
        ->capture_default_str();
    int rate = 400;
    app.add_option("--rate", rate, "Physics steps per simulated second; ArduRover arms from 90 on")
        ->check(CLI::Range(20, 10000))
        ->capture_default_str();
    double frame_rate = 0;
    app.add_option("--frame-rate", frame_rate,
                   "Be a slow simulator of so many frames per simulated second; see docs/vehicles.md")
        ->check(CLI::Range(5.0, 1000.0));
    if (const auto end = example::parse(app, argc, argv)) return *end;

    ap_json::Client client;
    if (auto error = example::open(client, options)) return example::report(error);

    using Parameters = example::RoverParameters;
    example::Rover rover(drive == "skid" ? Parameters::skid_steered() : Parameters::car());
    const std::chrono::microseconds step = example::step_at(rate);
    ap_json::Lockstep loop(client, rover, step);
    const auto error = frame_rate > 0 ? example::run_in_frames(client, rover, step, frame_rate)
                                      : loop.run([] { return !example::interrupted; });
    if (error) return example::report(error);
    example::print_summary(client);
}
