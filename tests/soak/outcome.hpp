// outcome.hpp - what a scenario did and whether it held.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace soak {

/// How much to do, and with what luck.
struct Effort {
    std::uint64_t frames = 20000;  // of each scenario whose clock is the soak's own
    double seconds = 1;            // of each one in real time
    int kills = 10;                // of either side
    std::uint64_t seed = 1;
    std::string tool;          // the program ap_json; empty = skip what needs it
    std::string simple_rover;  // the program simpleRover
};

struct Outcome {
    std::uint64_t frames = 0;                     // that SITL went on by
    std::map<std::string, std::uint64_t> faults;  // by kind
    std::string words;                            // what is worth knowing
    std::string broken;                           // empty = every invariant held
    bool skipped = false;                         // the words say why

    /// The first one that breaks is what counts.
    void expect(bool holds, const char* what) {
        if (!holds && broken.empty()) broken = what;
    }
    void expect(bool holds, const std::string& what) { expect(holds, what.c_str()); }

    void made(const std::string& kind, std::uint64_t count) {
        if (count > 0) faults[kind] += count;
    }

    [[nodiscard]] std::uint64_t all_faults() const {
        std::uint64_t sum = 0;
        for (const auto& [kind, count] : faults) sum += count;
        return sum;
    }
};

}  // namespace soak
