// report_command.cpp - options of `ap_json report`: reads the recording once, and writes the page and the table.
#include "report_command.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "csv_export.hpp"
#include "doctor.hpp"
#include "examination.hpp"
#include "exit_code.hpp"
#include "finding.hpp"
#include "flight.hpp"
#include "flight_series.hpp"
#include "html_report.hpp"
#include "interrupt.hpp"
#include "output_file.hpp"
#include "progress.hpp"
#include "recording.hpp"

namespace {

struct Options {
    std::string recording;
    std::string html;
    std::string csv;
    std::string title;
    bool repair = false;
    bool json = false;
    bool quiet = false;
};

/// What one reading of the file gives.
struct Flight {
    FlightSeries series;
    FlightCounts counts;
    Doctor doctor;
    std::string note;
    std::uint64_t skipped = 0;
    FlightClock clock = FlightClock::simulated;
    std::string problem;  // empty when all is well
    int exit_code = exit_ok;
};

void take(Flight& flight, OutputFile* csv, const std::optional<FlightFrame>& frame) {
    if (!frame) return;
    flight.series.add(*frame);
    if (csv != nullptr) csv->write(csv_row(*frame));
}

/// @param csv  where the rows go; may be null
void read_flight(const Options& options, OutputFile* csv, Flight& flight) {
    RecordingReader reader(options.repair);
    flight.problem = reader.open(options.recording);
    if (!flight.problem.empty()) {
        flight.exit_code = exit_used_wrongly;
        return;
    }
    Progress progress("reading " + options.recording, options.quiet);
    FlightAssembler assembler(flight.clock);
    while (const auto record = reader.next()) {
        take(flight, csv, assembler.add(*record));
        examine(flight.doctor, *record);
        if (record->kind == Record::Kind::mark) flight.series.add_event(assembler.time(), record->bytes);
        progress.show(reader.progress());
        if (csv != nullptr && csv->failed()) break;  // finish() says why
        if (interrupted != 0) {
            flight.problem = "interrupted: nothing was written";
            flight.exit_code = exit_found;
            return;
        }
    }
    take(flight, csv, assembler.finish());
    flight.counts = assembler.counts();
    flight.note = reader.note();
    flight.skipped = reader.skipped();
    flight.problem = reader.problem();
    if (!flight.problem.empty()) flight.exit_code = exit_found;
}

std::string default_html_path(const std::string& recording) {
    return std::filesystem::path(recording).replace_extension(".html").string();
}

bool is_same_file(const std::string& a, const std::string& b) {
    std::error_code ignored;
    return a == b || std::filesystem::equivalent(a, b, ignored);
}

/// @return empty, or why these paths do not go together
std::string path_problem(const Options& options) {
    for (const std::string* path : {&options.html, &options.csv}) {
        if (!path->empty() && *path != "-" && is_same_file(*path, options.recording))
            return *path + " is the recording itself; choose another name";
    }
    if (!options.csv.empty() && is_same_file(options.html, options.csv))
        return "the page and the table cannot both go to " + options.csv;
    if (options.json && (options.html == "-" || options.csv == "-"))
        return "with --json the standard output is taken; write to files";
    return {};
}

void print_result(const Options& options, const Flight& flight, std::size_t findings) {
    const FlightCounts& counts = flight.counts;
    if (options.json) {
        const nlohmann::json result = {
            {"html", options.html},
            {"csv", options.csv.empty() ? nlohmann::json(nullptr) : nlohmann::json(options.csv)},
            {"frames", counts.frames},
            {"answered", counts.answered},
            {"simulated_s", counts.last_time - counts.first_time},
            {"real_s", static_cast<double>(counts.last_ns - counts.first_ns) / 1e9},
            {"repeated", counts.repeats},
            {"missed", counts.missed},
            {"restarts", counts.restarts},
            {"refused_lines", counts.refused},
            {"skipped_lines", flight.skipped},
            {"findings", findings}};
        std::cout << result.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
        return;
    }
    if (flight.skipped > 0) std::cerr << "left out " << flight.skipped << " damaged lines\n";
    if (options.html == "-" || options.csv == "-") return;
    std::cout << "wrote " << options.html;
    if (!options.csv.empty()) std::cout << " and " << options.csv;
    std::printf("%s: %llu frames, %llu answered, %.3f s simulated\n", "",
                static_cast<unsigned long long>(counts.frames),
                static_cast<unsigned long long>(counts.answered), counts.last_time - counts.first_time);
}

int fail(const std::string& problem, int exit_code) {
    std::cerr << "error: " << problem << "\n";
    return exit_code;
}

int run(Options& options) {
    end_on_ctrl_c();
    if (options.html.empty()) options.html = default_html_path(options.recording);
    if (const std::string problem = path_problem(options); !problem.empty())
        return fail(problem, exit_used_wrongly);
    if (std::string problem = RecordingReader().open(options.recording); !problem.empty())
        return fail(problem, exit_used_wrongly);  // before a file is begun
    OutputFile html;
    OutputFile csv;
    std::string problem = html.open(options.html);
    if (problem.empty() && !options.csv.empty()) problem = csv.open(options.csv);
    if (!problem.empty()) return fail(problem, exit_used_wrongly);

    const bool with_csv = !options.csv.empty();
    if (with_csv) csv.write(csv_header());
    auto flight = std::make_unique<Flight>();
    read_flight(options, with_csv ? &csv : nullptr, *flight);
    if (flight->problem.empty() && flight->counts.answered == 0 && flight->counts.frames > 0) {
        // No timestamps, so no simulated time: once more with the recorder's clock.
        flight = std::make_unique<Flight>();
        flight->clock = FlightClock::recording;
        read_flight(options, nullptr, *flight);
    }
    if (!flight->problem.empty()) return fail(flight->problem, flight->exit_code);

    const std::vector<Finding> findings = flight->doctor.conclude();

    ReportHead head;
    head.source = std::filesystem::path(options.recording).filename().string();
    head.title = options.title.empty() ? head.source : options.title;
    head.note = flight->note;
    head.skipped_lines = flight->skipped;
    head.clock = flight->clock;
    html.write(make_html_report(head, flight->counts, flight->series, findings));
    if (with_csv) problem = csv.finish();
    if (problem.empty()) problem = html.finish();
    if (!problem.empty()) return fail(problem, exit_used_wrongly);
    print_result(options, *flight, findings.size());
    return exit_ok;
}

}  // namespace

void add_report_command(CLI::App& app, int& exit_code) {
    CLI::App* command =
        app.add_subcommand("report", "Turns a recording into one HTML page with charts, and into a table");
    auto options = std::make_shared<Options>();
    command->add_option("recording", options->recording, "The recording, as `ap_json tap --record` writes it")
        ->required();
    command->add_option("-o,--output", options->html,
                        "The HTML file; - is standard output; default: beside the recording");
    command->add_option("--csv", options->csv,
                        "Also write a table: one row for each answered frame, for PlotJuggler and pandas");
    command->add_option("--title", options->title, "The page's title; default: the recording's name");
    command->add_flag("--repair", options->repair,
                      "Pass over damaged lines of the recording instead of ending there");
    command->add_flag("--json", options->json, "Print the result as JSON");
    command->add_flag("--quiet", options->quiet, "No progress on stderr");
    command->footer(
        R"(The page needs no network, works on a phone and in print, light and dark. Time is the backend's own; where
ArduPilot or the backend was started again it goes on from where it was. Exit code: 0 done, 1 the recording is
damaged (see --repair), 2 used wrongly.

Example:
  ap_json report flight.jsonl -o flight.html --csv flight.csv --title "First hover")");
    command->callback([options, &exit_code] { exit_code = run(*options); });
}
