// html_report_test.cpp - the page: complete, self-contained, and no place for a stranger's markup.
#include <gmock/gmock.h>

#include <html_report.hpp>
#include <limits>
#include <random>

#include "flight_maker.hpp"
#include "well_formed.hpp"

namespace {

using testing::HasSubstr;
using testing::Not;

/// A page is too long to be printed by a matcher.
bool has(const std::string& page, const std::string& part) { return page.find(part) != std::string::npos; }

constexpr const char* attack =
    "</title></style></script><script>alert(1)</script><img src=x onerror='a'>\"&\xff";

struct Flight {
    FlightAssembler assembler;
    FlightSeries series;

    explicit Flight(const FlightMaker& maker) {
        for (const FlightFrame& frame : maker.frames(assembler)) series.add(frame);
    }
    [[nodiscard]] std::string page(const std::vector<Finding>& findings = {},
                                   const ReportHead& head = {}) const {
        return make_html_report(head, assembler.counts(), series, findings);
    }
};

FlightMaker short_flight(int frames) {
    FlightMaker maker;
    for (int i = 0; i < frames; ++i) maker.frame(static_cast<std::uint32_t>(i), 0.0025 * (i + 1));
    return maker;
}

/// Well-formed; nothing is loaded from anywhere; one script, which is ours.
void expect_good(const std::string& page) {
    const XmlChecker checker(page);
    ASSERT_EQ(checker.problem(), "");
    int scripts = 0;
    for (const XmlTag& tag : checker.tags()) {
        scripts += tag.name == "script" ? 1 : 0;
        EXPECT_NE(tag.name, "img");
        EXPECT_NE(tag.name, "link");
        EXPECT_NE(tag.name, "iframe");
        for (const auto& [key, value] : tag.attributes) {
            EXPECT_NE(key, "src");
            EXPECT_NE(key, "href");
            EXPECT_NE(key.substr(0, 2), "on");
            if (key != "xmlns") {
                EXPECT_THAT(value, Not(HasSubstr("://")));
            }
            if (key == "points" || key == "x" || key == "y") {
                EXPECT_THAT(value, Not(HasSubstr("nan")));
            }
        }
    }
    EXPECT_EQ(scripts, 1);
    EXPECT_FALSE(has(page, "@import"));
    EXPECT_FALSE(has(page, "url("));
}

TEST(HtmlReport, HasAllParts) {
    ReportHead head;
    head.title = "First hover";
    head.source = "flight.jsonl";
    head.note = "a note";
    const std::string page = Flight(short_flight(400)).page({}, head);
    expect_good(page);
    for (const char* part : {"<title>First hover</title>",
                             "a note",
                             "flight.jsonl",
                             "2026-03-20",
                             "Ground track",
                             "Height above home",
                             "Roll and pitch",
                             "Yaw",
                             "Velocity",
                             "Specific force",
                             "Turn rate",
                             "Servo outputs",
                             "Answer time",
                             "Frames per real second",
                             "simulated time, s",
                             "127.0.0.1:40000",
                             "127.0.0.1:9002",
                             "Nothing was lost",
                             "prefers-color-scheme: dark",
                             "@media print",
                             "max-width: 760px",
                             "width=device-width"})
        EXPECT_TRUE(has(page, part)) << part;
}

TEST(HtmlReport, FindingsAreShownAndMarked) {
    Finding finding;
    finding.id = "specific-force-sign";
    finding.part = "physics";
    finding.title = "The specific force has the wrong sign";
    finding.seen = "z is +9.81";
    finding.means = "gravity was added";
    finding.pilot = "upside down";
    finding.change = "send -9.81";
    finding.line = "{}";
    finding.times = 3;
    finding.first_ns = 400000000;
    finding.last_ns = 600000000;
    const std::string page = Flight(short_flight(400)).page({finding});
    expect_good(page);
    for (const char* part : {"wrong sign", "z is +9.81", "gravity was added", "upside down", "send -9.81",
                             "3 times", "physics: specific-force-sign", "from 0.50", " s to 0.75"})
        EXPECT_TRUE(has(page, part)) << part;
    std::size_t marks = 0;
    for (auto at = page.find("<g class=\"mark\">"); at != std::string::npos;
         at = page.find("<g class=\"mark\">", at + 1))
        ++marks;
    EXPECT_GE(marks, 10U) << "on each chart";
}

TEST(HtmlReport, NothingOfAFileIsMarkup) {
    FlightMaker maker = short_flight(10);
    maker.add(Record::Kind::from_sitl, attack, servo_packet(10));
    maker.add(Record::Kind::from_backend, attack, state_line(1), attack);
    Flight flight(maker);
    flight.series.add_event(0.01, attack);
    ReportHead head;
    head.title = head.source = head.note = attack;
    Finding finding;
    finding.id = finding.part = finding.title = finding.seen = finding.means = attack;
    finding.pilot = finding.change = finding.line = attack;
    const std::string page = flight.page({finding, finding}, head);
    expect_good(page);
    EXPECT_TRUE(has(page, "&lt;script&gt;alert(1)"));
    EXPECT_FALSE(has(page, "<script>alert"));
}

TEST(HtmlReport, LittleOrNothingGivesAPageToo) {
    expect_good(Flight(FlightMaker()).page());
    EXPECT_TRUE(has(Flight(FlightMaker()).page(), "no frame at all"));
    expect_good(Flight(short_flight(1)).page());
    expect_good(Flight(FlightMaker().packet(0)).page());
    expect_good(Flight(FlightMaker().line(1).line(2)).page());
    Finding finding;
    finding.first_ns = std::numeric_limits<std::int64_t>::min();
    finding.last_ns = std::numeric_limits<std::int64_t>::max();
    expect_good(Flight(FlightMaker()).page({finding}));
    expect_good(Flight(short_flight(3)).page({finding}));
}

TEST(HtmlReport, AnyValuesGiveAGoodPage) {
    const char* numbers[] = {"nan", "-inf", "1e308", "-5e300", "0", "99999999", "-7.5e7", "1e-320"};
    std::mt19937 random(11);
    for (int round = 0; round < 30; ++round) {
        FlightMaker maker;
        for (std::uint32_t i = 0; i < 100; ++i) {
            const auto number = [&] { return std::string(numbers[random() % 8]); };
            const auto vector = [&] { return "[" + number() + "," + number() + "," + number() + "]"; };
            maker.packet(random() % 20 == 0 ? 0 : i, random() % 10 == 0 ? "a" : "b");
            maker.line("\n{\"timestamp\":" + number() + ",\"imu\":{\"gyro\":" + vector() +
                       ",\"accel_body\":" + vector() + "},\"position\":" + vector() +
                       ",\"attitude\":" + vector() + ",\"velocity\":" + vector() + "}\n");
        }
        expect_good(Flight(maker).page());
    }
}

/// A long flight's page stays small.
TEST(HtmlReport, StaysSmall) {
    FlightMaker maker;
    std::mt19937 random(1);
    ap_json::State state;
    std::normal_distribution<> noise;
    FlightAssembler assembler;
    FlightSeries series;
    for (std::uint32_t i = 0; i < 20000; ++i) {
        state.timestamp = 0.0025 * (i + 1);
        state.gyro = {noise(random), noise(random), noise(random)};
        state.specific_force = {noise(random), noise(random), noise(random)};
        state.velocity = {noise(random), noise(random), noise(random)};
        state.attitude = {noise(random), noise(random) / 10, noise(random)};
        state.position = {100 * noise(random), 100 * noise(random), noise(random)};
        Record packet{Record::Kind::from_sitl,
                      i * 500000LL,
                      1,
                      "s",
                      servo_packet(i, static_cast<std::uint16_t>(1000 + random() % 1000), 32),
                      ""};
        Record line{Record::Kind::from_backend, i * 500000LL + 4, 1, "b", state_line(state), ""};
        for (const Record& record : {packet, line}) {
            if (auto frame = assembler.add(record)) series.add(*frame);
        }
    }
    const std::string page = make_html_report({}, assembler.counts(), series, {});
    expect_good(page);
    EXPECT_LT(page.size(), 3000000U);
}

}  // namespace
