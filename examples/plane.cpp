// plane.cpp - the plane of plane_model.hpp, linked to ArduPilot SITL.
#include <ap_json/ap_json.hpp>

#include "options.hpp"
#include "plane_model.hpp"

int main(int argc, char** argv) {
    CLI::App app(
        "A fixed wing of 3 kg that stands on a runway. Servos 1 to 4: ailerons, elevator, throttle, rudder.\n"
        "Start it, then: sim_vehicle.py -v Plane -f JSON --add-param-file=Tools/autotest/models/plane.parm");
    example::LinkOptions options;
    example::add_link_options(app, options);
    int rate = 400;
    app.add_option("--rate", rate, "Physics steps per simulated second; ArduPlane arms from 90 on")
        ->check(CLI::Range(50, 10000))
        ->capture_default_str();
    std::vector<double> wind{0, 0};
    app.add_option("--wind", wind, "NORTH,EAST: where the air moves to, in m/s")->delimiter(',')->expected(2);
    if (const auto end = example::parse(app, argc, argv)) return *end;

    ap_json::Client client;
    if (auto error = example::open(client, options)) return example::report(error);

    plane::Model plane({}, {wind[0], wind[1], 0});
    ap_json::Lockstep loop(client, plane, example::step_at(rate));
    if (auto error = loop.run([] { return !example::interrupted; })) return example::report(error);
    example::print_summary(client);
}
