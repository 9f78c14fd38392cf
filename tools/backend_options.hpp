// backend_options.hpp - the options that say where the physics backend is, for the subcommands that play SITL.
#pragma once

#include <CLI/CLI.hpp>
#include <ap_json/sitl_stand_in.hpp>

inline void add_backend_options(CLI::App& command, ap_json::SitlStandInOptions& options) {
    command.add_option("--address", options.backend_address, "IPv4 address of the physics backend")
        ->capture_default_str();
    command.add_option("--port", options.backend_port, "UDP port of the physics backend")
        ->check(CLI::Range(1, 65535))
        ->capture_default_str();
    command.add_option("--instance", options.instance, "SITL's instance: adds 10 x N to the port")
        ->check(CLI::Range(0, 6553))
        ->capture_default_str();
    command
        .add_option("--speedup", options.speedup, "Simulated seconds per real second; 0 = as fast as it goes")
        ->capture_default_str();
}
