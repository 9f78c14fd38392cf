// live_view_test.cpp - the screen of `ap_json tap`: what is on it, and that it never leaves its 24 lines of 79 columns.
#include <gmock/gmock.h>

#include <cstring>
#include <limits>
#include <live_view.hpp>
#include <random>

namespace {

using testing::HasSubstr;
using testing::Not;

constexpr Glyphs both[] = {Glyphs::ascii, Glyphs::unicode};

std::string text_of(const std::vector<LiveLine>& lines) {
    std::string text;
    for (const LiveLine& line : lines) text += line.text + "\n";
    return text;
}

void expect_fits(const LinkSnapshot& link, const LiveExtras& extras) {
    for (const Glyphs glyphs : both) {
        const auto lines = render_screen(link, extras, glyphs);
        ASSERT_LE(lines.size(), live_rows);
        for (const LiveLine& line : lines) {
            ASSERT_LE(columns_of(line.text), live_columns) << line.text;
            for (const char c : line.text) {
                ASSERT_GE(static_cast<unsigned char>(c), 0x20) << "a control character: " << line.text;
                if (glyphs == Glyphs::ascii) {
                    ASSERT_LT(static_cast<unsigned char>(c), 0x7f) << line.text;
                }
            }
        }
    }
    ASSERT_THAT(render_line(link), Not(HasSubstr("\n")));
    ASSERT_LE(render_line(link).size(), 170U);
}

LinkSnapshot a_drive() {
    LinkSnapshot link;
    link.elapsed = 3723.4;
    link.status = ap_json::LinkStatus::online;
    link.sitl = "127.0.0.1:40000";
    link.here = "127.0.0.1:9002";
    link.backend = "127.0.0.1:9003";
    link.counts.packets = 4800;
    link.counts.next = 4790;
    link.counts.repeated = 7;
    link.counts.lines = 4801;
    link.packets_per_second = 400;
    link.round_trips = {1200, 52, 78, 120, 310};
    link.simulated = 3720.2;
    link.speed = 1;
    link.step = 0.0025;
    link.servos.emplace();
    link.servos->channels = 16;
    link.servos->frame_rate = 401;
    link.servos->pwm[0] = 1500;
    link.servos->pwm[2] = 1900;
    link.state.emplace();
    link.state->attitude.yaw = 1.5707963267948966;
    link.state->position.x = 12.345;
    link.state->velocity.y = -0.25;
    return link;
}

TEST(LiveView, ShowsTheDrive) {
    const auto lines = render_screen(a_drive(), {"ap_json tap", "Ctrl-C ends", {}, ""}, Glyphs::ascii);
    const std::string text = text_of(lines);
    for (const char* each :
         {"127.0.0.1:40000 <> 127.0.0.1:9002 <> backend 127.0.0.1:9003", "online", "1:02:03", "3720.2 s",
          "1.00 x real time", "2.500 ms", "next 4790", "repeated 7", "frame_rate 401", "90.000  deg",
          "12.345", "-0.250", "  52       78      120      310"})
        EXPECT_THAT(text, HasSubstr(each));
    EXPECT_EQ(lines.size(), live_rows);
    EXPECT_EQ(lines.back().text, "Ctrl-C ends");
    EXPECT_EQ(lines.front().tone, LiveLine::Tone::title);
}

TEST(LiveView, BarsFillFrom1000To2000) {
    LinkSnapshot link = a_drive();
    const auto bar_of_1 = [&](std::uint16_t pwm) {
        link.servos->pwm[0] = pwm;
        const std::string text = text_of(render_screen(link, {}, Glyphs::ascii));
        const std::size_t begin = text.find("\n 1 ");
        return text.substr(begin + 10, 29);
    };
    EXPECT_EQ(bar_of_1(0), "..............:..............");
    EXPECT_EQ(bar_of_1(1000), "..............:..............");
    EXPECT_EQ(bar_of_1(1500), "###############..............");
    EXPECT_EQ(bar_of_1(2000), "#############################");
    EXPECT_EQ(bar_of_1(65535), "#############################");
    EXPECT_EQ(bar_of_1(900), "..............:..............");
}

TEST(LiveView, AttitudeIsTakenFromTheQuaternionWhenThereIsOne) {
    LinkSnapshot link = a_drive();
    const double half = 0.7071067811865476;
    link.state->quaternion = ap_json::Quaternion{half, half, 0, 0};  // rolled right by 90 degrees
    EXPECT_THAT(text_of(render_screen(link, {}, Glyphs::ascii)), HasSubstr("roll     90.000"));
}

TEST(LiveView, TheWarningGoesBeforeTheAdviceAndIsWrapped) {
    LinkSnapshot link = a_drive();
    link.advice = "Advice of the monitor.";
    LiveExtras extras;
    EXPECT_THAT(text_of(render_screen(link, extras, Glyphs::ascii)), HasSubstr("Advice of the monitor."));
    extras.warning =
        "The recording has ended, since the disk is full, and this text is longer than a line of the screen. "
        "End";
    const std::string text = text_of(render_screen(link, extras, Glyphs::ascii));
    EXPECT_THAT(text, Not(HasSubstr("Advice")));
    EXPECT_THAT(text, HasSubstr("longer than a\nline of the screen. End"));
}

TEST(LiveView, BothDisturbancesAndTheAdviceHaveRoom) {
    LinkSnapshot link = a_drive();
    link.advice = std::string(70, 'a') + " " + std::string(70, 'b');
    const LiveExtras extras{"ap_json tap", "the footer", {"to backend: lost 1", "to SITL: lost 2"}, ""};
    const std::string text = text_of(render_screen(link, extras, Glyphs::unicode));
    for (const std::string& each : {std::string("to backend: lost 1"), std::string("to SITL: lost 2"),
                                    std::string(70, 'a'), std::string(70, 'b'), std::string("the footer")})
        EXPECT_THAT(text, HasSubstr(each));
}

TEST(LiveView, NeverLargerThanTheScreenWithNothingToShow) { expect_fits({}, {}); }

/// Every number and every text that the link can produce, and some that it cannot.
TEST(LiveView, NeverLargerThanTheScreenWhateverTheValues) {
    std::mt19937_64 random(5);
    const double odd[] = {0.0,
                          -0.0,
                          1e300,
                          -1e300,
                          1e-300,
                          -123456789.123,
                          std::nan(""),
                          -std::nan(""),
                          std::numeric_limits<double>::infinity(),
                          -std::numeric_limits<double>::infinity(),
                          std::numeric_limits<double>::max(),
                          99999.9999,
                          -99999.9999};
    const auto number = [&] {
        if (random() % 2 == 0) return odd[random() % std::size(odd)];
        const std::uint64_t bits = random();
        double value = 0;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    };
    const auto words = [&] {
        std::string text(random() % 300, '\0');
        for (char& c : text) c = random() % 6 == 0 ? ' ' : static_cast<char>(random());
        return text;
    };
    for (int round = 0; round < 1000; ++round) {
        LinkSnapshot link;
        link.status = static_cast<ap_json::LinkStatus>(random() % 6);
        for (std::string* each : {&link.sitl, &link.here, &link.backend, &link.advice}) *each = words();
        for (double* each : {&link.elapsed, &link.packets_per_second, &link.lines_per_second, &link.simulated,
                             &link.speed, &link.step})
            *each = number();
        link.round_trips = {random(), number(), number(), number(), number()};
        link.round_trips_total = {random(), number(), number(), number(), number()};
        LinkCounts& c = link.counts;
        for (std::uint64_t* each :
             {&c.packets, &c.next, &c.repeated, &c.missed, &c.restarted, &c.stale, &c.lines, &c.accepted,
              &c.rejected, &c.unasked, &c.rejected_length, &c.elsewhere})
            *each = random() >> (random() % 64);
        if (random() % 4 != 0) {
            link.servos.emplace();
            link.servos->channels = random() % 2 == 0 ? 16 : 32;
            for (auto& pwm : link.servos->pwm) pwm = static_cast<std::uint16_t>(random());
        }
        if (random() % 4 != 0) {
            link.state.emplace();
            ap_json::State& s = *link.state;
            s.position = {number(), number(), number()};
            s.velocity = {number(), number(), number()};
            s.attitude = {number(), number(), number()};
            if (random() % 2 == 0) s.quaternion = ap_json::Quaternion{number(), number(), number(), number()};
            if (random() % 2 == 0) s.geodetic = ap_json::Geodetic{number(), number(), number()};
        }
        LiveExtras extras{words(), words(), {}, random() % 2 == 0 ? words() : ""};
        for (std::uint64_t i = random() % 4; i > 0; --i) extras.disturbance.push_back(words());
        expect_fits(link, extras);
        if (HasFatalFailure()) return;
    }
}

TEST(LiveView, FirstColumnsCutsBetweenCharacters) {
    EXPECT_EQ(first_columns("abc", 2), "ab");
    EXPECT_EQ(first_columns("abc", 9), "abc");
    EXPECT_EQ(first_columns("a█b", 2), "a█");
    EXPECT_EQ(first_columns("██", 1), "█");
    EXPECT_EQ(first_columns("██", 0), "");
    EXPECT_EQ(columns_of("a█·b"), 4U);
}

}  // namespace
