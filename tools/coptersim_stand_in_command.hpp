// coptersim_stand_in_command.hpp - the subcommand `ap_json coptersim-stand-in`: CopterSims for those who have none.
#pragma once

namespace CLI {
class App;
}

void add_coptersim_stand_in_command(CLI::App& app, int& exit_code);
