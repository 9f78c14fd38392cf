// examine_flight.hpp - all that the tools make of a recording's records, without files: the flight, the table, the page, the
// doctor, the live view, the comparison; and what has to hold whatever the records are.
#pragma once

#include <algorithm>
#include <comparison.hpp>
#include <csv_export.hpp>
#include <doctor.hpp>
#include <examination.hpp>
#include <flight_series.hpp>
#include <html_report.hpp>
#include <live_view.hpp>
#include <set>

#include "../well_formed.hpp"
#include "fuzz.hpp"

namespace fuzz {

inline void check_page(const std::string& page) {
    const XmlChecker xml(page);
    if (!xml.problem().empty()) std::fprintf(stderr, "%s\n", xml.problem().c_str());
    check(xml.problem().empty(), "the page is well-formed");
    for (const XmlTag& tag : xml.tags()) {
        for (const auto& [name, value] : tag.attributes) {
            const bool is_place = name == "points" || name == "x" || name == "y" || name == "x1" ||
                                  name == "x2" || name == "y1" || name == "y2";
            check(!is_place || value.find_first_not_of("0123456789.,-% em") == std::string::npos,
                  "what is drawn has numbers");
        }
    }
}

inline void check_findings(const std::vector<Finding>& findings) {
    std::set<std::string> ids;
    for (const Finding& finding : findings) {
        check(ids.insert(finding.id).second, "a kind of finding is told once");
        check(!finding.title.empty() && !finding.seen.empty() && !finding.change.empty(), "it has words");
        check(finding.times >= 1 && finding.first_ns <= finding.last_ns, "it has been seen");
    }
}

inline void check_table(const FlightFrame& frame) {
    const auto columns = [](const std::string& row) { return std::count(row.begin(), row.end(), ','); };
    const std::string row = csv_row(frame);
    check(row.empty() != frame.answered, "a row for each answered frame");
    check(row.empty() || columns(row) == columns(csv_header()), "as many columns as the header");
}

/// @return the frames, all of them
inline std::vector<FlightFrame> assemble(const std::vector<Record>& records, FlightClock clock,
                                         bool with_page) {
    Doctor doctor;
    FlightAssembler assembler(clock);
    FlightSeries series;
    std::vector<FlightFrame> frames;
    const auto take = [&](const std::optional<FlightFrame>& frame) {
        if (!frame) return;
        check_table(*frame);
        check(frames.empty() || frame->time >= frames.back().time, "the flight's time never falls");
        check(frame->answered_ns >= frame->asked_ns, "no answer before the question");
        series.add(*frame);
        frames.push_back(*frame);
    };
    for (const Record& record : records) {
        take(assembler.add(record));
        examine(doctor, record);
        if (record.kind == Record::Kind::mark) series.add_event(assembler.time(), record.bytes);
    }
    take(assembler.finish());
    const FlightCounts& counts = assembler.counts();
    check(counts.frames == frames.size(), "the frames are counted");
    const auto answered =
        std::count_if(frames.begin(), frames.end(), [](const auto& f) { return f.answered; });
    check(counts.answered == static_cast<std::uint64_t>(answered), "the answers are counted");
    const std::vector<Finding> findings = doctor.conclude();
    check_findings(findings);
    static_cast<void>(doctor.not_examined());
    if (with_page) {
        const ReportHead head{"<title> & \"more\"", "source", "note", 0, clock};
        check_page(make_html_report(head, counts, series, findings));
    }
    return frames;
}

inline void watch(const std::vector<Record>& records) {
    const auto time = [](const Record& record) { return std::chrono::nanoseconds(record.steady_ns); };
    LinkMonitor monitor(records.empty() ? std::chrono::nanoseconds(0) : time(records.front()), "here",
                        "backend");
    std::string sitl;
    for (const Record& record : records) {
        if (record.kind == Record::Kind::from_sitl) {
            sitl = record.peer;
            monitor.from_sitl(time(record), record.peer, record.bytes);
        } else if (record.kind == Record::Kind::from_backend) {
            monitor.to_sitl(time(record), record.peer, sitl, record.bytes);
        }
    }
    const auto now = records.empty() ? std::chrono::nanoseconds(0) : time(records.back());
    const LinkSnapshot link = monitor.snapshot(now);
    for (const Glyphs glyphs : {Glyphs::ascii, Glyphs::unicode}) {
        const auto screen = render_screen(link, {"title", "footer", {"one"}, ""}, glyphs);
        check(screen.size() <= live_rows, "the screen has rows for it");
        for (const LiveLine& line : screen)
            check(columns_of(line.text) <= live_columns, "no row is too long");
    }
    check(render_line(link).find('\n') == std::string::npos, "one line");
}

inline void compare(const std::vector<FlightFrame>& frames, const Tolerances& tolerances) {
    Comparison same(tolerances), other(tolerances);
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const ComparedFrame frame{i, frames[i].servos.frame_count, frames[i].time};
        const FlightFrame& next = frames[(i + 1) % frames.size()];
        same.compare(frame, frames[i].answer, frames[i].answer);
        same.compare(frame, frames[i].servos, frames[i].servos);
        other.compare(frame, frames[i].answer, next.answer);
        other.compare(frame, frames[i].servos, next.servos);
    }
    check(same.different_frames() == 0 && !same.first(), "nothing differs from itself");
    check(other.different_frames() <= other.frames(), "different ones are among all");
    check((other.different_frames() > 0) == other.first().has_value(), "the first difference is told");
    for (const FieldResult& field : other.fields())
        check(field.different <= field.compared && !field.field.empty(), "different ones are among all");
}

}  // namespace fuzz
