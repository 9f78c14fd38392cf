// soak.cpp - lets the link live through disturbances for long and checks all the time that nothing happens that must
// never happen. Prints a table; ends with 1 when an invariant broke, and says how to repeat it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <set>
#include <string>

#include "fingerprint.hpp"
#include "scenarios.hpp"

namespace {

constexpr int exit_broken = 1;

struct Totals {
    std::uint64_t frames = 0;
    std::uint64_t faults = 0;
    std::set<std::string> kinds;
    int broken = 0;
    int skipped = 0;
};

void print(const soak::Scenario& scenario, const soak::Outcome& outcome, double seconds) {
    const char* const verdict = outcome.skipped ? "skipped" : outcome.broken.empty() ? "held" : "BROKEN";
    std::printf("%-31s %10llu %11llu  %-7s %6.1f s  %s\n", scenario.name.c_str(),
                static_cast<unsigned long long>(outcome.frames),
                static_cast<unsigned long long>(outcome.all_faults()), verdict, seconds,
                outcome.broken.empty() ? outcome.words.c_str() : outcome.broken.c_str());
    std::fflush(stdout);
}

void run(const soak::Scenario& scenario, soak::Effort effort, Totals& totals) {
    const auto start = std::chrono::steady_clock::now();
    effort.seed = soak::mix(effort.seed ^ soak::hash(scenario.name));  // each row has luck of its own
    soak::Outcome outcome;
    scenario.run(effort, outcome);
    print(scenario, outcome, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    totals.frames += outcome.frames;
    totals.faults += outcome.all_faults();
    for (const auto& [kind, count] : outcome.faults) totals.kinds.insert(kind);
    totals.broken += outcome.broken.empty() ? 0 : 1;
    totals.skipped += outcome.skipped ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
    soak::Effort effort;
    std::uint64_t frames = 200000;
    std::string only;
    CLI::App app("Soaks the link between SITL and a backend in disturbances");
    app.add_option("--frames", frames, "Frames in all, about")->capture_default_str();
    app.add_option("--seconds", effort.seconds, "For each scenario in real time")->capture_default_str();
    app.add_option("--kills", effort.kills, "How often each side is killed as a process")
        ->capture_default_str();
    app.add_option("--seed", effort.seed, "The same seed disturbs in the same way")->capture_default_str();
    app.add_option("--only", only, "Only the scenarios with this in their names");
    app.add_option("--tool", effort.tool, "The program ap_json, to be killed as well");
    app.add_option("--simple-rover", effort.simple_rover, "The program simpleRover, likewise");
    CLI11_PARSE(app, argc, argv);

    const auto scenarios = soak::scenarios();
    const auto share = std::count_if(scenarios.begin(), scenarios.end(),
                                     [](const soak::Scenario& each) { return each.counts_frames; });
    effort.frames = frames / static_cast<std::uint64_t>(share);
    std::printf("%-31s %10s %11s  %-7s %8s\n", "scenario", "frames", "faults", "outcome", "time");
    std::fflush(stdout);
    Totals totals;
    for (const auto& scenario : scenarios)
        if (scenario.name.find(only) != std::string::npos) run(scenario, effort, totals);
    std::printf("total: %llu frames, %llu faults of %zu kinds; %d broken, %d skipped; seed %llu\n",
                static_cast<unsigned long long>(totals.frames),
                static_cast<unsigned long long>(totals.faults), totals.kinds.size(), totals.broken,
                totals.skipped, static_cast<unsigned long long>(effort.seed));
    return totals.broken == 0 ? 0 : exit_broken;
}
