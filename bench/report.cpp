// report.cpp - see report.hpp.
#include "report.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace bench {

double ratio(const Row& row) { return row.baseline == 0 ? 0 : row.ours / row.baseline; }

bool meets(const Row& row) {
    if (row.target == 0) return true;
    return row.better == Better::lower ? ratio(row) <= row.target : ratio(row) >= row.target;
}

double quantile(std::vector<double>& values, double part) {
    std::sort(values.begin(), values.end());
    const auto index = static_cast<std::size_t>(part * static_cast<double>(values.size()));
    return values.empty() ? 0 : values[std::min(index, values.size() - 1)];
}

double median(std::vector<double>& values) { return quantile(values, 0.5); }

void print_table(const std::vector<Row>& rows) {
    std::printf("%-46s %-34s %10s %10s %-12s %7s %9s\n", "what", "baseline", "baseline", "ours", "unit",
                "ratio", "target");
    for (const Row& row : rows) {
        char target[32] = "-";
        if (row.target != 0) {
            std::snprintf(target, sizeof target, "%s %.4g",
                          row.better == Better::lower ? "<=" : ">=", row.target);
        }
        std::printf("%-46s %-34s %10.4g %10.4g %-12s %7.3f %9s %s\n", row.what.c_str(),
                    row.baseline_name.c_str(), row.baseline, row.ours, row.unit.c_str(), ratio(row), target,
                    row.target == 0 ? "" : (meets(row) ? "meets" : "falls short"));
    }
}

void print_json(const std::vector<Row>& rows) {
    nlohmann::json document = nlohmann::json::array();
    for (const Row& row : rows) {
        document.push_back({{"what", row.what},
                            {"baseline_name", row.baseline_name},
                            {"baseline", row.baseline},
                            {"ours", row.ours},
                            {"unit", row.unit},
                            {"ratio", ratio(row)},
                            {"better", row.better == Better::lower ? "lower" : "higher"},
                            {"target", row.target == 0 ? nlohmann::json() : nlohmann::json(row.target)},
                            {"meets", meets(row)}});
    }
    std::printf("%s\n", document.dump(1).c_str());
}

}  // namespace bench
