// quadcopter.cpp - the quadcopter of quadcopter_model.hpp, linked to ArduPilot SITL.
#include <ap_json/ap_json.hpp>

#include "options.hpp"
#include "quadcopter_model.hpp"
#include "slow_simulator.hpp"

int main(int argc, char** argv) {
    CLI::App app(
        "A quadcopter in X of 1.6 kg, with motors, battery, ground, wind and a range finder downwards.\n"
        "Start it, then, in ArduPilot's folder, with its own parameters for a quadcopter in X:\n"
        "  sim_vehicle.py -v Copter -f JSON --add-param-file=Tools/autotest/default_params/copter.parm "
        "--add-param-file=Tools/autotest/default_params/copter-X.parm");
    example::LinkOptions options;
    example::add_link_options(app, options);
    int rate = 800;
    app.add_option("--rate", rate, "Physics steps per simulated second; ArduCopter arms from 720 on")
        ->check(CLI::Range(200, 10000))
        ->capture_default_str();
    std::vector<double> wind{0, 0};
    app.add_option("--wind", wind, "Where the air moves to, m/s: NORTH,EAST")->delimiter(',')->expected(2);
    double frame_rate = 0;
    app.add_option("--frame-rate", frame_rate,
                   "Be a slow simulator of so many frames per simulated second; see docs/vehicles.md")
        ->check(CLI::Range(5.0, 1000.0));
    if (const auto end = example::parse(app, argc, argv)) return *end;

    ap_json::Client client;
    if (auto error = example::open(client, options)) return example::report(error);

    example::Quadcopter quadcopter;
    quadcopter.set_wind({wind[0], wind[1], 0});
    const std::chrono::microseconds step = example::step_at(rate);
    ap_json::Lockstep loop(client, quadcopter, step);
    const auto error = frame_rate > 0 ? example::run_in_frames(client, quadcopter, step, frame_rate)
                                      : loop.run([] { return !example::interrupted; });
    if (error) return example::report(error);
    example::print_summary(client);
}
