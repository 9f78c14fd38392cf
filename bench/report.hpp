// report.hpp - what a benchmark reports: a figure of ours beside a baseline that was measured in the same
// run.
#pragma once

#include <string>
#include <vector>

namespace bench {

enum class Better { lower, higher };

struct Row {
    std::string what;
    std::string baseline_name;
    double baseline = 0;
    double ours = 0;
    std::string unit;
    Better better = Better::lower;
    double target = 0;  // the ratio ours / baseline that is asked for; 0 = none
};

/// Ours to baseline.
double ratio(const Row& row);
bool meets(const Row& row);

void print_table(const std::vector<Row>& rows);
void print_json(const std::vector<Row>& rows);

/// The middle one; sorts its argument.
double median(std::vector<double>& values);
/// The value below which this part (0 to 1) of all lies; sorts its argument.
double quantile(std::vector<double>& values, double part);

// The benchmarks. Each prints on stderr what it is doing.
std::vector<Row> measure_codec();
std::vector<Row> measure_round_trip();
std::vector<Row> measure_fleet();
std::vector<Row> measure_lightness(const std::string& shared_library);
std::vector<Row> measure_sitl();

}  // namespace bench
