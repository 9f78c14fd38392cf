// sitl_session.cpp - see sitl_session.hpp.
#include "sitl_session.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <sstream>

#include "interrupt.hpp"
#include "live_view.hpp"

using namespace std::chrono_literals;

namespace {

constexpr double row_interval = 1;      // s of simulated time between two rows of the table
constexpr double longest_silence = 10;  // s of real time without any progress, until a wait is given up
constexpr std::size_t most_console_lines = 200;

std::optional<double> to_number(const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !std::isfinite(value)) return std::nullopt;
    return value;
}

struct Quantity {
    const char* name;
    const char* unit;
    double (*value)(const ap_json::State& state);
};

constexpr double degrees = 57.29577951308232;  // in a radian

constexpr Quantity quantities[] = {
    {"north", "m", [](const ap_json::State& s) { return s.position.x; }},
    {"east", "m", [](const ap_json::State& s) { return s.position.y; }},
    {"down", "m", [](const ap_json::State& s) { return s.position.z; }},
    {"vn", "m/s", [](const ap_json::State& s) { return s.velocity.x; }},
    {"ve", "m/s", [](const ap_json::State& s) { return s.velocity.y; }},
    {"vd", "m/s", [](const ap_json::State& s) { return s.velocity.z; }},
    {"roll", "deg", [](const ap_json::State& s) { return s.attitude.roll * degrees; }},
    {"pitch", "deg", [](const ap_json::State& s) { return s.attitude.pitch * degrees; }},
    {"yaw", "deg", [](const ap_json::State& s) { return s.attitude.yaw * degrees; }},
};

void print_vector(std::FILE* out, const char* name, const ap_json::Vector3& v, const char* unit) {
    std::fprintf(out, "  %-16s %10.3f %10.3f %10.3f %s\n", name, v.x, v.y, v.z, unit);
}

}  // namespace

const char* SitlSession::help() {
    return R"(Commands, from the prompt or a script, one a line, in MAVProxy's words:
  arm throttle               arm
  disarm                     disarm
  mode MANUAL | mode HOLD    change the mode
  rc N PWM                   move the stick of RC channel N (3 is throttle); 0 releases it
  servo N PWM                set servo output N, whatever the pilot does (1000 to 2000; 0 = none); servo N free
  wait SECONDS               let simulated time pass; shows the vehicle once a second
  status                     show the link and what the backend sends
  watch SECONDS              let simulated time pass; shows the link all the while, in a terminal
  expect NAME VALUE WITHIN   check north, east, down (m), vn, ve, vd (m/s), roll, pitch or yaw (deg)
  quit                       end; so do the end of the script and Ctrl-C
  # ...                      a comment
)";
}

SitlSession::SitlSession(const ap_json::SitlStandInOptions& options, std::FILE* out)
    : options_(options),
      out_(out),
      monitor_(std::chrono::steady_clock::now().time_since_epoch(), "this program",
               options.backend_address + ":" + std::to_string(options.backend_port + 10 * options.instance)) {
    // A caller that looks for itself needs no view of ours.
    if (!options_.sending && !options_.received) {
        options_.sending = [this](std::string_view packet) {
            const std::lock_guard lock(monitor_mutex_);
            monitor_.from_sitl(std::chrono::steady_clock::now().time_since_epoch(), "stand-in", packet);
        };
        options_.received = [this](std::string_view datagram) {
            const std::lock_guard lock(monitor_mutex_);
            monitor_.to_sitl(std::chrono::steady_clock::now().time_since_epoch(), backend_text(), "SITL",
                             datagram);
        };
    }
    if (!options_.console) options_.console = [this](std::string_view line) { show_once("SITL: ", line); };
    if (!options_.advice)
        options_.advice = [this](std::string_view line) { show_once("what is wrong: ", line); };
}

std::string SitlSession::backend_text() const {
    return options_.backend_address + ":" + std::to_string(options_.backend_port + 10 * options_.instance);
}

void SitlSession::say(const std::string& text) {
    std::fprintf(out_, "%s\n", text.c_str());
    std::fflush(out_);
}

ap_json::Error SitlSession::start() { return sitl_.start(options_); }

/// Each different line once: a backend that does something wrong does it a thousand times a second.
void SitlSession::show_once(const char* who, std::string_view line) {
    const std::lock_guard lock(console_mutex_);
    if (console_shown_.size() >= most_console_lines || !console_shown_.emplace(line).second) return;
    if (prompt_.empty()) {
        std::cerr << who << line << std::endl;
    } else {  // in the place of the prompt, which follows it
        std::cerr << "\r\x1b[K" << who << line << "\n" << prompt_ << std::flush;
    }
}

SitlSession::Outcome SitlSession::complain(const std::string& what) {
    std::cerr << "error: " << what << std::endl;
    return Outcome::failed;
}

std::string SitlSession::prompt() {
    std::string text;
    sitl_.use([&](ap_json::SitlModel& model) {
        text = std::string(model.mode()) + (model.armed() ? " armed> " : "> ");
    });
    const std::lock_guard lock(console_mutex_);
    return prompt_ = text;
}

SitlSession::Outcome SitlSession::execute(const std::string& line) {
    {
        const std::lock_guard lock(console_mutex_);
        prompt_.clear();
    }
    std::istringstream stream(line);
    Words words;
    for (std::string word; stream >> word;) words.push_back(word);
    if (words.empty() || words[0][0] == '#') return Outcome::done;
    const std::string& verb = words[0];
    if (verb == "arm") return arm(words);
    if (verb == "disarm") return disarm(words);
    if (verb == "mode") return set_mode(words);
    if (verb == "rc") return set_rc(words);
    if (verb == "servo") return set_servo(words);
    if (verb == "wait") return wait(words);
    if (verb == "watch") return watch(words);
    if (verb == "expect") return expect(words);
    if (verb == "status") {
        print_status();
        return Outcome::done;
    }
    if (verb == "help") {
        std::fputs(help(), out_);
        return Outcome::done;
    }
    if (verb == "quit" || verb == "exit") return Outcome::quit;
    return complain("unknown command \"" + verb + "\"; \"help\" lists the commands");
}

SitlSession::Outcome SitlSession::arm(const Words& words) {
    if (words.size() != 2 || words[1] != "throttle") return complain("the command is: arm throttle");
    if (!wait_for_start()) return Outcome::failed;
    std::string why_not;
    sitl_.use([&](ap_json::SitlModel& model) { why_not = model.arm(); });
    if (!why_not.empty()) return complain("not armed: " + why_not);
    say("armed");
    return Outcome::done;
}

SitlSession::Outcome SitlSession::disarm(const Words& words) {
    if (words.size() != 1) return complain("the command is: disarm");
    sitl_.use([](ap_json::SitlModel& model) { model.disarm(); });
    say("disarmed");
    return Outcome::done;
}

/// The real one cannot be armed during the first seconds either; a script should not have to know.
bool SitlSession::wait_for_start() {
    return wait_until_clock(ap_json::SitlModel::start_time + 0.1, longest_silence);
}

SitlSession::Outcome SitlSession::set_mode(const Words& words) {
    if (words.size() != 2) return complain("the command is: mode MANUAL");
    std::string why_not;
    sitl_.use([&](ap_json::SitlModel& model) { why_not = model.set_mode(words[1]); });
    if (!why_not.empty()) return complain(why_not);
    sitl_.use([this](ap_json::SitlModel& model) { say(std::string("mode ") + model.mode()); });
    return Outcome::done;
}

SitlSession::Outcome SitlSession::set_rc(const Words& words) {
    const auto channel = words.size() == 3 ? to_number(words[1]) : std::nullopt;
    const auto pwm = words.size() == 3 ? to_number(words[2]) : std::nullopt;
    if (!channel || !pwm || std::fabs(*channel) > 1e6 || std::fabs(*pwm) > 1e6) {
        return complain("the command is: rc CHANNEL PWM, such as rc 3 1900");
    }
    std::string why_not;
    sitl_.use([&](ap_json::SitlModel& model) {
        why_not = model.set_rc(static_cast<int>(*channel), static_cast<int>(*pwm));
    });
    if (!why_not.empty()) return complain(why_not);
    std::fprintf(out_, "rc %d %d\n", static_cast<int>(*channel), static_cast<int>(*pwm));
    std::fflush(out_);
    return Outcome::done;
}

SitlSession::Outcome SitlSession::set_servo(const Words& words) {
    const auto number = words.size() == 3 ? to_number(words[1]) : std::nullopt;
    const bool release = words.size() == 3 && words[2] == "free";
    const auto pwm = words.size() == 3 && !release ? to_number(words[2]) : std::nullopt;
    if (!number || (!release && !pwm) || std::fabs(*number) > 1e6 || std::fabs(pwm.value_or(0)) > 1e6)
        return complain("the command is: servo NUMBER PWM, such as servo 4 1650, or servo 4 free");
    std::string why_not;
    sitl_.use([&](ap_json::SitlModel& model) {
        why_not = model.set_servo(static_cast<int>(*number),
                                  release ? std::nullopt : std::optional(static_cast<int>(*pwm)));
    });
    if (!why_not.empty()) return complain(why_not);
    say("servo " + words[1] + " " + words[2]);
    return Outcome::done;
}

/// @param clock     s, on SITL's clock
/// @param patience  s of real time without any progress until it is given up, with words
bool SitlSession::wait_until_clock(double clock, double patience) {
    auto last_progress = std::chrono::steady_clock::now();
    double last_clock = -1;
    while (!interrupted) {
        double now = 0;
        std::string death;
        const bool reached = sitl_.wait_until(
            [&](const ap_json::SitlModel& model) {
                now = model.clock();
                death = model.death();
                return now >= clock;
            },
            100ms);
        if (reached) return true;
        if (!death.empty()) return complain("SITL has died: " + death) == Outcome::done;
        if (now > last_clock) {
            last_clock = now;
            last_progress = std::chrono::steady_clock::now();
        }
        if (std::chrono::duration<double>(std::chrono::steady_clock::now() - last_progress).count() <
            patience)
            continue;
        const ap_json::SitlTraffic traffic = sitl_.traffic();
        std::string advice;
        sitl_.use([&](ap_json::SitlModel& model) { advice = model.reader().advice(); });
        std::ostringstream what;
        what << "SITL's clock has stood still for " << patience << " s. ";
        if (traffic.accepted + traffic.rejected == 0) {
            what << "Nothing comes from " << options_.backend_address << ":"
                 << options_.backend_port + 10 * options_.instance
                 << ": is the backend running, does it listen there, and does it send?";
        } else if (!advice.empty()) {
            what << advice;
        } else {
            what << "The backend has stopped to answer, or its timestamps do not rise.";
        }
        return complain(what.str()) == Outcome::done;
    }
    return false;
}

SitlSession::Outcome SitlSession::wait(const Words& words) {
    const auto seconds = words.size() == 2 ? to_number(words[1]) : std::nullopt;
    if (!seconds || *seconds < 0) return complain("the command is: wait SECONDS, such as wait 2.5");
    double clock = 0;
    sitl_.use([&](ap_json::SitlModel& model) { clock = model.clock(); });
    const double end = clock + *seconds;
    while (clock < end) {
        clock = std::min(clock + row_interval, end);
        if (!wait_until_clock(clock, longest_silence)) return Outcome::failed;
        print_row();
    }
    return Outcome::done;
}

/// The live view of `ap_json tap`, where stderr is a terminal; rows as in wait elsewhere.
SitlSession::Outcome SitlSession::watch(const Words& words) {
    const auto seconds = words.size() == 2 ? to_number(words[1]) : std::nullopt;
    if (!seconds || *seconds < 0) return complain("the command is: watch SECONDS, such as watch 60");
    if (!Screen::possible()) return wait({"wait", words[1]});
    double clock = 0;
    sitl_.use([&](ap_json::SitlModel& model) { clock = model.clock(); });
    const double end = clock + *seconds;
    Screen screen;
    LiveExtras extras;
    extras.title = "ap_json sitl";
    extras.footer = "Ctrl-C ends";
    while (clock < end && !interrupted) {
        sitl_.wait_until([end](const ap_json::SitlModel& model) { return model.clock() >= end; }, 200ms);
        sitl_.use([&](ap_json::SitlModel& model) { clock = model.death().empty() ? model.clock() : end; });
        screen.show(render_screen(snapshot(), extras, Screen::glyphs()));
    }
    return Outcome::done;
}

LinkSnapshot SitlSession::snapshot() {
    const std::lock_guard lock(monitor_mutex_);
    return monitor_.snapshot(std::chrono::steady_clock::now().time_since_epoch());
}

void SitlSession::print_screen() {
    for (const LiveLine& line : render_screen(snapshot(), {}, Screen::glyphs())) {
        if (!line.text.empty()) std::fprintf(out_, "%s\n", line.text.c_str());
    }
}

void SitlSession::print_row() {
    if (!header_shown_) {
        std::fprintf(out_, "%8s  %-7s %-8s %6s %9s %9s %9s %8s %8s %8s\n", "time s", "mode", "", "servo3",
                     "north m", "east m", "down m", "vn m/s", "ve m/s", "yaw deg");
        header_shown_ = true;
    }
    sitl_.use([this](ap_json::SitlModel& model) {
        const ap_json::State& state = model.reader().state();
        std::fprintf(out_, "%8.2f  %-7s %-8s %6u %9.3f %9.3f %9.3f %8.3f %8.3f %8.2f\n", model.clock(),
                     model.mode(), model.armed() ? "armed" : "disarmed", unsigned{model.servo(3)},
                     state.position.x, state.position.y, state.position.z, state.velocity.x, state.velocity.y,
                     state.attitude.yaw * degrees);
    });
    std::fflush(out_);
}

void SitlSession::print_status() {
    const ap_json::SitlTraffic traffic = sitl_.traffic();
    const std::uint16_t port = sitl_.own_port();
    sitl_.use([&](ap_json::SitlModel& model) {
        std::fprintf(out_, "SITL at port %u, frame %u, clock %.3f s, %s, %s\n", unsigned{port},
                     unsigned{model.frame_count()}, model.clock(), model.mode(),
                     model.armed() ? "armed" : "disarmed");
        std::fprintf(
            out_,
            "lines accepted %llu, rejected %llu; packets sent %llu, of which again after silence %llu\n",
            static_cast<unsigned long long>(traffic.accepted),
            static_cast<unsigned long long>(traffic.rejected),
            static_cast<unsigned long long>(traffic.packets),
            static_cast<unsigned long long>(traffic.resends));
        if (!model.death().empty()) std::fprintf(out_, "SITL has died: %s\n", model.death().c_str());
        if (traffic.accepted == 0) {
            std::fprintf(out_, "nothing has been accepted yet from %s:%d%s%s\n",
                         options_.backend_address.c_str(), options_.backend_port + 10 * options_.instance,
                         model.reader().advice().empty() ? "" : ": ", model.reader().advice().c_str());
            return;
        }
        print_screen();
        print_vector(out_, "specific force", model.reader().state().specific_force,
                     "m/s2 (at rest and level: 0 0 -9.81)");
        print_vector(out_, "gyro", model.reader().state().gyro, "rad/s");
        std::fprintf(out_, "  fields:");
        for (const std::string& key : model.reader().keys()) std::fprintf(out_, " [%s]", key.c_str());
        std::fprintf(out_, "\n");
        if (!model.reader().advice().empty())
            std::fprintf(out_, "  newest line: %s\n", model.reader().advice().c_str());
    });
    std::fflush(out_);
}

SitlSession::Outcome SitlSession::expect(const Words& words) {
    const double nan = std::nan("");
    const double wanted = words.size() == 4 ? to_number(words[2]).value_or(nan) : nan;
    const double tolerance = words.size() == 4 ? to_number(words[3]).value_or(nan) : nan;
    if (!std::isfinite(wanted) || !(tolerance >= 0))
        return complain("the command is: expect NAME VALUE WITHIN, such as expect vn 1 0.05");
    for (const Quantity& quantity : quantities) {
        if (words[1] != quantity.name) continue;
        double value = 0;
        sitl_.use([&](ap_json::SitlModel& model) { value = quantity.value(model.reader().state()); });
        const bool met = std::fabs(value - wanted) <= tolerance;
        char text[160];
        std::snprintf(text, sizeof text, "%-6s %-5s %9.3f %-4s expected %g within %g",
                      met ? "right" : "WRONG", quantity.name, value, quantity.unit, wanted, tolerance);
        expectations_.emplace_back(text);
        if (!met) ++failed_expectations_;
        say(text);
        return Outcome::done;
    }
    return complain("unknown quantity \"" + words[1] + "\"; \"help\" lists them");
}

void SitlSession::print_summary() {
    sitl_.stop();
    const ap_json::SitlTraffic traffic = sitl_.traffic();
    if (!expectations_.empty()) {
        say("expectations:");
        for (const std::string& text : expectations_) say("  " + text);
    }
    say("lines accepted " + std::to_string(traffic.accepted) + ", rejected " +
        std::to_string(traffic.rejected) + "; packets sent " + std::to_string(traffic.packets) +
        ", of which again after silence " + std::to_string(traffic.resends));
}
