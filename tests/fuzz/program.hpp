// program.hpp - the program ap_json within a fuzzer, with its output caught.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <command_line.hpp>
#include <exit_code.hpp>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace fuzz {

/// What goes to std::cout and std::cerr while it lives.
class CaughtOutput {
  public:
    CaughtOutput() : out_(std::cout.rdbuf(text_.rdbuf())), err_(std::cerr.rdbuf(errors_.rdbuf())) {}
    ~CaughtOutput() {
        std::cout.rdbuf(out_);
        std::cerr.rdbuf(err_);
    }
    CaughtOutput(const CaughtOutput&) = delete;
    CaughtOutput& operator=(const CaughtOutput&) = delete;

    [[nodiscard]] std::string output() const { return text_.str(); }
    [[nodiscard]] std::string errors() const { return errors_.str(); }

  private:
    std::ostringstream text_, errors_;
    std::streambuf* out_;
    std::streambuf* err_;
};

struct Outcome {
    int exit_code = 0;
    std::string output;
    std::string errors;
};

/// Reads the words as the shell would give them to the program. Any exception but the one for a wrong command line gets out.
inline Outcome run(CLI::App& app, std::vector<std::string> words, const int& exit_code) {
    const CaughtOutput caught;
    std::reverse(words.begin(), words.end());  // as CLI11 wants them
    Outcome outcome;
    try {
        app.parse(std::move(words));
        outcome.exit_code = exit_code;
    } catch (const CLI::ParseError& error) {
        outcome.exit_code = app.exit(error) == 0 ? exit_ok : exit_used_wrongly;
    }
    outcome.output = caught.output();
    outcome.errors = caught.errors();
    return outcome;
}

inline Outcome run_program(const std::vector<std::string>& words) {
    CLI::App app("Tools for linking a physics simulator to ArduPilot SITL.");
    int exit_code = exit_ok;
    add_commands(app, exit_code);
    return run(app, words, exit_code);
}

}  // namespace fuzz
