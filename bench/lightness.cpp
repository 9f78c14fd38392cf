// lightness.cpp - what including and linking the library costs: compile time, size, exported symbols.
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "report.hpp"

namespace {

/// Seconds to compile a file with these contents; the file stands in the current folder for the moment.
double compile_time(const std::string& contents) {
    const char* const file = "bench_compile.cpp";
    std::ofstream(file) << contents << "\nint main() {}\n";
    const std::string command = std::string(BENCH_COMPILER) + " -std=c++17 -O2 -I" + BENCH_INCLUDE + " -I" +
                                BENCH_NLOHMANN + " -c " + file + " -o bench_compile.o";
    const auto start = std::chrono::steady_clock::now();
    if (std::system(command.c_str()) != 0) return 0;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::remove(file);
    std::remove("bench_compile.o");
    return seconds;
}

/// The number that a command prints.
double number_from(const std::string& command) {
    double number = 0;
#if !defined(_WIN32)
    if (FILE* pipe = popen(command.c_str(), "r")) {
        if (std::fscanf(pipe, "%lf", &number) != 1) number = 0;
        pclose(pipe);
    }
#endif
    return number;
}

}  // namespace

namespace bench {

std::vector<Row> measure_lightness(const std::string& shared_library) {
    std::fprintf(stderr, "lightness: compiling\n");
    std::vector<double> empty, ours, nlohmann;
    for (int round = 0; round < 7; ++round) {
        empty.push_back(compile_time(""));
        ours.push_back(compile_time("#include <ap_json/ap_json.hpp>"));
        nlohmann.push_back(compile_time("#include <nlohmann/json.hpp>"));
    }
    std::vector<Row> rows;
    rows.push_back({"compile ap_json.hpp, more than an empty file", "0.35 s", 0.35,
                    median(ours) - median(empty), "s", Better::lower, 1});
    rows.push_back(
        {"compile ap_json.hpp", "nlohmann/json.hpp", median(nlohmann), median(ours), "s", Better::lower, 0});
    const std::string strip =
        "cp %s bench_stripped && strip --strip-unneeded bench_stripped && stat -c %%s bench_stripped; rm -f "
        "bench_stripped";
    const auto stripped = [&](const std::string& file) {
        char command[2000];
        std::snprintf(command, sizeof command, strip.c_str(), file.c_str());
        return number_from(command) / 1024;
    };
    rows.push_back({"static library, stripped", "150 KiB", 150, stripped(BENCH_STATIC_LIBRARY), "KiB",
                    Better::lower, 1});
    if (!shared_library.empty()) {
        rows.push_back(
            {"shared library, stripped", "150 KiB", 150, stripped(shared_library), "KiB", Better::lower, 1});
        const std::string list = "nm -D --defined-only --demangle " + shared_library;
        const double all = number_from(list + " | wc -l");
        const double named = number_from(list + " | grep -c 'ap_json::'");
        rows.push_back({"exported symbols", "those of namespace ap_json", named, all, "", Better::lower, 1});
    }
    return rows;
}

}  // namespace bench
