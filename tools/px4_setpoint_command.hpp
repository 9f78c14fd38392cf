// px4_setpoint_command.hpp - the subcommand `ap_json px4-setpoint`: answers set-point configuration requests over DDS as PX4
// does, for people without a PX4.
#pragma once

namespace CLI {
class App;
}

void add_px4_setpoint_command(CLI::App& app, int& exit_code);
