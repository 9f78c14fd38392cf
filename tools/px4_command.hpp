// px4_command.hpp - the subcommand `ap_json px4`: a stand-in for a PX4, for those who have none at hand.
#pragma once

namespace CLI {
class App;
}

void add_px4_command(CLI::App& app, int& exit_code);
