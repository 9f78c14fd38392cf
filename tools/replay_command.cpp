// replay_command.cpp - options of `ap_json replay`, and how its result is shown.
#include "replay_command.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "exit_code.hpp"
#include "interrupt.hpp"
#include "number_text.hpp"
#include "replay.hpp"

namespace {

using Json = nlohmann::json;

struct Options {
    ReplayOptions replay;
    std::string to = "backend";
    std::vector<std::string> tolerances;
    int port = 9002;
    int instance = 0;
    bool json = false;
};

Json to_json(const Difference& difference) {
    Json document = {{"field", difference.field},
                     {"frame", difference.frame.number},
                     {"count", difference.frame.count},
                     {"time_s", difference.frame.time},
                     {"recorded", difference.recorded},
                     {"now", difference.now},
                     {"difference", difference.difference},
                     {"tolerance", difference.allowed},
                     {"unit", difference.unit}};
    if (!difference.problem.empty()) {
        document["problem"] = difference.problem;
        for (const char* number : {"recorded", "now", "difference", "tolerance"}) document[number] = nullptr;
    }
    return document;
}

void print_json(const Options& options, const ReplayResult& result) {
    const Comparison& comparison = result.comparison;
    Json fields = Json::array();
    for (const FieldResult& field : comparison.fields()) {
        fields.push_back({{"field", field.field},
                          {"compared", field.compared},
                          {"different", field.different},
                          {"largest", to_json(field.largest)}});
    }
    const Json document = {
        {"recording", options.replay.recording},
        {"to", options.to},
        {"complete", result.problem.empty() && !result.interrupted},
        {"problem", result.problem.empty() ? Json(nullptr) : Json(result.problem)},
        {"remark", result.remark.empty() ? Json(nullptr) : Json(result.remark)},
        {"frames", result.frames},
        {"compared", comparison.frames()},
        {"different", comparison.different_frames()},
        {"first_difference", comparison.first() ? to_json(*comparison.first()) : Json(nullptr)},
        {"fields", fields},
        {"resends", result.resends},
        {"extra_answers", result.extra},
        {"restarts", result.restarts},
        {"skipped_lines", result.skipped_lines},
        {"simulated_s", result.simulated},
        {"real_s", result.real}};
    std::cout << document.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
}

void print_first(const Difference& first) {
    std::printf("first difference: frame %llu (count %u), at %s s: %s",
                static_cast<unsigned long long>(first.frame.number), static_cast<unsigned>(first.frame.count),
                fixed_text(first.frame.time, 6).c_str(), first.field.c_str());
    if (!first.problem.empty()) {
        std::printf(": %s\n", first.problem.c_str());
        return;
    }
    std::printf("\n  recorded    %s %s\n  now         %s %s\n  difference  %s, where %s is allowed\n",
                exact_text(first.recorded).c_str(), first.unit.c_str(), exact_text(first.now).c_str(),
                first.unit.c_str(), short_text(first.difference).c_str(), short_text(first.allowed).c_str());
}

void print_fields(const std::vector<FieldResult>& fields) {
    if (fields.empty()) return;
    std::printf("\n%-20s %12s %-6s %9s %9s  %12s %12s  %s\n", "field", "largest", "", "time s", "frame",
                "recorded", "now", "different in");
    for (const FieldResult& field : fields) {
        const Difference& largest = field.largest;
        if (!largest.problem.empty()) {
            std::printf("%-20s %s; %llu frames\n", field.field.c_str(), largest.problem.c_str(),
                        static_cast<unsigned long long>(field.different));
            continue;
        }
        if (largest.difference == 0) {
            std::printf("%-20s %12s %s\n", field.field.c_str(), "0", largest.unit.c_str());
            continue;
        }
        std::printf("%-20s %12s %-6s %9s %9llu  %12s %12s  %llu of %llu frames\n", largest.field.c_str(),
                    short_text(largest.difference, 4).c_str(), largest.unit.c_str(),
                    fixed_text(largest.frame.time, 3).c_str(),
                    static_cast<unsigned long long>(largest.frame.number),
                    short_text(largest.recorded).c_str(), short_text(largest.now).c_str(),
                    static_cast<unsigned long long>(field.different),
                    static_cast<unsigned long long>(field.compared));
    }
}

void print_words(const ReplayResult& result) {
    const Comparison& comparison = result.comparison;
    if (result.frames == 0) return;
    if (comparison.first()) print_first(*comparison.first());
    print_fields(comparison.fields());
    std::printf(
        "\nframes played %llu in %.2f s (%.2f s simulated), compared %llu, different %llu; sent again %llu",
        static_cast<unsigned long long>(result.frames), result.real, result.simulated,
        static_cast<unsigned long long>(comparison.frames()),
        static_cast<unsigned long long>(comparison.different_frames()),
        static_cast<unsigned long long>(result.resends));
    if (result.restarts > 0) std::printf(", restarts %llu", static_cast<unsigned long long>(result.restarts));
    if (result.extra > 0)
        std::printf(", answers too many %llu", static_cast<unsigned long long>(result.extra));
    std::printf("\n%s\n", !result.problem.empty() || result.interrupted ? "ended early"
                          : comparison.first()                          ? "DIFFERENT"
                                                                        : "the same within the tolerances");
}

int run(Options& options) {
    for (const std::string& text : options.tolerances) {
        if (const std::string problem = options.replay.tolerances.set(text); !problem.empty()) {
            std::cerr << "error: " << problem << "\n";
            return exit_used_wrongly;
        }
    }
    ReplayOptions& replay = options.replay;
    const bool to_sitl = options.to == "sitl";
    const int port = options.port == 0 ? 0 : options.port + 10 * options.instance;
    if (!is_ipv4(replay.address.address) || port > 65535 || (port == 0 && !to_sitl)) {
        std::cerr << "error: \"" << replay.address.address << "\" port " << port
                  << " is no IPv4 address and port to play to\n";
        return exit_used_wrongly;
    }
    if (!(replay.speed >= 0) || !(replay.patience > 0) || replay.patience > 1e6) {
        std::cerr << "error: the speed has to be 0 or more, and the patience more than 0 s\n";
        return exit_used_wrongly;
    }
    replay.address.port = static_cast<std::uint16_t>(port);
    end_on_ctrl_c();
    const ReplayResult result = to_sitl ? replay_to_sitl(replay) : replay_to_backend(replay);
    if (options.json) {
        print_json(options, result);
    } else {
        print_words(result);
    }
    std::cout << std::flush;
    if (!result.remark.empty()) std::cerr << "note: " << result.remark << "\n";
    if (result.extra > 0 && !options.json)
        std::cerr << "note: the backend answers more than once to a packet; SITL reads what is too many one "
                     "frame late\n";
    if (result.interrupted) std::cerr << "interrupted\n";
    if (!result.problem.empty()) {
        std::cerr << "error: " << result.problem << "\n";
        return result.exit_code;
    }
    return result.comparison.first() ? exit_found : exit_ok;
}

void add_options(CLI::App& command, Options& options) {
    ReplayOptions& replay = options.replay;
    replay.address.address = "127.0.0.1";
    command.add_option("recording", replay.recording, "The recording, as `ap_json tap --record` writes it")
        ->required();
    command.add_option("--to", options.to, "Whom to play to: a physics backend, or a SITL")
        ->check(CLI::IsMember({"backend", "sitl"}))
        ->capture_default_str();
    command
        .add_option("--address", replay.address.address,
                    "IPv4 address of the backend; of a SITL: to listen on")
        ->capture_default_str();
    command
        .add_option("--port", options.port,
                    "UDP port of the backend; for a SITL: to listen on, 0 = any free one")
        ->check(CLI::Range(0, 65535))
        ->capture_default_str();
    command.add_option("--instance", options.instance, "SITL's instance: adds 10 x N to the port")
        ->check(CLI::Range(0, 6553))
        ->capture_default_str();
    command
        .add_option("--speed", replay.speed,
                    "Simulated seconds per real second; 0 = as fast as answers come. A SITL paces itself")
        ->capture_default_str();
    command.add_option(
        "--tolerance", options.tolerances,
        "What may differ: 1e-6 (relative, all fields), position=0.01 (in the field's unit), servo=2 (us)");
    command.add_option("--patience", replay.patience, "Seconds of silence after which it is given up")
        ->capture_default_str();
    command.add_flag("--repair", replay.repair,
                     "Pass over damaged lines of the recording instead of ending there");
    command.add_flag("--json", options.json, "Print the result as JSON");
    command.add_flag("--quiet", replay.quiet, "No progress on stderr");
}

}  // namespace

void add_replay_command(CLI::App& app, int& exit_code) {
    CLI::App* command = app.add_subcommand(
        "replay", "Plays a recorded flight to a backend or a SITL and compares the answers");
    auto options = std::make_shared<Options>();
    add_options(*command, *options);
    command->footer(
        R"(To a backend: the recorded servo packets, each when the one before is answered, as SITL does. The states that come
back are compared with the recorded ones: within 1e-6 of the value plus 1e-9, angles modulo a turn, quaternions up
to their sign. Fields have the names of the wire: timestamp, gyro, accel_body, position, velocity, attitude, ...
To a SITL: the recorded states; its servo outputs are compared, within 1 us.

Exit code: 0 the same, 1 different (or the recording is damaged), 2 used wrongly, or nobody there.

Example: the flight as a test of a vehicle model
  build/examples/simpleRover & ap_json replay drive.jsonl --speed 0 --tolerance position=0.01)");
    command->callback([options, &exit_code] { exit_code = run(*options); });
}
