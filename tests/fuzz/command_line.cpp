// command_line.cpp - fuzzes the command lines of the program ap_json, and of the examples, up to where they would run: the
// subcommands' callbacks are replaced. In the input a newline ends a word.
#include <command_line.hpp>
#include <sstream>

#include "../../examples/options.hpp"
#include "fuzz.hpp"
#include "program.hpp"

using fuzz::check;

namespace {

void check_outcome(const fuzz::Outcome& outcome, int commands_run) {
    const bool wrong = outcome.exit_code == exit_used_wrongly;
    check(outcome.exit_code == exit_ok || wrong, "a documented exit code");
    check(!wrong || !outcome.errors.empty(), "what is wrong is said");
    check(!wrong || commands_run == 0, "nothing runs when it is wrong");
    check(wrong || commands_run > 0 || !outcome.output.empty(), "a command, or help");
}

void try_program(const std::vector<std::string>& words) {
    CLI::App app("Tools for linking a physics simulator to ArduPilot SITL.");
    const int exit_code = exit_ok;
    int unused = 0;
    add_commands(app, unused);
    int commands_run = 0;
    for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; }))
        command->callback([&commands_run] { ++commands_run; });
    check_outcome(fuzz::run(app, words, exit_code), commands_run);
}

void try_example(const std::vector<std::string>& words) {
    CLI::App app("An example.");
    example::LinkOptions options;
    example::add_link_options(app, options);
    const int exit_code = exit_ok;
    int runs = 0;
    app.callback([&runs] { ++runs; });
    check_outcome(fuzz::run(app, words, exit_code), runs);
    if (runs == 0) return;
    check(options.client.instance >= 0 && options.client.instance <= 6553, "the instance is in its range");
    check(options.wait == "block" || options.wait == "spin" || options.wait == "spin_then_block",
          "a way to wait");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::istringstream lines(std::string(data, data + size));
    std::vector<std::string> words;
    for (std::string word; std::getline(lines, word) && words.size() < 100;) words.push_back(word);
    try_program(words);
    try_example(words);
    return 0;
}
