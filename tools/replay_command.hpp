// replay_command.hpp - the subcommand `ap_json replay`: plays a recorded flight once more and compares.
#pragma once

namespace CLI {
class App;
}

void add_replay_command(CLI::App& app, int& exit_code);
