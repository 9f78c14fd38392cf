// main.cpp - runs the benchmarks and ends with one table.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <map>

#include "report.hpp"

int main(int argc, char** argv) {
    CLI::App app(
        "Measures ap_json against baselines in the same run, and ends with one table.\n"
        "Set AP_JSON_ARDUPILOT_BIN to a folder with ardurover to measure with the real SITL too.");
    bool json = false;
    std::vector<std::string> only;
    std::string shared_library;
    app.add_flag("--json", json, "Print the table for programs");
    app.add_option("--only", only, "Run only these: codec, round_trip, fleet, lightness, sitl")
        ->check(CLI::IsMember({"codec", "round_trip", "fleet", "lightness", "sitl"}));
    app.add_option("--shared-library", shared_library, "The shared library, for lightness");
    CLI11_PARSE(app, argc, argv);

    const std::vector<std::pair<std::string, std::function<std::vector<bench::Row>()>>> all = {
        {"codec", bench::measure_codec},
        {"round_trip", bench::measure_round_trip},
        {"fleet", bench::measure_fleet},
        {"lightness", [&] { return bench::measure_lightness(shared_library); }},
        {"sitl", bench::measure_sitl}};
    std::vector<bench::Row> rows;
    for (const auto& [name, measure] : all) {
        if (!only.empty() && std::find(only.begin(), only.end(), name) == only.end()) continue;
        for (auto& row : measure()) rows.push_back(std::move(row));
    }
    json ? bench::print_json(rows) : bench::print_table(rows);
    return 0;
}
