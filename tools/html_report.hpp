// html_report.hpp - a flight as one HTML page that needs nothing else: no network, no script, no file beside it. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "finding.hpp"
#include "flight.hpp"
#include "flight_series.hpp"

struct ReportHead {
    std::string title;
    std::string source;               // the recording's file
    std::string note;                 // of whoever recorded it; may be empty
    std::uint64_t skipped_lines = 0;  // of the file, that could not be read
    FlightClock clock = FlightClock::simulated;
};

/// All text in it may come from a stranger's file.
std::string make_html_report(const ReportHead& head, const FlightCounts& counts, const FlightSeries& series,
                             const std::vector<Finding>& findings);
