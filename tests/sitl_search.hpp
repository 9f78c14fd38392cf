// sitl_search.hpp - what SITL's substring search finds in a line, written again from the protocol's
// description and independently of SitlReader, so that encoder and reader are checked against a third
// opinion. For well-formed lines: it does not care for SITL's behaviour at errors.
#pragma once

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace sitl_search {

struct Wanted {
    std::string section;
    std::string key;
    int numbers;  // 0 = a flag
};

inline const std::vector<Wanted>& wanted() {
    static const std::vector<Wanted> list = [] {
        std::vector<Wanted> all = {
            {"", "timestamp", 1},     {"imu", "gyro", 3},        {"imu", "accel_body", 3},
            {"", "position", 3},      {"", "attitude", 3},       {"", "quaternion", 4},
            {"", "velocity", 3},      {"", "velocity_wind", 3},  {"windvane", "direction", 1},
            {"windvane", "speed", 1}, {"", "airspeed", 1},       {"", "no_time_sync", 0},
            {"", "no_lockstep", 0},   {"battery", "voltage", 1}, {"battery", "current", 1},
            {"", "latitude", 1},      {"", "longitude", 1},      {"", "altitude", 1}};
        for (int i = 1; i <= 6; ++i) all.push_back({"", "rng_" + std::to_string(i), 1});
        for (int i = 1; i <= 12; ++i) all.push_back({"rc", "rc_" + std::to_string(i), 1});
        return all;
    }();
    return list;
}

/// Every key the search finds, as "section.key", with the numbers it reads there; a flag is 1 or 0.
inline std::map<std::string, std::vector<double>> search(const std::string& line) {
    std::map<std::string, std::vector<double>> found;
    for (const Wanted& w : wanted()) {
        const auto section = line.find(w.section);
        if (section == std::string::npos) continue;
        const auto key = line.find(w.key, section + w.section.size());
        if (key == std::string::npos) continue;
        const char* text = line.c_str() + key + w.key.size() + 2;
        std::vector<double> values;
        if (w.numbers == 0) values.push_back(std::string(text, 4) == "true" ? 1 : 0);
        for (int i = 0; i < w.numbers; ++i) {
            while (*text != '\0' && std::string("-0123456789").find(*text) == std::string::npos) ++text;
            char* end = nullptr;
            values.push_back(std::strtod(text, &end));
            text = end;
        }
        found[w.section.empty() ? w.key : w.section + "." + w.key] = values;
    }
    return found;
}

}  // namespace sitl_search
