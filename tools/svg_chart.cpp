// svg_chart.cpp - see svg_chart.hpp.
#include "svg_chart.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "number_text.hpp"

namespace {

constexpr double largest_drawn = 1e30;  // what is beyond is drawn there, so that no difference overflows
constexpr double canvas = 1000;         // both sides of the stretched drawing

struct Range {
    double low = 0;
    double high = 1;

    /// Share of the range, 0 to 1 within it.
    [[nodiscard]] double share(double value) const { return (value - low) / (high - low); }
};

double drawable(double value) { return std::clamp(value, -largest_drawn, largest_drawn); }

std::string percent(double share) { return fixed_text(100 * std::clamp(share, -0.1, 1.1), 2) + "%"; }

/// Grows a range to what lies in it.
class RangeFinder {
  public:
    void take(double value) {
        if (!std::isfinite(value)) return;
        value = drawable(value);
        range_.low = any_ ? std::min(range_.low, value) : value;
        range_.high = any_ ? std::max(range_.high, value) : value;
        any_ = true;
    }
    [[nodiscard]] bool any() const { return any_; }
    [[nodiscard]] Range range() const { return range_; }

  private:
    bool any_ = false;
    Range range_{0, 0};
};

/// Never empty, even when all values are the same.
Range widened(Range range, double smallest_span) {
    const double largest = std::max(std::fabs(range.low), std::fabs(range.high));
    const double span = std::max({range.high - range.low, smallest_span, largest * 1e-9, 1e-12});
    const double middle = range.low / 2 + range.high / 2;
    return {middle - span / 2, middle + span / 2};
}

Range x_range(const Chart& chart) {
    const double begin = std::isfinite(chart.x_begin) ? drawable(chart.x_begin) : 0;
    const double end = std::isfinite(chart.x_end) ? drawable(chart.x_end) : begin;
    if (end > begin && begin >= 0 && begin < 0.02 * end)
        return {0, end};  // the first step is no reason to skip 0
    if (end > begin) return {begin, std::max(end, begin + std::fabs(begin) * 1e-9)};
    return widened({begin, begin}, 1);
}

double scaled(const Chart& chart, double y) { return chart.logarithmic ? std::log10(y) : drawable(y); }

bool is_drawn(const Chart& chart, double y) { return std::isfinite(y) && (!chart.logarithmic || y > 0); }

/// Of y as it is drawn: of a logarithmic chart, of the exponents.
Range y_range(const Chart& chart) {
    RangeFinder finder;
    const auto take = [&](const std::vector<Point>& points) {
        for (const Point& point : points) {
            if (is_drawn(chart, point.y)) finder.take(scaled(chart, point.y));
        }
    };
    for (const ChartLine& line : chart.lines) {
        for (const auto& piece : line.pieces) take(piece);
    }
    for (const ChartBand& band : chart.bands) {
        take(band.lower);
        take(band.upper);
    }
    if (chart.logarithmic) {
        const Range found = finder.any() ? finder.range() : Range{0, 1};
        const double low = std::floor(found.low);
        return {low, std::max(std::ceil(found.high), low + 1)};
    }
    if (chart.from_zero) finder.take(0);
    const Range range = widened(finder.range(), chart.smallest_span);
    const double margin = 0.06 * (range.high - range.low);
    if (chart.from_zero) return {0, std::max(range.high, finder.range().high) + margin};
    return {range.low - margin, range.high + margin};
}

Ticks y_ticks(const Chart& chart, const Range& range) {
    if (!chart.logarithmic) return round_ticks(range.low, range.high, 5, chart.unit == "deg");
    Ticks ticks;
    const int every = 1 + static_cast<int>((range.high - range.low) / 6);
    for (double exponent = range.low; exponent <= range.high && ticks.values.size() < 20; exponent += every) {
        ticks.values.push_back(exponent);
        ticks.labels.push_back(short_text(std::pow(10.0, exponent)));
    }
    return ticks;
}

/// The corners of a line on the canvas; those that would not be seen to differ are left out.
class Corners {
  public:
    void add(double x_share, double y_share) {
        const double x_number = std::clamp(x_share, 0.0, 1.0) * canvas;
        const std::string x = fixed_text(x_number, 1);
        const std::string y = fixed_text((1 - std::clamp(y_share, 0.0, 1.0)) * canvas, 1);
        if (count_ > 0 && x == x_ && y == y_) return;
        const bool onwards = (x_number >= x_number_) == (x_number_ >= x_before_);
        if (count_ > 1 && onwards && y == y_ &&
            y == y_before_) {  // on a level: the one in between is not needed
            text_.resize(end_before_);
        } else {
            x_before_ = x_number_;
        }
        end_before_ = text_.size();
        y_before_ = y_;
        x_ = x;
        x_number_ = x_number;
        y_ = y;
        text_ += (text_.empty() ? "" : " ") + x + "," + y;
        ++count_;
    }
    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] int count() const { return count_; }

  private:
    std::string text_, x_, y_, y_before_;
    double x_number_ = 0, x_before_ = 0;
    std::size_t end_before_ = 0;
    int count_ = 0;
};

std::string draw_piece(const Corners& corners, int colour) {
    if (corners.count() == 0) return {};
    const std::string style = "\" class=\"line c" + std::to_string(std::clamp(colour, 1, 4)) + "\"/>\n";
    if (corners.count() > 1) return "<polyline points=\"" + corners.text() + style;
    // A single value: a line without length, which round ends make a dot.
    return "<polyline points=\"" + corners.text() + " " + corners.text() + style;
}

std::string draw_lines(const Chart& chart, const Range& x, const Range& y) {
    std::string text;
    for (const ChartBand& band : chart.bands) {
        Corners corners;
        const std::size_t size = std::min(band.lower.size(), band.upper.size());
        const auto add = [&](const Point& point) {
            if (is_drawn(chart, point.y) && std::isfinite(point.x))
                corners.add(x.share(point.x), y.share(scaled(chart, point.y)));
        };
        for (std::size_t i = 0; i < size; ++i) add(band.upper[i]);
        for (std::size_t i = size; i-- > 0;) add(band.lower[i]);
        if (corners.count() > 2) text += "<polygon points=\"" + corners.text() + "\" class=\"band\"/>\n";
    }
    for (const ChartLine& line : chart.lines) {
        for (const auto& piece : line.pieces) {
            Corners corners;
            for (const Point& point : piece) {
                if (is_drawn(chart, point.y) && std::isfinite(point.x))
                    corners.add(x.share(drawable(point.x)), y.share(scaled(chart, point.y)));
            }
            text += draw_piece(corners, line.colour);
        }
    }
    return text;
}

std::string stretched(const std::string& drawing) {
    return "<svg class=\"lines\" width=\"100%\" height=\"100%\" viewBox=\"0 0 1000 1000\" "
           "preserveAspectRatio=\"none\">\n" +
           drawing + "</svg>\n";
}

std::string draw_grid(const Range& x, const Ticks& x_ticks, const Range& y, const Ticks& y_ticks) {
    std::string text;
    for (std::size_t i = 0; i < y_ticks.values.size(); ++i) {
        const std::string at = percent(1 - y.share(y_ticks.values[i]));
        const bool zero = y_ticks.labels[i] == "0";
        text += "<line class=\"" + std::string(zero ? "zero" : "grid") + "\" x1=\"0\" x2=\"100%\" y1=\"" +
                at + "\" y2=\"" + at + "\"/><text class=\"y\" x=\"-8\" dy=\"0.35em\" y=\"" + at + "\">" +
                y_ticks.labels[i] + "</text>\n";
    }
    for (std::size_t i = 0; i < x_ticks.values.size(); ++i) {
        const std::string at = percent(x.share(x_ticks.values[i]));
        text += "<line class=\"grid\" y1=\"0\" y2=\"100%\" x1=\"" + at + "\" x2=\"" + at +
                "\"/><text class=\"x" + std::string(i % 2 == 1 ? " odd" : "") +
                "\" y=\"100%\" dy=\"1.35em\" x=\"" + at + "\">" + x_ticks.labels[i] + "</text>\n";
    }
    return text;
}

std::string draw_mark(const ChartMark& mark, const Range& x, const std::string& label) {
    const std::string at = percent(x.share(drawable(mark.x)));
    std::string text = std::string("<g class=\"") + (mark.is_finding ? "mark" : "event") +
                       "\"><line y1=\"0\" y2=\"100%\" x1=\"" + at + "\" x2=\"" + at + "\"/>";
    if (!label.empty()) text += "<text y=\"-5\" x=\"" + at + "\">" + escape_html(label) + "</text>";
    return text + "</g>\n";
}

/// Those that are too near to each other for labels of their own share one.
std::string draw_marks(std::vector<ChartMark> marks, const Range& x) {
    constexpr double nearest = 0.02;  // share of the width
    const auto is_outside = [&](const ChartMark& mark) {
        return !std::isfinite(mark.x) || x.share(drawable(mark.x)) < 0 || x.share(drawable(mark.x)) > 1;
    };
    marks.erase(std::remove_if(marks.begin(), marks.end(), is_outside), marks.end());
    std::stable_sort(marks.begin(), marks.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
    std::string text;
    for (std::size_t begin = 0; begin < marks.size();) {
        std::size_t end = begin + 1;
        while (end < marks.size() && x.share(marks[end].x) - x.share(marks[begin].x) < nearest) ++end;
        const ChartMark& first = marks[begin];
        std::string label = first.label;
        if (end - begin == 2) label += " " + marks[end - 1].label;
        if (end - begin > 2) label += "\xe2\x80\xa6" + marks[end - 1].label;
        text += draw_mark(first, x, label);
        for (std::size_t i = begin + 1; i < end; ++i) text += draw_mark(marks[i], x, "");
        begin = end;
    }
    return text;
}

/// What a line does, for those who cannot see it.
std::string described(const std::string& name, const std::vector<std::vector<Point>>& pieces,
                      const std::string& unit) {
    RangeFinder finder;
    for (const auto& piece : pieces) {
        for (const Point& point : piece) finder.take(point.y);
    }
    if (!finder.any()) return {};
    return name + " from " + short_text(finder.range().low, 4) + " to " + short_text(finder.range().high, 4) +
           " " + unit + ". ";
}

std::string caption(const Chart& chart) {
    std::string text = "<figcaption><h3>" + escape_html(chart.title) + "</h3><span class=\"unit\">" +
                       escape_html(chart.unit) + "</span>";
    const bool needs_legend = chart.lines.size() + chart.bands.size() > 1;
    if (needs_legend) {
        text += "<span class=\"legend\">";
        for (const ChartLine& line : chart.lines) {
            text += "<span><svg class=\"key\" viewBox=\"0 0 22 8\"><line class=\"line c" +
                    std::to_string(std::clamp(line.colour, 1, 4)) +
                    "\" x1=\"1\" x2=\"21\" y1=\"4\" y2=\"4\"/></svg>" + escape_html(line.name) + "</span>";
        }
        for (const ChartBand& band : chart.bands) {
            text +=
                "<span><svg class=\"key\" viewBox=\"0 0 22 8\"><rect class=\"band\" width=\"22\" "
                "height=\"8\"/>"
                "</svg>" +
                escape_html(band.name) + "</span>";
        }
        text += "</span>";
    }
    if (!chart.note.empty()) text += "<p>" + escape_html(chart.note) + "</p>";
    return text + "</figcaption>\n";
}

Range track_range(double low, double high, double span) {
    const double middle = low / 2 + high / 2;
    return {middle - span / 2, middle + span / 2};
}

}  // namespace

Ticks round_ticks(double low, double high, int about, bool degrees) {
    Ticks ticks;
    if (!(high > low) || !std::isfinite(low) || !std::isfinite(high) || about < 1) return ticks;
    const double rough = high / about - low / about;
    const double magnitude = std::pow(10.0, std::floor(std::log10(rough)));
    if (!(magnitude > 0) || !std::isfinite(magnitude)) return ticks;
    const double ratio = rough / magnitude;
    double step = magnitude * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10);
    if (degrees && rough > 12 && rough < 180) step = rough < 22 ? 15 : rough < 37 ? 30 : rough < 67 ? 45 : 90;
    const int decimals = static_cast<int>(std::clamp(-std::floor(std::log10(step) + 1e-9), 0.0, 9.0));
    const bool plain = std::max(std::fabs(low), std::fabs(high)) < 1e7 && step >= 1e-6;
    const double first = std::ceil(low / step - 1e-9);
    for (int i = 0; i <= 4 * about; ++i) {
        const double value = (first + i) * step;
        if (value > high + 1e-9 * step) break;
        ticks.values.push_back(std::fabs(value) < 1e-9 * step ? 0 : value);
        const double label = ticks.values.back();
        ticks.labels.push_back(label == 0 ? "0" : plain ? fixed_text(label, decimals) : short_text(label));
    }
    return ticks;
}

std::string draw_chart(const Chart& chart) {
    const Range x = x_range(chart);
    const Range y = y_range(chart);
    std::string words = chart.title + ", " + chart.unit + ". ";
    for (const ChartLine& line : chart.lines) words += described(line.name, line.pieces, chart.unit);
    return "<figure class=\"chart\">\n" + caption(chart) +
           "<div class=\"plot\"><svg width=\"100%\" height=\"100%\" role=\"img\" aria-label=\"" +
           escape_html(words) + "\" data-x0=\"" + exact_text(x.low) + "\" data-x1=\"" + exact_text(x.high) +
           "\" data-y0=\"" + exact_text(y.low) + "\" data-y1=\"" + exact_text(y.high) + "\" data-log=\"" +
           (chart.logarithmic ? "1" : "0") + "\">\n" +
           draw_grid(x, round_ticks(x.low, x.high, chart.x_ticks), y, y_ticks(chart, y)) +
           stretched(draw_lines(chart, x, y)) + draw_marks(chart.marks, x) +
           "</svg></div>\n<p class=\"axis\">" + escape_html(chart.x_label) + "</p>\n</figure>\n";
}

std::string draw_track(const TrackChart& chart) {
    RangeFinder east, north;
    for (const auto& piece : chart.pieces) {
        for (const Point& point : piece) {
            east.take(point.x);
            north.take(point.y);
        }
    }
    const Range found_east = east.range(), found_north = north.range();
    const double span = 1.12 * std::max({found_east.high - found_east.low, found_north.high - found_north.low,
                                         chart.smallest_span, 1e-9 * std::fabs(found_east.high),
                                         1e-9 * std::fabs(found_north.high), 1e-9});
    const Range x = track_range(found_east.low, found_east.high, span);
    const Range y = track_range(found_north.low, found_north.high, span);
    std::string lines;
    for (const auto& piece : chart.pieces) {
        Corners corners;
        for (const Point& point : piece) {
            if (std::isfinite(point.x) && std::isfinite(point.y))
                corners.add(x.share(drawable(point.x)), y.share(drawable(point.y)));
        }
        lines += draw_piece(corners, 1);
    }
    std::string places;
    const auto place = [&](const Point& point, const std::string& element) {
        return "<svg class=\"place\" x=\"" + percent(x.share(point.x)) + "\" y=\"" +
               percent(1 - y.share(point.y)) + "\">" + element + "</svg>\n";
    };
    if (!chart.pieces.empty() && !chart.pieces.front().empty() && !chart.pieces.back().empty()) {
        places += place(chart.pieces.front().front(), "<circle class=\"start\" r=\"6\"/>");
        places += place(chart.pieces.back().back(),
                        "<rect class=\"end\" x=\"-5\" y=\"-5\" width=\"10\" height=\"10\"/>");
    }
    for (std::size_t i = 0; i < chart.dots.size() && i < chart.dot_labels.size(); ++i) {
        if (!std::isfinite(chart.dots[i].x) || !std::isfinite(chart.dots[i].y)) continue;
        places += place(chart.dots[i], "<g class=\"mark\"><circle r=\"4\"/><text x=\"7\" y=\"-6\">" +
                                           escape_html(chart.dot_labels[i]) + "</text></g>");
    }
    const Ticks x_ticks = round_ticks(x.low, x.high, 5);
    const Ticks y_ticks = round_ticks(y.low, y.high, 5);
    return "<figure class=\"track\">\n<figcaption><h3>" + escape_html(chart.title) +
           "</h3><span class=\"unit\">m north</span><span class=\"legend\"><span><svg class=\"key\" "
           "viewBox=\"0 0 22 "
           "12\"><circle class=\"start\" cx=\"11\" cy=\"6\" r=\"5\"/></svg>start</span><span><svg "
           "class=\"key\" "
           "viewBox=\"0 0 22 12\"><rect class=\"end\" x=\"6\" y=\"1\" width=\"10\" "
           "height=\"10\"/></svg>end</span>"
           "</span></figcaption>\n<div class=\"plot square\"><svg width=\"100%\" height=\"100%\" "
           "role=\"img\" "
           "aria-label=\"" +
           escape_html(chart.title) + ", " + short_text(found_north.high - found_north.low, 4) +
           " m north to south, " + short_text(found_east.high - found_east.low, 4) + " m east to west.\">\n" +
           draw_grid(x, x_ticks, y, y_ticks) + stretched(lines) + places +
           "</svg></div>\n<p class=\"axis\">m east</p>\n</figure>\n";
}
