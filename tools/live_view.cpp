// live_view.cpp - see live_view.hpp. The pictures; the terminal is in screen.cpp.
#include "live_view.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

using Tone = LiveLine::Tone;

namespace {

constexpr double degrees = 57.29577951308232;  // in a radian
constexpr int shown_channels = 16;
constexpr int lowest_pwm = 1000;  // us, at the left end of a bar
constexpr int highest_pwm = 2000;
constexpr std::size_t bar_columns = 29;

/// Printable ASCII only, since texts from the link may hold anything.
std::string plain(const std::string& text) {
    std::string result = text;
    for (char& c : result) {
        if (c < 0x20 || c > 0x7e) c = '?';
    }
    return result;
}

/// Exactly `width` columns, cut or padded at the right.
std::string left(const std::string& text, std::size_t width) {
    std::string result = text;
    if (result.size() > width) {
        result.resize(width);
        if (width > 0) result.back() = '~';
    }
    result.resize(width, ' ');
    return result;
}

std::string right(const std::string& text, std::size_t width) {
    return text.size() >= width ? left(text, width) : std::string(width - text.size(), ' ') + text;
}

std::string format(const char* pattern, int decimals, double value) {
    char text[400];  // 1e308 has 309 digits
    std::snprintf(text, sizeof text, pattern, decimals, value);
    return text;
}

/// A number in exactly `width` columns: with fewer decimals, then in powers of ten, if it is too long.
std::string number(double value, std::size_t width, int decimals) {
    if (std::isnan(value)) return right("nan", width);
    for (int places = decimals; places >= 0; --places) {
        const std::string text = format("%.*f", places, value);
        if (text.size() <= width) return right(text, width);
    }
    for (int places = 3; places >= 0; --places) {
        const std::string text = format("%.*e", places, value);
        if (text.size() <= width) return right(text, width);
    }
    std::string too_long(width, '#');
    return too_long;
}

std::string count(std::uint64_t value, std::size_t width) {
    const std::string text = std::to_string(value);
    return text.size() <= width ? right(text, width) : number(static_cast<double>(value), width, 0);
}

/// For running text: as many digits as it needs.
std::string count(std::uint64_t value) { return std::to_string(value); }

std::string clock(double elapsed) {
    if (!(elapsed >= 0) || elapsed > 3.6e8) return "?";
    const auto s = static_cast<long>(elapsed);
    char text[40];
    std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    return text;
}

std::string route(const LinkSnapshot& link) {
    return "SITL " + (link.sitl.empty() ? std::string("(not seen yet)") : plain(link.sitl)) + " <> " +
           plain(link.here) + " <> backend " + plain(link.backend);
}

LiveLine rule(Glyphs glyphs) {
    std::string text;
    for (std::size_t i = 0; i < live_columns; ++i) text += glyphs == Glyphs::unicode ? "─" : "-";
    return {text, Tone::faint};
}

/// A bar from 1000 to 2000 us, to an eighth of a column where the characters for it are there.
std::string bar(int pwm, Glyphs glyphs) {
    static constexpr const char* eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const bool unicode = glyphs == Glyphs::unicode;
    const int limited = std::clamp(pwm, lowest_pwm, highest_pwm) - lowest_pwm;
    const auto filled = static_cast<std::size_t>(limited) * bar_columns * 8 /
                        static_cast<std::size_t>(highest_pwm - lowest_pwm);  // eighths of a column
    std::string text;
    for (std::size_t i = 0; i < bar_columns; ++i) {
        const std::size_t here = std::min<std::size_t>(filled > 8 * i ? filled - 8 * i : 0, 8);
        if (pwm != 0 && here == 8) {
            text += unicode ? "█" : "#";
        } else if (pwm != 0 && here > 0 && (unicode || here >= 4)) {
            text += unicode ? eighths[here] : "#";
        } else if (i == bar_columns / 2) {
            text += unicode ? "┊" : ":";  // 1500 us
        } else {
            text += unicode ? "·" : ".";
        }
    }
    return text;
}

/// 39 columns.
std::string channel(const ap_json::ServoPacket& servos, int number, Glyphs glyphs) {
    if (number > servos.channels) return left("", 39);
    const int pwm = servos.servo(number);
    return right(std::to_string(number), 2) + " " + (pwm == 0 ? "    -" : right(std::to_string(pwm), 5)) +
           " " + bar(pwm, glyphs) + " ";
}

ap_json::EulerAngles attitude(const ap_json::State& state) {
    if (!state.quaternion) return state.attitude;
    const auto& [w, x, y, z] = *state.quaternion;
    return {std::atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
            std::asin(std::clamp(2 * (w * y - z * x), -1.0, 1.0)),
            std::atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))};
}

/// 28 columns: a name, how many a second, how many in all.
std::string rate_cells(const char* name, double per_second, std::uint64_t total) {
    return left(name, 8) + number(per_second, 9, 1) + count(total, 11);
}

/// 48 columns.
std::string round_trip_cells(const char* name, const RoundTrips& trips) {
    return left(name, 12) + number(trips.p50, 9, 0) + number(trips.p90, 9, 0) + number(trips.p99, 9, 0) +
           number(trips.max, 9, 0);
}

void add_link(std::vector<LiveLine>& lines, const LinkSnapshot& link, Glyphs glyphs) {
    const LinkCounts& c = link.counts;
    const std::string gap = glyphs == Glyphs::unicode ? " │ " : " | ";
    lines.push_back({left("", 8) + right("per s", 9) + right("total", 11) + gap + left("round trip", 12) +
                         right("p50", 9) + right("p90", 9) + right("p99", 9) + right("max", 9),
                     Tone::faint});
    lines.push_back({rate_cells("packets", link.packets_per_second, c.packets) + gap +
                     round_trip_cells("newest, us", link.round_trips)});
    lines.push_back({rate_cells("lines", link.lines_per_second, c.lines) + gap +
                     round_trip_cells("total, us", link.round_trips_total)});
    lines.push_back({"frames  next " + count(c.next) + "  repeated " + count(c.repeated) + "  lost " +
                     count(c.missed) + "  restarted " + count(c.restarted) + "  stale " + count(c.stale) +
                     "  frame_rate " + (link.servos ? std::to_string(link.servos->frame_rate) : "-")});
    lines.push_back({"lines   accepted " + count(c.accepted) + "  refused " +
                     count(c.rejected + c.incomplete + c.full + c.fatal) + "  unasked " + count(c.unasked) +
                     "  strays " + count(c.rejected_length + c.rejected_magic + c.elsewhere)});
}

void add_vehicle(std::vector<LiveLine>& lines, const LinkSnapshot& link) {
    if (!link.state) {
        lines.push_back({"no state yet", Tone::faint});
        return;
    }
    const ap_json::State& s = *link.state;
    const ap_json::EulerAngles angles = attitude(s);
    const auto row = [](const char* name, const char* a, double x, const char* b, double y, const char* c,
                        double z, const char* unit) {
        return left(name, 9) + right(a, 10) + number(x, 11, 3) + right(b, 8) + number(y, 11, 3) +
               right(c, 8) + number(z, 11, 3) + "  " + unit;
    };
    lines.push_back({row("attitude", "roll", angles.roll * degrees, "pitch", angles.pitch * degrees, "yaw",
                         angles.yaw * degrees, "deg")});
    if (s.geodetic) {
        lines.push_back({row("position", "latitude", s.geodetic->latitude, "long.", s.geodetic->longitude,
                             "alt.", s.geodetic->altitude, "deg, m")});
    } else {
        lines.push_back(
            {row("position", "north", s.position.x, "east", s.position.y, "down", s.position.z, "m")});
    }
    lines.push_back(
        {row("velocity", "north", s.velocity.x, "east", s.velocity.y, "down", s.velocity.z, "m/s")});
}

void add_servos(std::vector<LiveLine>& lines, const LinkSnapshot& link, Glyphs glyphs) {
    if (!link.servos) {
        lines.push_back({"no servo packet yet", Tone::faint});
        return;
    }
    for (int i = 1; i <= shown_channels / 2; ++i)
        lines.push_back(
            {channel(*link.servos, i, glyphs) + " " + channel(*link.servos, i + shown_channels / 2, glyphs)});
}

/// The text in lines of live_columns, broken between words, the last one cut.
std::vector<std::string> wrap(const std::string& text, std::size_t most_lines) {
    std::vector<std::string> lines;
    std::string rest = plain(text);
    while (!rest.empty() && lines.size() < most_lines) {
        std::size_t length = rest.size();
        if (length > live_columns) {
            const std::size_t space = rest.rfind(' ', live_columns);
            length = lines.size() + 1 == most_lines || space == std::string::npos || space == 0 ? live_columns
                                                                                                : space;
        }
        lines.push_back(rest.substr(0, length));
        rest.erase(0, length);
        rest.erase(0, rest.find_first_not_of(' '));
    }
    return lines;
}

}  // namespace

std::size_t columns_of(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

std::string first_columns(const std::string& text, std::size_t columns) {
    std::size_t end = 0;
    for (std::size_t seen = 0; end < text.size(); ++end) {
        const bool begins = (static_cast<unsigned char>(text[end]) & 0xc0U) != 0x80U;
        if (begins && ++seen > columns) break;
    }
    return text.substr(0, end);
}

/// From top to bottom; each line about disturbances takes the place of a rule.
std::vector<LiveLine> render_screen(const LinkSnapshot& link, const LiveExtras& extras, Glyphs glyphs) {
    constexpr std::size_t most_disturbances = 2;
    constexpr std::size_t advice_rows = 2;
    const std::size_t disturbances = std::min(extras.disturbance.size(), most_disturbances);
    std::vector<LiveLine> lines;
    lines.push_back({left(plain(extras.title) + "   " + route(link), live_columns), Tone::title});
    lines.push_back({left(to_string(link.status), 13) + left(clock(link.elapsed), 9) + "simulated" +
                     number(link.simulated, 9, 1) + " s" + number(link.speed, 7, 2) + " x real time  step" +
                     number(link.step * 1e3, 7, 3) + " ms"});
    add_link(lines, link, glyphs);
    for (std::size_t i = 0; i < disturbances; ++i)
        lines.push_back({plain(extras.disturbance[i]), Tone::warning});
    lines.push_back(rule(glyphs));
    add_servos(lines, link, glyphs);
    if (disturbances < 2) lines.push_back(rule(glyphs));
    add_vehicle(lines, link);
    if (disturbances < 1) lines.push_back(rule(glyphs));
    for (const std::string& text : wrap(extras.warning.empty() ? link.advice : extras.warning, advice_rows))
        lines.push_back({text, Tone::warning});
    lines.resize(live_rows - 1);  // the footer stays at the bottom
    lines.push_back({plain(extras.footer), Tone::faint});
    for (LiveLine& line : lines) line.text = first_columns(line.text, live_columns);
    return lines;
}

std::string render_line(const LinkSnapshot& link) {
    const LinkCounts& c = link.counts;
    return clock(link.elapsed) + " " + left(to_string(link.status), 10) +
           number(link.packets_per_second, 6, 0) + "/s" + number(link.speed, 6, 2) + "x  rtt" +
           number(link.round_trips.p50, 6, 0) + " us, p99" + number(link.round_trips.p99, 6, 0) +
           "  repeated " + count(c.repeated) + "  lost " + count(c.missed) + "  refused " +
           count(c.rejected + c.incomplete + c.full + c.fatal);
}
