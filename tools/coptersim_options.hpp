// coptersim_options.hpp - what the subcommands about CopterSim share: where on the network it is.
#pragma once

#include <CLI/CLI.hpp>
#include <coptersim/route.hpp>
#include <string>

inline void add_coptersim_network_options(CLI::App& command, std::string& interface_address,
                                          std::string& group, coptersim::Ports& ports) {
    command.add_option(
        "--interface", interface_address,
        "IPv4 address of the network interface for multicast; 127.0.0.1 = this computer alone");
    command.add_option("--group", group, "Multicast group")->capture_default_str()->group("For tests");
    const auto add_port = [&command](const char* name, std::uint16_t& port, const char* what) {
        command.add_option(name, port, what)
            ->check(CLI::Range(1, 65535))
            ->capture_default_str()
            ->group("For tests");
    };
    add_port("--heartbeat-port", ports.heartbeat, "UDP port that heartbeats are sent to");
    add_port("--request-port", ports.request, "UDP port that all CopterSims listen on");
    add_port("--vehicle-port", ports.first_vehicle, "UDP port of vehicle 1; vehicle n: 2 (n - 1) higher");
}
