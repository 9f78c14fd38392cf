// report_command.hpp - the subcommand `ap_json report`: a recording as one HTML page, and as a table.
#pragma once

namespace CLI {
class App;
}

void add_report_command(CLI::App& app, int& exit_code);
