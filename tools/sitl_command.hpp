// sitl_command.hpp - the subcommand `ap_json sitl`: a stand-in for ArduPilot SITL, driven from a prompt or a
// script.
#pragma once

namespace CLI {
class App;
}

void add_sitl_command(CLI::App& app, int& exit_code);
