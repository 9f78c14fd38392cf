// check_command.hpp - the subcommand `ap_json check`: plays SITL in front of a backend and tells its author what is
// wrong; or does so from a recording.
#pragma once

namespace CLI {
class App;
}

void add_check_command(CLI::App& app, int& exit_code);
