// svg_chart_test.cpp - charts are well-formed whatever the values are, and their ticks are round.
#include <gmock/gmock.h>

#include <clocale>
#include <cmath>
#include <limits>
#include <number_text.hpp>
#include <random>
#include <svg_chart.hpp>

#include "well_formed.hpp"

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Well-formed, and no number in it that is none.
void expect_good(const std::string& svg) {
    const XmlChecker checker(svg);
    EXPECT_EQ(checker.problem(), "");
    for (const XmlTag& tag : checker.tags()) {
        for (const auto& [key, value] : tag.attributes) {
            if (key == "aria-label") continue;
            EXPECT_THAT(value, Not(HasSubstr("nan"))) << key;
            EXPECT_THAT(value, Not(HasSubstr("inf"))) << key;
        }
    }
}

Chart chart_of(const std::vector<Point>& points) {
    Chart chart;
    chart.title = "a <b> & \"c\"";
    chart.unit = "m/s";
    chart.lines.push_back({"first", 1, {points}});
    chart.lines.push_back({"second", 9, {}});
    chart.marks = {{0.5, "1", true}, {0.501, "<x>", false}, {0.502, "3", true}, {std::nan(""), "4", true}};
    return chart;
}

TEST(RoundTicks, AreRound) {
    EXPECT_THAT(round_ticks(0, 10, 5).labels, ElementsAre("0", "2", "4", "6", "8", "10"));
    EXPECT_THAT(round_ticks(-0.3, 0.3, 6).labels,
                ElementsAre("-0.3", "-0.2", "-0.1", "0", "0.1", "0.2", "0.3"));
    EXPECT_THAT(round_ticks(-180, 180, 5, true).labels, ElementsAre("-180", "-90", "0", "90", "180"));
    EXPECT_THAT(round_ticks(1e9, 3e9, 2).labels, ElementsAre("1e+09", "2e+09", "3e+09"));
    EXPECT_TRUE(round_ticks(1, 1, 5).values.empty());
    EXPECT_TRUE(round_ticks(2, 1, 5).values.empty());
    EXPECT_TRUE(round_ticks(std::nan(""), 1, 5).values.empty());
}

TEST(RoundTicks, AreFewInAnyRange) {
    std::mt19937_64 random(3);
    for (int i = 0; i < 20000; ++i) {
        const double scale = std::pow(10.0, std::uniform_real_distribution<>(-12, 30)(random));
        const double low = std::uniform_real_distribution<>(-1, 1)(random) * scale;
        const double high = low + std::uniform_real_distribution<>(0, 2)(random) * scale;
        const Ticks ticks = round_ticks(low, high, 5, i % 2 == 0);
        EXPECT_LE(ticks.values.size(), 21U);
        EXPECT_EQ(ticks.values.size(), ticks.labels.size());
    }
}

TEST(Chart, IsWellFormedWhateverTheValues) {
    const double inf = std::numeric_limits<double>::infinity();
    const double nan = std::nan("");
    const double values[] = {0, -0.0, 1, -1, 1e-320, 1e-12, 1e30, 1e308, -1e308, inf, -inf, nan, 9.80665};
    std::mt19937 random(5);
    for (int round = 0; round < 1000; ++round) {
        std::vector<Point> points;
        for (std::size_t i = 0; i < random() % 6; ++i)
            points.push_back({values[random() % 13], values[random() % 13]});
        Chart chart = chart_of(points);
        chart.bands.push_back({"band", points, points});
        chart.x_begin = values[random() % 13];
        chart.x_end = values[random() % 13];
        chart.logarithmic = round % 3 == 0;
        chart.from_zero = round % 3 == 1;
        expect_good(draw_chart(chart));
        TrackChart track;
        track.title = "<track>";
        track.pieces = {points, {}};
        track.dots = points;
        track.dot_labels.assign(points.size(), "<1>");
        expect_good(draw_track(track));
    }
}

TEST(Chart, EscapesAndDescribes) {
    const std::string svg = draw_chart(chart_of({{0, -2}, {1, 3}}));
    EXPECT_THAT(svg, HasSubstr("a &lt;b&gt; &amp; &quot;c&quot;"));
    EXPECT_THAT(svg, HasSubstr("first from -2 to 3 m/s"));
    EXPECT_THAT(svg, Not(HasSubstr("<x>")));
    EXPECT_THAT(svg, HasSubstr(">1\xe2\x80\xa6"
                               "3<"))
        << "marks that are near to each other share a label";
}

TEST(Chart, ALevelLineNeedsTwoCorners) {
    std::vector<Point> points;
    for (int i = 0; i <= 1000; ++i) points.push_back({i / 1000.0, 5});
    EXPECT_THAT(draw_chart(chart_of(points)), HasSubstr("points=\"0.0,500.0 1000.0,500.0\""));
}

/// A path may turn back on a level; what it reached is still drawn.
TEST(Chart, ATrackThatTurnsBackIsDrawnToItsEnd) {
    TrackChart track;
    track.pieces = {{{0, 0}, {10, 0}, {-10, 0}, {0, 0}}};
    EXPECT_THAT(draw_track(track), HasSubstr("points=\"500.0,500.0 946.4,500.0 53.6,500.0 500.0,500.0\""));
}

TEST(NumberText, HasAPointInAnyLocale) {
    const std::string before = std::setlocale(LC_ALL, nullptr);
    for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C"}) {
        if (std::setlocale(LC_ALL, name) == nullptr) continue;
        EXPECT_EQ(fixed_text(1234.5, 2), "1234.50");
        EXPECT_EQ(short_text(0.25), "0.25");
        EXPECT_EQ(exact_text(-0.1), "-0.1");
    }
    std::setlocale(LC_ALL, before.c_str());
    EXPECT_EQ(fixed_text(-0.001, 2), "0.00");
    EXPECT_EQ(fixed_text(1e300, 2), "1e+300");
}

TEST(EscapeHtml, NothingIsMarkupOrBroken) {
    EXPECT_EQ(escape_html("<a href='x'>&\""), "&lt;a href=&#39;x&#39;&gt;&amp;&quot;");
    EXPECT_EQ(escape_html("gr\xc3\xbc\xc3\x9f"), "gr\xc3\xbc\xc3\x9f");
    const std::string bad = "\xef\xbf\xbd";
    EXPECT_EQ(escape_html("\xff"), bad);
    EXPECT_EQ(escape_html(std::string("\0\x1b", 2)), bad + bad);
    EXPECT_EQ(escape_html("\xc3"), bad);
    EXPECT_EQ(escape_html("\xed\xa0\x80"), bad + bad + bad) << "half of a pair";
    EXPECT_EQ(escape_html("\xc0\xbc"), bad + bad) << "< in more bytes than it needs";
}

}  // namespace
