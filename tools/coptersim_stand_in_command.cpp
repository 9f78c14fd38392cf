// coptersim_stand_in_command.cpp - options of `ap_json coptersim-stand-in`, and its run.
#include "coptersim_stand_in_command.hpp"

#include <CLI/CLI.hpp>
#include <chrono>
#include <coptersim/stand_in.hpp>
#include <iostream>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "coptersim_options.hpp"
#include "exit_code.hpp"
#include "interrupt.hpp"

namespace {

using coptersim::StandIn;
using coptersim::StandInState;
using nlohmann::ordered_json;

struct Options {
    coptersim::StandInOptions stand_in;
    std::vector<std::int32_t> ids = {1};
    double interval = 0.5;  // s
    double duration = 0;    // s; 0 = until Ctrl-C
    bool no_multicast = false;
    bool json = false;
};

ordered_json to_json(std::int32_t id, const StandInState& state, const coptersim::StandInTraffic& traffic) {
    const auto& pose = state.pose;
    ordered_json document = {{"id", id},
                             {"udp_mode", to_string(state.udp_mode)},
                             {"stream_target", state.stream_target ? to_string(*state.stream_target) : ""},
                             {"north", pose.north_m},
                             {"east", pose.east_m},
                             {"down", pose.down_m},
                             {"roll", pose.roll_deg},
                             {"pitch", pose.pitch_deg},
                             {"yaw", pose.yaw_deg},
                             {"on_terrain", state.on_terrain}};
    const auto& origin = state.gps_origin;
    document["gps_origin"] = {origin.latitude_deg, origin.longitude_deg, origin.altitude_m};
    if (state.gps_pose)
        document["gps_pose"] = {state.gps_pose->latitude_deg, state.gps_pose->longitude_deg,
                                state.gps_pose->yaw_deg};
    document["display"] = state.shows_gps ? "gps" : "xy";
    document["model"] = state.model;
    document["map"] = state.map;
    document["applied"] = traffic.applied;
    document["rejected"] = traffic.rejected;
    return document;
}

int run(Options& options) {
    end_on_ctrl_c();
    auto mutex = std::make_shared<std::mutex>();
    std::vector<std::unique_ptr<StandIn>> stand_ins;
    for (const std::int32_t id : options.ids) {
        coptersim::StandInOptions each = options.stand_in;
        each.id = id;
        each.multicast = !options.no_multicast;
        each.beat_interval = std::chrono::milliseconds(static_cast<std::int64_t>(options.interval * 1000));
        each.log = [mutex](std::string_view line) {
            const std::lock_guard<std::mutex> lock(*mutex);
            std::cerr << line << std::endl;
        };
        stand_ins.push_back(std::make_unique<StandIn>());
        if (const auto error = stand_ins.back()->start(each)) {
            std::cerr << "error: " << error.message() << "\n";
            return exit_used_wrongly;
        }
        const std::lock_guard<std::mutex> lock(*mutex);
        std::cerr << "vehicle " << id << " beats; requests to UDP ports " << each.ports.request << " and "
                  << *coptersim::vehicle_port(each.ports, id) << std::endl;
    }
    const auto start = std::chrono::steady_clock::now();
    const std::chrono::duration<double> duration(options.duration);
    while (!interrupted && (options.duration <= 0 || std::chrono::steady_clock::now() - start < duration))
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ordered_json states = ordered_json::array();
    for (std::size_t i = 0; i < stand_ins.size(); ++i) {
        stand_ins[i]->stop();
        states.push_back(to_json(options.ids[i], stand_ins[i]->state(), stand_ins[i]->traffic()));
    }
    const auto replace = ordered_json::error_handler_t::replace;
    if (options.json) {
        std::cout << states.dump(2, ' ', false, replace) << std::endl;
        return exit_ok;
    }
    for (const auto& state : states) std::cout << state.dump(-1, ' ', false, replace) << "\n";
    return exit_ok;
}

}  // namespace

void add_coptersim_stand_in_command(CLI::App& app, int& exit_code) {
    CLI::App* command = app.add_subcommand(
        "coptersim-stand-in", "A stand-in for CopterSims: beats, and shows what requests make of it");
    auto options = std::make_shared<Options>();
    add_coptersim_network_options(*command, options->stand_in.interface_address, options->stand_in.group,
                                  options->stand_in.ports);
    command->add_option("--id", options->ids, "Ids of the vehicles")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
    command
        ->add_option("--own-address", options->stand_in.own_address,
                     "IPv4 address of this computer that they have")
        ->capture_default_str();
    command->add_flag("--no-multicast", options->no_multicast,
                      "As behind a network that passes no multicast");
    command->add_option("--interval", options->interval, "Between two heartbeats, in s")
        ->check(CLI::Range(0.001, 3600.0))
        ->capture_default_str();
    command->add_option("--duration", options->duration, "End after so many s; 0 = on Ctrl-C")
        ->capture_default_str();
    command->add_flag("--json", options->json, "Print the states as one JSON document");
    command->footer(
        R"(Each datagram that arrives is a line on stderr. At the end it prints what the requests have made of each vehicle.
It simulates nothing, and follows what is documented of CopterSim, which is closed.

Example: ap_json coptersim-stand-in --interface 127.0.0.1 --id 1 2 3)");
    command->callback([options, &exit_code] { exit_code = run(*options); });
}
