// command_line.hpp - the command line of the program ap_json: all of its subcommands.
#pragma once

namespace CLI {
class App;
}

/// Each subcommand runs while it is parsed, and sets the exit code.
void add_commands(CLI::App& app, int& exit_code);
