// public_headers_test.cpp - what users include: each header says what it is for and brings in the standard library
// and its own kind only. Linked with every header in a source file of its own; see public_headers.cmake.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

// What may be included beside the standard library and the project, and where.
const std::map<std::string, std::set<std::string>> opt_ins = {
    {"ap_json/nlohmann.hpp", {"nlohmann/json.hpp"}},
    {"ap_json/libAP_JSON.h", {"unistd.h"}},  // the programs that use it rely on it
};

struct Header {
    std::string name;  // from the folder include/ on
    std::vector<std::string> lines;
};

std::vector<Header> public_headers() {
    std::vector<Header> headers;
    const fs::path folder = INCLUDE_FOLDER;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (!entry.is_regular_file()) continue;
        headers.push_back({entry.path().lexically_relative(folder).generic_string(), {}});
        std::ifstream file(entry.path());
        for (std::string line; std::getline(file, line);) {
            if (!line.empty() && line.back() == '\r') line.pop_back();
            headers.back().lines.push_back(line);
        }
    }
    return headers;
}

/// What the line includes, without the brackets or quotes; empty when it includes nothing.
std::string included(const std::string& line) {
    const std::string directive = "#include ";
    if (line.compare(0, directive.size(), directive) != 0) return {};
    const std::size_t begin = directive.size() + 1;
    return line.substr(begin, line.find_first_of(">\"", begin) - begin);
}

TEST(PublicHeaders, SayWhatTheyAreForAndCanBeIncludedTwice) {
    const auto headers = public_headers();
    ASSERT_GE(headers.size(), 20U);
    for (const auto& header : headers) {
        ASSERT_FALSE(header.lines.empty()) << header.name;
        EXPECT_THAT(header.lines.front(),
                    testing::StartsWith("// " + fs::path(header.name).filename().string() + " - "));
        const bool is_header = fs::path(header.name).extension() != ".cpp";
        EXPECT_EQ(testing::Value(header.lines, testing::Contains("#pragma once")), is_header) << header.name;
    }
}

TEST(PublicHeaders, IncludeTheStandardLibraryAndEachOtherOnly) {
    const fs::path folder = INCLUDE_FOLDER;
    int seen = 0;
    for (const auto& header : public_headers()) {
        const auto opt_in = opt_ins.find(header.name);
        for (const auto& line : header.lines) {
            const std::string name = included(line);
            if (name.empty() || (opt_in != opt_ins.end() && opt_in->second.count(name) != 0)) continue;
            ++seen;
            const bool standard = name.find_first_of("./") == std::string::npos;
            const bool ours =
                fs::exists(folder / name) || fs::exists((folder / header.name).parent_path() / name);
            EXPECT_TRUE(standard || ours) << header.name << " includes " << name;
        }
    }
    EXPECT_GE(seen, 50) << "the lines are not recognised";
}

}  // namespace
