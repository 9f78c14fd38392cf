// coptersim_command.hpp - the subcommand `ap_json coptersim`: finds CopterSims and asks them for things.
#pragma once

namespace CLI {
class App;
}

void add_coptersim_command(CLI::App& app, int& exit_code);
