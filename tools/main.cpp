// main.cpp - the program ap_json: tools for people who link a simulator to ArduPilot SITL. Each subcommand is
// in a file of its own.
#include <CLI/CLI.hpp>

#include "check_command.hpp"
#include "exit_code.hpp"
#if defined(AP_JSON_WITH_PX4)
#include "px4_command.hpp"
#endif
#include "replay_command.hpp"
#include "report_command.hpp"
#include "sitl_command.hpp"
#include "tap_command.hpp"

int main(int argc, char** argv) {
    CLI::App app("Tools for linking a physics simulator to ArduPilot SITL.");
    app.set_version_flag("--version", "ap_json " AP_JSON_VERSION);
    app.require_subcommand(1);
    int exit_code = exit_ok;
    add_check_command(app, exit_code);
    add_sitl_command(app, exit_code);
    add_tap_command(app, exit_code);
    add_replay_command(app, exit_code);
    add_report_command(app, exit_code);
#if defined(AP_JSON_WITH_PX4)
    add_px4_command(app, exit_code);
#endif
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? exit_ok : exit_used_wrongly;
    }
    return exit_code;
}
