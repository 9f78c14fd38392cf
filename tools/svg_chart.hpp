// svg_chart.hpp - draws charts as SVG inside of HTML, for any width: lines are stretched to the width of the page, text
// and marks are placed by percentages and keep their size. Colours come from the style sheet of the page. Pure.
#pragma once

#include <string>
#include <vector>

#include "series.hpp"

/// A line of a chart.
struct ChartLine {
    std::string name;                        // for the legend and those who cannot see
    int colour = 1;                          // 1 to 4: the class "c1" and so on
    std::vector<std::vector<Point>> pieces;  // x must not fall in charts over time
};

/// The space between a lower and an upper line.
struct ChartBand {
    std::string name;
    std::vector<Point> lower, upper;  // of the same length and x
};

/// A moment worth a vertical line.
struct ChartMark {
    double x = 0;
    std::string label;  // short: "1"
    bool is_finding = true;
};

struct Chart {
    std::string title;
    std::string unit;
    std::string note;  // a sentence below the title; may be empty
    std::vector<ChartLine> lines;
    std::vector<ChartBand> bands;
    std::vector<ChartMark> marks;
    double x_begin = 0;
    double x_end = 1;
    std::string x_label;
    int x_ticks = 10;          // about
    double smallest_span = 0;  // of y: what is smaller is noise and stays flat
    bool from_zero = false;    // y begins at 0
    bool logarithmic = false;  // y; what is not positive is left out
};

/// A <figure> with title, unit, legend, axes, marks and lines.
std::string draw_chart(const Chart& chart);

/// The ground track: north upwards, both axes of one scale.
struct TrackChart {
    std::string title;
    std::vector<std::vector<Point>> pieces;  // x east, y north, in m
    std::vector<Point> dots;                 // where the findings were
    std::vector<std::string> dot_labels;
    double smallest_span = 1;  // m
};
std::string draw_track(const TrackChart& chart);

/// Round numbers within a range, about so many of them, and how to write them.
struct Ticks {
    std::vector<double> values;
    std::vector<std::string> labels;
};
/// @param degrees  parts of a turn are round: 15, 30, 45, 90
Ticks round_ticks(double low, double high, int about, bool degrees = false);
