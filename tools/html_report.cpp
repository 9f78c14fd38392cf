// html_report.cpp - see html_report.hpp. The order on the page: what flight this was and how the link did, what is wrong,
// where it went, how it moved, what the servos were told, how the link did over time.
#include "html_report.hpp"

#include <algorithm>
#include <ap_json/version.hpp>
#include <cmath>
#include <ctime>
#include <utility>

#include "html_style.hpp"
#include "number_text.hpp"
#include "svg_chart.hpp"

namespace {

constexpr std::size_t most_marks = 40;  // on a chart
constexpr std::size_t most_findings_shown = 200;
constexpr std::size_t lines_per_chart = 4;  // as many as there are colours

std::string utc(std::int64_t wall_ns) {
    const auto seconds = static_cast<std::time_t>(wall_ns / 1000000000);
    const std::tm* parts = std::gmtime(&seconds);
    if (parts == nullptr || wall_ns <= 0) return "unknown";
    char text[64];
    const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", parts);
    return {text, length};
}

std::string duration(double seconds) {
    if (seconds < 120) return fixed_text(seconds, seconds < 10 ? 2 : 1) + " s";
    const auto whole = static_cast<long long>(std::llround(std::min(seconds, 1e15)));
    if (whole < 7200) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
    return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

/// With a unit that suits it.
std::string answer_time(double seconds) {
    if (seconds < 1e-3) return short_text(seconds * 1e6, 3) + " us";
    if (seconds < 1) return short_text(seconds * 1e3, 3) + " ms";
    return short_text(seconds, 3) + " s";
}

/// 12345678 as 12 345 678, with narrow spaces.
std::string grouped(std::uint64_t number) {
    std::string text = std::to_string(number);
    for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, "\xe2\x80\xaf");
    return text;
}

std::string joined(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
    return text;
}

/// "A" to "Z", then "A2" and so on.
std::string letter(std::size_t index) {
    const std::string name(1, static_cast<char>('A' + index % 26));
    return index < 26 ? name : name + std::to_string(index / 26 + 1);
}

class Page {
  public:
    Page(const ReportHead& head, const FlightCounts& counts, const FlightSeries& series,
         const std::vector<Finding>& findings)
        : head_(head), counts_(counts), series_(series), findings_(findings) {}

    std::string make() {
        find_marks();
        begin();
        summary();
        findings_section();
        events();
        place_section();
        motion_section();
        servos_section();
        link_section();
        end();
        return std::move(text_);
    }

  private:
    void find_marks();
    void begin();
    void summary();
    void losses();
    void findings_section();
    void one_finding(std::size_t index);
    void events();
    void place_section();
    void motion_section();
    void servos_section();
    void link_section();
    void answer_chart(const std::vector<LinkSeries::Bucket>& buckets);
    void rate_chart(const std::vector<LinkSeries::Bucket>& buckets);
    void loss_chart(const std::vector<LinkSeries::Bucket>& buckets);
    void end();

    void tile(const std::string& name, const std::string& value, const std::string& more = "",
              const std::string& look = "");
    [[nodiscard]] Chart chart(const std::string& title, const std::string& unit, double smallest_span) const;
    void triple(const std::string& title, const std::string& unit, double smallest_span,
                const FlightSeries::Triple& series, const std::vector<std::string>& names,
                const std::string& note);
    [[nodiscard]] double real_seconds() const {
        return static_cast<double>(counts_.last_ns - counts_.first_ns) / 1e9;
    }
    [[nodiscard]] bool has_states() const { return !series_.height.empty() || !series_.velocity[0].empty(); }
    [[nodiscard]] const char* clock_name() const {
        return head_.clock == FlightClock::simulated ? "simulated time, s"
                                                     : "time since the recording began, s";
    }

    const ReportHead& head_;
    const FlightCounts& counts_;
    const FlightSeries& series_;
    const std::vector<Finding>& findings_;
    std::vector<ChartMark> marks_;
    std::string text_;
};

void Page::find_marks() {
    for (std::size_t i = 0; i < findings_.size() && i < most_marks; ++i)
        marks_.push_back({series_.moment(findings_[i].first_ns).time, std::to_string(i + 1), true});
    for (std::size_t i = 0; i < series_.events.size() && i < most_marks; ++i)
        marks_.push_back({series_.events[i].time, letter(i), false});
}

void Page::begin() {
    text_ +=
        "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n"
        "<meta charset=\"utf-8\"/>\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
        "<meta name=\"generator\" content=\"ap_json " AP_JSON_VERSION
        "\"/>\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'; "
        "script-src 'unsafe-inline'\"/>\n<title>" +
        escape_html(head_.title) + "</title>\n<style>" + report_style +
        "</style>\n</head>\n<body>\n<main>\n" + "<h1>" + escape_html(head_.title) +
        "</h1>\n<p class=\"lead\">" + escape_html(utc(counts_.first_wall_ns)) + ", from " +
        escape_html(head_.source) + "</p>\n";
    if (!head_.note.empty()) text_ += "<p class=\"note\">" + escape_html(head_.note) + "</p>\n";
}

void Page::tile(const std::string& name, const std::string& value, const std::string& more,
                const std::string& look) {
    text_ += "<div class=\"tile" + (look.empty() ? "" : " " + look) + "\"><dt>" + escape_html(name) +
             "</dt><dd>" + escape_html(value) +
             (more.empty() ? "" : "<small>" + escape_html(more) + "</small>") + "</dd></div>\n";
}

void Page::summary() {
    const double simulated = counts_.last_time - counts_.first_time;
    const double real = real_seconds();
    const LinkSeries::Bucket link = series_.link.whole();
    text_ += "<dl class=\"tiles\">\n";
    if (counts_.answered > 0)
        tile("Simulated time", duration(simulated), "in " + duration(real) + " of real time");
    if (counts_.answered == 0) tile("Real time", duration(real));
    if (counts_.answered > 1 && real > 0)
        tile("Speed", short_text(simulated / real, 3) + " \xc3\x97", "real time");
    tile("Frames", grouped(counts_.frames), grouped(counts_.answered) + " answered");
    if (counts_.answered > 1 && simulated > 0)
        tile("Physics rate", short_text(static_cast<double>(counts_.answered - 1) / simulated, 4) + " Hz",
             "frames per simulated second");
    if (link.frames > 1 && link.frames_per_second > 0)
        tile("Link rate", short_text(link.frames_per_second, 4) + " Hz", "frames per real second");
    if (link.answered > 0) {
        tile("Answer time", answer_time(link.median),
             answer_time(link.quickest) + " to " + answer_time(link.slowest));
    }
    if (!counts_.sitl_peers.empty()) tile("ArduPilot SITL at", joined(counts_.sitl_peers), "", "text");
    if (!counts_.backend_peers.empty()) tile("Backend at", joined(counts_.backend_peers), "", "text");
    losses();
}

/// What was lost, repeated and refused, the last tiles of the summary; or that nothing was.
void Page::losses() {
    std::vector<std::pair<std::uint64_t, const char*>> all = {
        {counts_.missed, "Frames missing"},
        {counts_.repeats, "Repeated by SITL"},
        {counts_.restarts, "Restarts of ArduPilot"},
        {counts_.refused, "Lines SITL refuses"},
        {counts_.fatal, "Lines that end SITL"},
        {counts_.extra, "Answers too many"},
        {counts_.time_went_back, "Backend's time went back"},
        {counts_.time_stood, "Steps without time"},
        {counts_.time_jumped, "Backend's time jumped"},
        {counts_.stale, "Packets out of order"},
        {counts_.not_servo, "No servo packets"},
        {head_.skipped_lines, "Damaged lines left out"},
    };
    for (const auto& [fate, times] : counts_.fates) {
        if (fate == "lost")
            all.emplace_back(times, "Lost on purpose");
        else
            all.emplace_back(times, "Disturbed on purpose");
    }
    bool any = false;
    for (const auto& [times, what] : all) {
        if (times > 0) tile(what, grouped(times), "", "bad");
        any = any || times > 0;
    }
    text_ += "</dl>\n";
    if (!any && counts_.frames > 0)
        text_ += "<p class=\"verdict good\">Nothing was lost, repeated, refused or restarted.</p>\n";
}

void Page::findings_section() {
    if (findings_.empty()) return;
    text_ += "<h2>What is wrong</h2>\n";
    for (std::size_t i = 0; i < findings_.size() && i < most_findings_shown; ++i) one_finding(i);
    if (findings_.size() > most_findings_shown)
        text_ += "<p>and " + grouped(findings_.size() - most_findings_shown) + " more</p>\n";
}

void Page::one_finding(std::size_t index) {
    const Finding& finding = findings_[index];
    text_ += "<div class=\"finding\" id=\"finding-" + std::to_string(index + 1) +
             "\"><h3><span class=\"number\">" + std::to_string(index + 1) + "</span><span>" +
             escape_html(finding.title) + "</span></h3><dl>";
    const auto row = [this](const char* name, const std::string& value, bool code = false) {
        if (value.empty()) return;
        text_ += std::string("<dt>") + name + "</dt><dd>" + (code ? "<code>" : "") + escape_html(value) +
                 (code ? "</code>" : "") + "</dd>";
    };
    row("Seen", finding.seen);
    const double first = series_.moment(finding.first_ns).time;
    const double last = series_.moment(finding.last_ns).time;
    std::string when = "at " + fixed_text(first, 3) + " s";
    if (finding.times > 1) {
        when = grouped(finding.times) + " times, " + "from " + fixed_text(first, 3) + " s to " +
               fixed_text(std::max(first, last), 3) + " s";
    }
    row("When", when);
    row("Means", finding.means);
    row("The pilot sees", finding.pilot);
    row("To change", finding.change);
    row("Line", finding.line, true);
    row("Kind", finding.part + (finding.part.empty() || finding.id.empty() ? "" : ": ") + finding.id);
    text_ += "</dl></div>\n";
}

void Page::events() {
    if (series_.events.empty()) return;
    text_ += "<h2>What happened</h2>\n<ul class=\"events\">\n";
    for (std::size_t i = 0; i < series_.events.size(); ++i) {
        const FlightEvent& event = series_.events[i];
        text_ += "<li><span class=\"number\">" + letter(i) + "</span><time>" + fixed_text(event.time, 3) +
                 " s</time><span>" + escape_html(event.text) + "</span></li>\n";
    }
    if (series_.more_events > 0) text_ += "<li>and " + grouped(series_.more_events) + " more</li>\n";
    text_ += "</ul>\n";
}

Chart Page::chart(const std::string& title, const std::string& unit, double smallest_span) const {
    Chart chart;
    chart.title = title;
    chart.unit = unit;
    chart.smallest_span = smallest_span;
    chart.marks = marks_;
    chart.x_begin = series_.begin;
    chart.x_end = series_.end;
    chart.x_label = clock_name();
    return chart;
}

void Page::place_section() {
    if (!has_states()) return;
    text_ += "<h2>Where it went</h2>\n<div class=\"pair\">\n";
    TrackChart track;
    track.title = "Ground track";
    track.pieces = series_.path.pieces();
    for (std::size_t i = 0; i < findings_.size() && i < most_marks; ++i) {
        const FlightMoment moment = series_.moment(findings_[i].first_ns);
        track.dots.push_back({moment.east, moment.north});
        track.dot_labels.push_back(std::to_string(i + 1));
    }
    text_ += draw_track(track);
    Chart height = chart("Height above home", "m", 1);
    height.x_ticks = 6;
    height.lines.push_back({"height", 1, series_.height.pieces()});
    text_ += draw_chart(height) + "</div>\n";
}

void Page::triple(const std::string& title, const std::string& unit, double smallest_span,
                  const FlightSeries::Triple& series, const std::vector<std::string>& names,
                  const std::string& note) {
    Chart drawn = chart(title, unit, smallest_span);
    drawn.note = note;
    for (std::size_t i = 0; i < series.size(); ++i)
        drawn.lines.push_back({names[i], static_cast<int>(i) + 1, series[i].pieces()});
    text_ += draw_chart(drawn);
}

void Page::motion_section() {
    if (!has_states()) return;
    text_ += "<h2>How it moved</h2>\n<div class=\"stack\">\n";
    Chart tilt = chart("Roll and pitch", "deg", 2);
    tilt.lines.push_back({"roll", 1, series_.attitude[0].pieces()});
    tilt.lines.push_back({"pitch", 2, series_.attitude[1].pieces()});
    text_ += draw_chart(tilt);
    Chart yaw = chart("Yaw", "deg", 10);
    yaw.lines.push_back({"yaw", 3, series_.attitude[2].pieces()});
    text_ += draw_chart(yaw);
    triple("Velocity", "m/s", 0.5, series_.velocity, {"north", "east", "down"}, "");
    triple("Specific force", "m/s2", 2, series_.specific_force, {"x forward", "y right", "z down"},
           "What the accelerometer feels: level and at rest (0, 0, -9.81)");
    triple("Turn rate (gyro)", "rad/s", 0.1, series_.gyro, {"x roll", "y pitch", "z yaw"}, "");
    if (!series_.airspeed.empty()) {
        Chart airspeed = chart("Airspeed", "m/s", 0.5);
        airspeed.lines.push_back({"airspeed", 1, series_.airspeed.pieces()});
        text_ += draw_chart(airspeed);
    }
    text_ += "</div>\n";
}

void Page::servos_section() {
    std::vector<std::size_t> used;
    for (std::size_t i = 0; i < series_.pwm.size(); ++i) {
        if (!series_.pwm[i].empty()) used.push_back(i);
    }
    if (counts_.servo_packets == 0) return;
    text_ += "<h2>What the servos were told</h2>\n<div class=\"stack\">\n";
    if (used.empty()) text_ += "<p class=\"note\">No channel had an output: all were 0.</p>\n";
    for (std::size_t begin = 0; begin < used.size(); begin += lines_per_chart) {
        Chart drawn = chart(begin == 0 ? "Servo outputs" : "Servo outputs, further channels", "us PWM", 100);
        if (begin == 0) drawn.note = "Channels in use; where a line is missing, there was no output";
        for (std::size_t i = begin; i < std::min(used.size(), begin + lines_per_chart); ++i) {
            drawn.lines.push_back({"servo " + std::to_string(used[i] + 1), static_cast<int>(i - begin) + 1,
                                   series_.pwm[used[i]].pieces()});
        }
        if (drawn.lines.size() == 1) drawn.title = "Output of " + drawn.lines[0].name;
        text_ += draw_chart(drawn);
    }
    text_ += "</div>\n";
}

void Page::link_section() {
    const std::vector<LinkSeries::Bucket> buckets = series_.link.buckets();
    if (buckets.empty()) return;
    text_ += "<h2>How the link did</h2>\n<div class=\"stack\">\n";
    answer_chart(buckets);
    rate_chart(buckets);
    loss_chart(buckets);
    text_ += "</div>\n";
}

void Page::answer_chart(const std::vector<LinkSeries::Bucket>& buckets) {
    Chart drawn = chart("Answer time", "ms", 0);
    drawn.logarithmic = true;
    drawn.note =
        "From the servo packet to the state that answers it, at the recorder; SITL asks again after 1100 ms";
    ChartBand band{"quickest to slowest", {}, {}};
    std::vector<Point> median;
    for (const LinkSeries::Bucket& bucket : buckets) {
        if (bucket.answered == 0) continue;
        const double x = bucket.begin / 2 + bucket.end / 2;
        constexpr double shortest = 1e-4;  // ms: a tenth of a microsecond stands for none at all
        band.lower.push_back({x, std::max(shortest, 1e3 * bucket.quickest)});
        band.upper.push_back({x, std::max(shortest, 1e3 * bucket.slowest)});
        median.push_back({x, std::max(shortest, 1e3 * bucket.median)});
    }
    if (median.empty()) return;
    drawn.lines.push_back({"median", 1, {median}});
    drawn.bands.push_back(std::move(band));
    text_ += draw_chart(drawn);
}

void Page::rate_chart(const std::vector<LinkSeries::Bucket>& buckets) {
    Chart drawn = chart("Frames per real second", "Hz", 1);
    drawn.from_zero = true;
    std::vector<Point> rate;
    for (const LinkSeries::Bucket& bucket : buckets) {
        if (bucket.frames_per_second > 0)
            rate.push_back({bucket.begin / 2 + bucket.end / 2, bucket.frames_per_second});
    }
    if (rate.empty()) return;
    drawn.lines.push_back({"rate", 3, {rate}});
    text_ += draw_chart(drawn);
}

void Page::loss_chart(const std::vector<LinkSeries::Bucket>& buckets) {
    if (counts_.repeats + counts_.missed == 0) {
        text_ += "<p class=\"note\">No frame was missing, and SITL repeated none.</p>\n";
        return;
    }
    Chart drawn = chart("Repeated and missing frames", "per interval", 5);
    drawn.from_zero = true;
    std::vector<Point> repeats, missed;
    for (const LinkSeries::Bucket& bucket : buckets) {
        const double x = bucket.begin / 2 + bucket.end / 2;
        repeats.push_back({x, static_cast<double>(bucket.repeats)});
        missed.push_back({x, static_cast<double>(bucket.missed)});
    }
    drawn.lines.push_back({"repeated", 2, {repeats}});
    drawn.lines.push_back({"missing", 4, {missed}});
    text_ += draw_chart(drawn);
}

void Page::end() {
    if (counts_.frames == 0) text_ += "<p class=\"verdict bad\">The recording holds no frame at all.</p>\n";
    text_ += "<footer>Made by ap_json " AP_JSON_VERSION
             ". Long flights are drawn through the smallest and largest value of each "
             "interval.</footer>\n</main>\n<script>";
    text_ += report_script;
    text_ += "</script>\n</body>\n</html>\n";
}

}  // namespace

std::string make_html_report(const ReportHead& head, const FlightCounts& counts, const FlightSeries& series,
                             const std::vector<Finding>& findings) {
    return Page(head, counts, series, findings).make();
}
