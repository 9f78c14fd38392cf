// sitl.cpp - how many times real time a simulation with the real ArduRover runs: simpleRover against the
// smallest possible backend and against SITL's own model. Needs AP_JSON_ARDUPILOT_BIN; the measuring itself
// is sitl_speed.py.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "report.hpp"

#if defined(_WIN32)

namespace bench {
std::vector<Row> measure_sitl() { return {}; }
}  // namespace bench

#else

namespace {

/// Simulated seconds per second of one run.
double speed(const std::string& arguments) {
    const std::string command = std::string("python3 ") + BENCH_SITL_SCRIPT + " " + arguments;
    double value = 0;
    if (FILE* pipe = popen(command.c_str(), "r")) {
        if (std::fscanf(pipe, "%lf", &value) != 1) value = 0;
        pclose(pipe);
    }
    return value;
}

struct Setting {
    std::string name;
    std::string arguments;
    std::vector<double> speeds;
};

}  // namespace

namespace bench {

std::vector<Row> measure_sitl() {
    if (std::getenv("AP_JSON_ARDUPILOT_BIN") == nullptr) {
        std::fprintf(stderr, "sitl: skipped, AP_JSON_ARDUPILOT_BIN is not set\n");
        return {};
    }
    const std::string rover = BENCH_SIMPLE_ROVER, bare = BENCH_BARE_BACKEND;
    std::vector<Setting> settings = {
        {"bare", "'" + bare + " block'", {}},
        {"ours", "'" + rover + "'", {}},
        {"bare, spinning", "--sitl-core 0 --core 1 '" + bare + " spin'", {}},
        {"ours, spinning", "--sitl-core 0 '" + rover + " --wait spin --core 1'", {}},
        {"bare, one core", "--sitl-core 0 --core 0 '" + bare + " block'", {}},
        {"ours, one core", "--sitl-core 0 '" + rover + " --core 0'", {}},
        {"built in", "--built-in", {}},
    };
    constexpr int rounds = 3;
    for (int round = 0; round < rounds; ++round) {
        for (Setting& setting : settings) {
            std::fprintf(stderr, "sitl: %s, round %d of %d\n", setting.name.c_str(), round + 1, rounds);
            setting.speeds.push_back(speed(setting.arguments));
        }
    }
    const auto of = [&](std::size_t i) { return median(settings[i].speeds); };
    const std::string unit = "x real time";
    return {
        {"simulation, blocking", "bare loop, blocking", of(0), of(1), unit, Better::higher, 0.97},
        {"simulation, spinning on its own core", "bare loop, the same way", of(2), of(3), unit,
         Better::higher, 0.97},
        {"simulation, one core with SITL", "bare loop, the same way", of(4), of(5), unit, Better::higher,
         0.97},
        {"simulation, spinning on its own core", "ours, blocking", of(1), of(3), unit, Better::higher, 1.5},
        {"simulation, one core with SITL", "ours, blocking", of(1), of(5), unit, Better::higher, 3},
        {"simulation, one core with SITL", "SITL's built-in model", of(6), of(5), unit, Better::higher, 0}};
}

}  // namespace bench

#endif
