// main.cpp - the program ap_json: tools for people who link a simulator to ArduPilot SITL.
#include <CLI/CLI.hpp>

#include "command_line.hpp"
#include "exit_code.hpp"

int main(int argc, char** argv) {
    CLI::App app("Tools for linking a physics simulator to ArduPilot SITL.");
    int exit_code = exit_ok;
    add_commands(app, exit_code);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? exit_ok : exit_used_wrongly;
    }
    return exit_code;
}
