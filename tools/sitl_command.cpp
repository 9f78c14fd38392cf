// sitl_command.cpp - options of `ap_json sitl`, and where its commands come from.
#include "sitl_command.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#if defined(_WIN32)
#include <io.h>
#else
#include <unistd.h>
#endif

#include "backend_options.hpp"
#include "exit_code.hpp"
#include "interrupt.hpp"
#include "sitl_session.hpp"

namespace {

bool is_terminal() {
#if defined(_WIN32)
    return _isatty(_fileno(stdin)) != 0;
#else
    return isatty(STDIN_FILENO) != 0;
#endif
}

struct Options {
    ap_json::SitlStandInOptions sitl;
    int channels = 16;
    std::string script;
};

int run_lines(SitlSession& session, std::istream& lines, bool prompt) {
    std::string line;
    int number = 0;
    while (!interrupted) {
        if (prompt) std::cout << session.prompt() << std::flush;
        if (!std::getline(lines, line)) break;
        ++number;
        const SitlSession::Outcome outcome = session.execute(line);
        if (outcome == SitlSession::Outcome::quit) break;
        if (outcome == SitlSession::Outcome::failed && !prompt) {
            std::cerr << "ended at line " << number << ": " << line << "\n";
            return exit_found;
        }
    }
    return session.all_expectations_met() ? exit_ok : exit_found;
}

int run(Options& options) {
    options.sitl.channels_32 = options.channels == 32;
    std::ifstream script;
    if (!options.script.empty()) {
        script.open(options.script);
        if (!script) {
            std::cerr << "error: cannot read the script " << options.script << "\n";
            return exit_used_wrongly;
        }
    }
    end_on_ctrl_c();
    SitlSession session(options.sitl);
    if (auto error = session.start()) {
        std::cerr << "error: " << error.message() << "\n";
        return exit_used_wrongly;
    }
    if (!script.is_open() && is_terminal()) {
        std::cout << "driving " << options.sitl.backend_address << ":"
                  << options.sitl.backend_port + 10 * options.sitl.instance
                  << "; \"help\" lists the commands\n";
    }
    const int exit_code =
        script.is_open() ? run_lines(session, script, false) : run_lines(session, std::cin, is_terminal());
    session.print_summary();
    return exit_code;
}

}  // namespace

void add_sitl_command(CLI::App& app, int& exit_code) {
    CLI::App* command = app.add_subcommand(
        "sitl", "A stand-in for ArduPilot SITL: drives a physics backend from a prompt or a script");
    auto options = std::make_shared<Options>();
    add_backend_options(*command, options->sitl);
    command->add_option("--channels", options->channels, "Servo channels: 16, or 32 as with SERVO_32_ENABLE")
        ->check(CLI::IsMember({16, 32}))
        ->capture_default_str();
    command->add_option("--script", options->script,
                        "Read the commands from this file; end with 1 if one fails");
    command->footer(
        SitlSession::help() + std::string("\n") +
        R"(Where it differs from the real SITL: it has no EKF, so it arms after 2 s; it drives a rover only;
servo 1 and 3 follow RC 1 and 3 exactly (ArduPilot's rover.parm limits them to 1110..1890);
it knows the modes MANUAL and HOLD; it sends at once, without a MAVLink client.

Example: start build/examples/simpleRover, then
  printf 'arm throttle\nrc 3 1900\nwait 5\nstatus\n' | ap_json sitl)");
    command->callback([options, &exit_code] { exit_code = run(*options); });
}
