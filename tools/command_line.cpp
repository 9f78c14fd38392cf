// command_line.cpp - see command_line.hpp. Each subcommand is in a file of its own.
#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <ap_json/version.hpp>

#include "check_command.hpp"
#if defined(AP_JSON_WITH_COPTERSIM)
#include "coptersim_command.hpp"
#include "coptersim_stand_in_command.hpp"
#endif
#if defined(AP_JSON_WITH_PX4)
#include "px4_command.hpp"
#endif
#if defined(AP_JSON_WITH_PX4_SETPOINT)
#include "px4_setpoint_command.hpp"
#endif
#include "replay_command.hpp"
#include "report_command.hpp"
#include "sitl_command.hpp"
#include "tap_command.hpp"

void add_commands(CLI::App& app, int& exit_code) {
    app.set_version_flag("--version", "ap_json " AP_JSON_VERSION);
    app.require_subcommand(1);
    add_check_command(app, exit_code);
    add_sitl_command(app, exit_code);
    add_tap_command(app, exit_code);
    add_replay_command(app, exit_code);
    add_report_command(app, exit_code);
#if defined(AP_JSON_WITH_PX4)
    add_px4_command(app, exit_code);
#endif
#if defined(AP_JSON_WITH_PX4_SETPOINT)
    add_px4_setpoint_command(app, exit_code);
#endif
#if defined(AP_JSON_WITH_COPTERSIM)
    add_coptersim_command(app, exit_code);
    add_coptersim_stand_in_command(app, exit_code);
#endif
}
