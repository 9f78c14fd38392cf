// replay_main.cpp - runs a fuzzer on the inputs of its corpus, once each: the fuzzers as ordinary tests, with any compiler.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz.hpp"

namespace {

void run(const std::vector<std::uint8_t>& bytes) { LLVMFuzzerTestOneInput(bytes.data(), bytes.size()); }

void run_file(const std::filesystem::path& path) {
    std::fprintf(stderr, "%s\n", path.string().c_str());  // the last one told is the one that fails
    std::ifstream file(path, std::ios::binary);
    run({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::filesystem::path> paths;
    for (int i = 1; i < argc; ++i) {
        if (!std::filesystem::is_directory(argv[i])) {
            paths.emplace_back(argv[i]);
            continue;
        }
        for (const auto& entry : std::filesystem::directory_iterator(argv[i])) paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    run({});
    for (const auto& path : paths) run_file(path);
    std::fprintf(stderr, "%zu inputs\n", paths.size());
    return paths.empty() ? 1 : 0;
}
