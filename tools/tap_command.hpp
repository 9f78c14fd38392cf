// tap_command.hpp - the subcommand `ap_json tap`: looks at, records and disturbs the link between SITL and a
// backend.
#pragma once

namespace CLI {
class App;
}

void add_tap_command(CLI::App& app, int& exit_code);
