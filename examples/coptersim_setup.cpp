// coptersim_setup.cpp - sets up RflySim before a flight: finds the CopterSims, places three vehicles in a row, selects a
// model and a map, and prints what happened.
#include <CLI/CLI.hpp>
#include <chrono>
#include <coptersim/client.hpp>
#include <cstdio>
#include <string>

namespace {

using coptersim::all_vehicles;

/// Prints what was sent. @return whether it was
bool report(const coptersim::Receipt& receipt) {
    std::printf("%s", describe(receipt).c_str());
    return !receipt;
}

/// CopterSim acknowledges nothing. That each still beats after the requests is what can be seen.
bool all_beat(coptersim::Client& client, int vehicles) {
    bool all = true;
    for (int id = 1; id <= vehicles; ++id) {
        const auto vehicle = client.wait_for(id, std::chrono::seconds(3));
        std::printf("vehicle %d %s\n", id, vehicle ? "beats" : "is silent");
        all = all && vehicle;
    }
    return all;
}

}  // namespace

int main(int argc, char** argv) {
    coptersim::ClientOptions options;
    int vehicles = 3;
    double wait = 10;  // s
    std::string model = "MulticopterNoCtrl";
    std::string map = "Grasslands";

    CLI::App app("Finds CopterSims, places vehicles 1 to N in a row, and selects a model and a map.");
    app.add_option("--interface", options.interface_address, "IPv4 address of the interface for multicast");
    app.add_option("--vehicles", vehicles, "How many")->check(CLI::Range(1, 1000))->capture_default_str();
    app.add_option("--wait", wait, "How long to wait for them, in s")->capture_default_str();
    app.add_option("--model", model, "Vehicle model")->capture_default_str();
    app.add_option("--map", map, "Map")->capture_default_str();
    app.add_option("--heartbeat-port", options.ports.heartbeat, "For tests")->capture_default_str();
    app.add_option("--request-port", options.ports.request, "For tests")->capture_default_str();
    app.add_option("--vehicle-port", options.ports.first_vehicle, "For tests")->capture_default_str();
    CLI11_PARSE(app, argc, argv);

    options.on_event = [](const coptersim::Event& event) { std::printf("%s\n", describe(event).c_str()); };
    coptersim::Client client;
    if (auto error = client.open(options)) {
        std::printf("%s\n", error.message().c_str());
        return 1;
    }

    for (int id = 1; id <= vehicles; ++id) {
        // Waits for its next heartbeat; looks for it meanwhile if it is not known.
        if (client.wait_for(id, std::chrono::milliseconds(static_cast<int>(wait * 1000)))) continue;
        std::printf("no CopterSim with vehicle %d: start it, and let the firewall pass UDP\n", id);
        return 1;
    }

    bool sent = report(client.select_map(all_vehicles, map));
    sent = report(client.select_model(all_vehicles, model)) && sent;
    for (int id = 1; id <= vehicles; ++id)
        sent = report(client.place(id, coptersim::GroundPose{0, 2.0 * (id - 1), 90})) && sent;
    return sent && all_beat(client, vehicles) ? 0 : 1;
}
