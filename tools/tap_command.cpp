// tap_command.cpp - options of `ap_json tap`, its live view and its summary.
#include "tap_command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>

#include "exit_code.hpp"
#include "live_view.hpp"
#include "tap.hpp"

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

namespace {

constexpr auto picture_interval = 200ms;
constexpr auto line_interval = 1s;
constexpr double longest_delay = 60e3;       // ms
constexpr double longest_run = 86400 * 365;  // s

struct Options {
    TapOptions tap;
    int instance = 0;
    double seconds = 0;
    bool json = false;
    bool quiet = false;
    Disturbance disturbance;
    std::string pause;
    std::string direction = "both";
};

/// "EVERY:FOR" in s. @return empty, or what is wrong with it
std::string parse_pause(const std::string& text, Disturbance& disturbance) {
    char* end = nullptr;
    const double every = std::strtod(text.c_str(), &end);
    const bool both = end != text.c_str() && *end == ':' && end[1] != '\0';
    const char* second = both ? end + 1 : "";
    const double length = std::strtod(second, &end);
    if (!both || *end != '\0' || !(every > 0 && length > 0 && length < every && every < longest_run))
        return "is not EVERY:FOR in seconds with FOR shorter than EVERY, such as 10:2";
    disturbance.pause_every = every;
    disturbance.pause_for = length;
    return {};
}

/// Adds the instance to both ports. @return empty, or what is wrong
std::string apply_instance(Options& options) {
    for (int* port : {&options.tap.port, &options.tap.backend_port}) {
        if (*port != 0) *port += 10 * options.instance;
        if (*port > 65535)
            return "--instance: the port would be " + std::to_string(*port) + "; the highest is 65535";
    }
    return {};
}

void apply_direction(Options& options) {
    if (options.direction != "to-sitl") options.tap.to_backend = options.disturbance;
    if (options.direction != "to-backend") options.tap.to_sitl = options.disturbance;
}

std::string describe(const char* name, const DisturbanceCounts& c) {
    std::ostringstream text;
    text << name << " lost " << c.lost << "  delayed " << c.delayed << "  doubled " << c.duplicated
         << "  swapped " << c.reordered << "  cut " << c.truncated << "  flipped " << c.flipped;
    return text.str();
}

std::string without_digits(std::string text) {
    text.erase(std::remove_if(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }),
               text.end());
    return text;
}

// ---- while it runs

class View {
  public:
    View(const Options& options, const Tap& tap) : options_(options), tap_(tap) {
        if (!options.quiet && Screen::possible()) screen_.emplace();
    }

    [[nodiscard]] std::chrono::nanoseconds interval() const {
        if (screen_) return picture_interval;
        return line_interval;
    }

    void update() {
        const LinkSnapshot link = tap_.snapshot();
        const std::string warning = this->warning();
        if (screen_) {
            screen_->show(render_screen(link, extras(warning), Screen::glyphs()));
            return;
        }
        if (!warning.empty() && !warned_) {  // even with --quiet
            print_progress(warning);
            warned_ = true;
        }
        if (options_.quiet) return;
        print_progress(render_line(link));
        const std::string advice = without_digits(link.advice);  // new figures are no news
        if (advice != advice_ && !advice.empty()) print_progress("  " + link.advice);
        advice_ = advice;
    }

    /// What Ctrl-Z does: the terminal is the shell's until `fg`.
    [[nodiscard]] std::function<void()> suspend() {
        if (!screen_) return nullptr;
        return [this] {
            screen_.reset();
#if !defined(_WIN32)
            std::raise(SIGSTOP);
#endif
            screen_.emplace();
        };
    }

  private:
    [[nodiscard]] std::string warning() const {
        if (!tap_.recording_problem().empty())
            return "The recording has ended: " + tap_.recording_problem() + ". The link goes on.";
        return tap_.send_problem();
    }

    [[nodiscard]] LiveExtras extras(const std::string& warning) const {
        LiveExtras extras;
        extras.title = "ap_json tap";
        extras.warning = warning;
        if (options_.tap.to_backend.any())
            extras.disturbance.push_back(describe("to backend:", tap_.to_backend()));
        if (options_.tap.to_sitl.any()) extras.disturbance.push_back(describe("to SITL:   ", tap_.to_sitl()));
        if (!options_.tap.record.empty())
            extras.footer =
                "recorded " + std::to_string(tap_.counts().recorded) + " in " + options_.tap.record + "   ";
        extras.footer += "Ctrl-C ends";
        return extras;
    }

    const Options& options_;
    const Tap& tap_;
    std::optional<Screen> screen_;
    bool warned_ = false;
    std::string advice_;
};

// ---- at the end

Json to_json(const RoundTrips& r) {
    return {{"count", r.count}, {"p50", r.p50}, {"p90", r.p90}, {"p99", r.p99}, {"max", r.max}};
}

Json to_json(const DisturbanceCounts& c) {
    return {{"arrived", c.arrived},      {"lost", c.lost},           {"duplicated", c.duplicated},
            {"delayed", c.delayed},      {"reordered", c.reordered}, {"truncated", c.truncated},
            {"flipped", c.flipped},      {"left", c.left},           {"waiting", c.waiting},
            {"overflowed", c.overflowed}};
}

double per_second(std::uint64_t count, double seconds) {
    return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

Json summary_as_json(const Options& options, const Tap& tap, const LinkSnapshot& link) {
    const LinkCounts& c = link.counts;
    Json summary;
    summary["sitl"] = link.sitl;
    summary["listening_on"] = link.here;
    summary["backend"] = link.backend;
    summary["status"] = to_string(link.status);
    summary["seconds"] = link.elapsed;
    summary["simulated_seconds"] = link.simulated;
    summary["active_seconds"] = link.active;
    summary["speed"] = link.active > 0 ? link.simulated / link.active : 0;
    summary["packets"] = c.packets;
    summary["packets_per_second"] = per_second(c.packets, link.active);
    summary["frames"] = {{"first", c.first}, {"next", c.next},     {"repeated", c.repeated},
                         {"gaps", c.gaps},   {"missed", c.missed}, {"restarted", c.restarted},
                         {"stale", c.stale}};
    summary["unanswered"] = c.unanswered;
    summary["rejected"] = {{"length", c.rejected_length}, {"magic", c.rejected_magic}};
    summary["lines"] = c.lines;
    summary["lines_per_second"] = per_second(c.lines, link.active);
    summary["line_verdicts"] = {{"accepted", c.accepted},
                                {"rejected", c.rejected},
                                {"incomplete", c.incomplete},
                                {"full", c.full},
                                {"fatal", c.fatal}};
    summary["unasked"] = c.unasked;
    summary["lines_elsewhere"] = c.elsewhere;
    summary["round_trip_us"] = to_json(link.round_trips_total);
    summary["frame_rate_hz"] = link.servos ? link.servos->frame_rate : 0;
    summary["seed"] = options.tap.seed;
    summary["to_backend"] = to_json(tap.to_backend());
    summary["to_sitl"] = to_json(tap.to_sitl());
    summary["senders"] = tap.counts().senders;
    summary["forgotten_senders"] = tap.counts().forgotten;
    summary["crowded_out"] = tap.counts().crowded_out;
    summary["not_sent"] = tap.counts().not_sent;
    summary["recorded"] = tap.counts().recorded;
    summary["recording_problem"] = tap.recording_problem();
    summary["advice"] = link.advice;
    return summary;
}

void print_summary(const Options& options, const Tap& tap, const LinkSnapshot& link) {
    const LinkCounts& c = link.counts;
    const auto n = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
    std::printf("SITL %s <> %s <> backend %s\n", link.sitl.empty() ? "(not seen)" : link.sitl.c_str(),
                link.here.c_str(), link.backend.c_str());
    std::printf(
        "time          %.1f s, of which SITL was sending %.1f s; simulated %.1f s: %.2f x real time\n",
        link.elapsed, link.active, link.simulated, link.active > 0 ? link.simulated / link.active : 0);
    std::printf("packets       %llu, %.1f a second, unanswered %llu\n", n(c.packets),
                per_second(c.packets, link.active), n(c.unanswered));
    std::printf("frames        next %llu, repeated %llu, lost %llu, restarted %llu, stale %llu\n", n(c.next),
                n(c.repeated), n(c.missed), n(c.restarted), n(c.stale));
    std::printf("lines         %llu, %.1f a second, accepted %llu, refused %llu, unasked %llu\n", n(c.lines),
                per_second(c.lines, link.active), n(c.accepted),
                n(c.rejected + c.incomplete + c.full + c.fatal), n(c.unasked));
    std::printf("round trip    p50 %.0f us, p90 %.0f us, p99 %.0f us, max %.0f us\n",
                link.round_trips_total.p50, link.round_trips_total.p90, link.round_trips_total.p99,
                link.round_trips_total.max);
    std::printf("strays        wrong length %llu, wrong magic %llu, answers to them %llu\n",
                n(c.rejected_length), n(c.rejected_magic), n(c.elsewhere));
    const auto print_disturbance = [&](const char* name, const DisturbanceCounts& d) {
        std::printf(
            "%s arrived %llu, lost %llu, delayed %llu, duplicated %llu, reordered %llu, truncated %llu, "
            "flipped %llu, left %llu, waiting %llu\n",
            name, n(d.arrived), n(d.lost), n(d.delayed), n(d.duplicated), n(d.reordered), n(d.truncated),
            n(d.flipped), n(d.left), n(d.waiting));
    };
    if (options.tap.to_backend.any()) print_disturbance("to backend   ", tap.to_backend());
    if (options.tap.to_sitl.any()) print_disturbance("to SITL      ", tap.to_sitl());
    if (options.tap.to_backend.any() || options.tap.to_sitl.any())
        std::printf("seed          %llu\n", n(options.tap.seed));
    if (tap.counts().not_sent > 0)
        std::printf("not sent      %llu; %s\n", n(tap.counts().not_sent), tap.send_problem().c_str());
    if (!options.tap.record.empty())
        std::printf("recorded      %llu datagrams in %s\n", n(tap.counts().recorded),
                    options.tap.record.c_str());
    if (!link.advice.empty()) std::printf("advice        %s\n", link.advice.c_str());
}

int run_checked(Options& options) {
    std::string problem = apply_instance(options);
    apply_direction(options);
    options.tap.note = "ap_json tap, backend " + options.tap.backend_address + ":" +
                       std::to_string(options.tap.backend_port);
    Tap tap(options.tap);
    if (problem.empty()) problem = tap.open();
    if (!problem.empty()) {
        std::cerr << "error: " << problem << std::endl;
        return exit_used_wrongly;
    }
    // Whoever reads the JSON wants nothing else there.
    (options.json ? std::cerr : std::cout) << "listening on UDP " << tap.listening_on() << std::endl;
    const auto duration =
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(options.seconds));
    {
        View view(options, tap);
        tap.run(
            duration, view.interval(), [&] { view.update(); }, view.suspend());
    }
    const LinkSnapshot link = tap.snapshot();
    if (options.json) {
        std::cout << summary_as_json(options, tap, link).dump(2, ' ', true, Json::error_handler_t::replace)
                  << std::endl;
    } else {
        print_summary(options, tap, link);
    }
    if (tap.recording_problem().empty()) return exit_ok;
    std::cerr << "error: the recording is not complete: " << tap.recording_problem() << std::endl;
    return exit_found;
}

int run(Options& options) {
    try {
        return run_checked(options);
    } catch (const std::exception& error) {  // no memory, no file descriptors
        std::cerr << "error: " << error.what() << std::endl;
        return exit_used_wrongly;
    }
}

// ---- options

/// CLI::Range lets "nan" pass.
CLI::Validator range(double lowest, double highest) {
    return CLI::Range(lowest, highest) &
           CLI::Validator(
               [](std::string& text) {
                   const bool finite = std::isfinite(std::strtod(text.c_str(), nullptr));
                   return finite ? std::string() : "Value " + text + " is not a number";
               },
               "");
}

void add_link_options(CLI::App& command, Options& options) {
    command
        .add_option("--address", options.tap.address,
                    "IPv4 address that SITL sends to; 0.0.0.0 when it runs elsewhere")
        ->capture_default_str();
    command.add_option("--port", options.tap.port, "UDP port that SITL sends to; 0 = any free one")
        ->check(CLI::Range(0, 65535))
        ->capture_default_str();
    command
        .add_option("--backend-address", options.tap.backend_address, "IPv4 address of the physics backend")
        ->capture_default_str();
    command.add_option("--backend-port", options.tap.backend_port, "UDP port of the physics backend")
        ->check(CLI::Range(1, 65535))
        ->capture_default_str();
    command.add_option("--instance", options.instance, "SITL's instance (its -I): adds 10 x N to both ports")
        ->check(CLI::Range(0, 6553))
        ->capture_default_str();
}

void add_disturbances(CLI::App& command, Options& options) {
    const auto add = [&](const char* name, double& value, double highest, const char* text) {
        command.add_option(name, value, text)
            ->check(range(0.0, highest))
            ->group("Disturbances")
            ->capture_default_str();
    };
    Disturbance& d = options.disturbance;
    add("--loss", d.loss, 100, "Percent of the datagrams that get lost");
    add("--delay", d.delay, longest_delay, "Milliseconds that each is late");
    add("--jitter", d.jitter, longest_delay, "Up to so many milliseconds more, at random; the order stays");
    add("--duplicate", d.duplicate, 100, "Percent that arrive twice");
    add("--reorder", d.reorder, 100, "Percent that change places with the next one");
    add("--truncate", d.truncate, 100, "Percent that are cut");
    add("--flip", d.flip, 100, "Percent in which one bit is flipped");
    command
        .add_option("--pause", options.pause,
                    "EVERY:FOR: every EVERY seconds the link stands still FOR seconds")
        ->check(CLI::Validator(
            [](std::string& text) {
                Disturbance ignored;
                return parse_pause(text, ignored);
            },
            "EVERY:FOR"))
        ->group("Disturbances");
    command.add_option("--direction", options.direction, "Which datagrams are disturbed")
        ->check(CLI::IsMember({"both", "to-backend", "to-sitl"}))
        ->group("Disturbances")
        ->capture_default_str();
    command.add_option("--seed", options.tap.seed, "The same seed disturbs in the same way")
        ->group("Disturbances")
        ->capture_default_str();
}

}  // namespace

void add_tap_command(CLI::App& app, int& exit_code) {
    CLI::App* command = app.add_subcommand(
        "tap", "Sits between SITL and a backend: shows the link live, records it, disturbs it on purpose");
    auto options = std::make_shared<Options>();
    add_link_options(*command, *options);
    command->add_option("--record", options->tap.record, "Write every datagram to this file (JSON Lines)");
    command->add_option("--seconds", options->seconds, "End after so many seconds; 0 = at Ctrl-C")
        ->check(range(0.0, longest_run))
        ->capture_default_str();
    command->add_flag("--json", options->json, "Print the summary as one JSON object");
    command->add_flag("--quiet", options->quiet, "No live view, only the summary");
    add_disturbances(*command, *options);
    command->footer(
        R"(SITL sends to tap, tap sends to the backend. The live view is on stderr: a screen when that is a
terminal, otherwise a line a second. The summary is on stdout when it ends: at Ctrl-C or after --seconds.
Round trips are what SITL sees: from its packet to the line that goes to it, disturbances included.
Ends with 0; with 1 when the recording is not complete; with 2 when it was used wrongly.

Example: the backend on another port than usual, tap in its place, SITL as always:
  simpleRover --port 9003
  ap_json tap --record drive.jsonl --delay 2 --jitter 3
  sim_vehicle.py -v Rover -f JSON)");
    command->callback([options, &exit_code] {
        if (!options->pause.empty()) parse_pause(options->pause, options->disturbance);
        exit_code = run(*options);
    });
}
