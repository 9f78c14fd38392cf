// px4_command.cpp - options of `ap_json px4`, and what it prints.
#include "px4_command.hpp"

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <memory>
#include <px4_hil/px4_stand_in.hpp>
#include <string>

#include "exit_code.hpp"
#include "interrupt.hpp"

namespace {

struct Options {
    px4_hil::Px4StandInOptions px4;
    std::string release = "1.15";
    bool no_hitl = false;
    int silent_after = 0;  // s
    int reboot_after = 0;  // s
};

/// What is worth a line when it changes.
struct Picture {
    bool armed = false, hil = false;
    px4_hil::Px4Mode mode;
    std::size_t items = 0;
    int reached = -1;

    friend bool operator==(const Picture& a, const Picture& b) {
        return a.armed == b.armed && a.hil == b.hil && a.mode == b.mode && a.items == b.items &&
               a.reached == b.reached;
    }
};

Picture picture_of(const px4_hil::Px4Model& model) {
    return {model.armed(), model.hil(), model.mode(), model.mission().size(), model.reached()};
}

void print(const Picture& picture) {
    std::printf("PX4: %s, %s, %s, route of %zu", to_string(picture.mode),
                picture.armed ? "armed" : "disarmed", picture.hil ? "HIL" : "no HIL", picture.items);
    if (picture.reached >= 0) std::printf(", reached %d", picture.reached);
    std::printf("\n");
    std::fflush(stdout);
}

int run(Options& options) {
    using namespace std::chrono_literals;
    options.px4.model.release = options.release == "1.8"    ? px4_hil::Px4Release::v1_8
                                : options.release == "1.10" ? px4_hil::Px4Release::v1_10
                                                            : px4_hil::Px4Release::v1_15;
    options.px4.model.sys_hitl = options.no_hitl ? 0 : 1;
    options.px4.model.hardware = options.px4.simulator_link.empty();
    end_on_ctrl_c();
    px4_hil::Px4StandIn px4;
    if (auto error = px4.start(options.px4)) {
        std::fprintf(stderr, "error: %s\n", error.message());
        return exit_used_wrongly;
    }
    if (px4.device().empty()) {
        std::printf("linked by %s\n", options.px4.link.c_str());
    } else {
        std::printf("serial port %s\n", px4.device().c_str());
    }
    std::fflush(stdout);
    Picture shown;
    px4.use([&](px4_hil::Px4Model& model) { shown = picture_of(model); });
    print(shown);
    const auto begin = std::chrono::steady_clock::now();
    const auto due = [&](int& after) {
        if (after == 0 || std::chrono::steady_clock::now() - begin < std::chrono::seconds(after))
            return false;
        after = 0;
        return true;
    };
    while (!interrupted) {
        Picture now = shown;
        const bool changed = px4.wait_until(
            [&](const px4_hil::Px4Model& model) { return !((now = picture_of(model)) == shown); }, 100ms);
        if (changed) print(shown = now);
        if (due(options.silent_after)) {
            std::printf("PX4: falls silent\n");
            px4.use([](px4_hil::Px4Model& model) { model.set_silent(true); });
        }
        if (due(options.reboot_after)) {
            std::printf("PX4: reboots\n");
            px4.use([](px4_hil::Px4Model& model) { model.reboot(std::chrono::steady_clock::now()); });
        }
    }
    return exit_ok;
}

}  // namespace

void add_px4_command(CLI::App& app, int& exit_code) {
    CLI::App* command = app.add_subcommand(
        "px4", "A stand-in for a PX4 rover: takes a route and drives a simulator along it");
    auto options = std::make_shared<Options>();
    px4_hil::Px4StandInOptions& px4 = options->px4;
    command
        ->add_option("--link", px4.link,
                     "pty (a pseudo-terminal; its name is printed), udp:PORT, udp:ADDRESS:PORT, tcp:PORT, "
                     "tcp:ADDRESS:PORT: "
                     "sends or connects there")
        ->capture_default_str();
    command->add_option(
        "--simulator-link", px4.simulator_link,
        "Be PX4 SITL in lockstep: tcp:4560, where the simulator listens; --link is for ground stations then");
    command->add_option("--release", options->release, "Behave like this release of PX4")
        ->check(CLI::IsMember({"1.8", "1.10", "1.15"}))
        ->capture_default_str();
    command->add_flag("--no-hitl", options->no_hitl, "The parameter SYS_HITL is 0 at first");
    command->add_flag("--armed", px4.model.armed, "It is armed at the start");
    command->add_option("--system", px4.model.identity.system, "System id")
        ->check(CLI::Range(1, 250))
        ->capture_default_str();
    command->add_option("--speed", px4.model.speed, "m/s along the route")
        ->check(CLI::Range(0.5, 10.0))
        ->capture_default_str();
    const auto rate = [command](const char* name, double& value, const char* what) {
        command->add_option(name, value, what)->check(CLI::Range(0.0, 1.0))->capture_default_str();
    };
    rate("--lose", px4.faults.lost, "Share of the link's bytes that do not arrive");
    rate("--double", px4.faults.doubled, "Share that arrive twice");
    rate("--flip", px4.faults.flipped, "Share with a bit wrong");
    command->add_option("--silent-after", options->silent_after, "Fall silent after so many seconds")
        ->check(CLI::Range(0, 86400));
    command->add_option("--reboot-after", options->reboot_after, "Reboot after so many seconds")
        ->check(CLI::Range(0, 86400));
    command->footer(
        R"(Where it differs from the real PX4: no estimator, so it believes what it is told and arms at once; a path
follower of a few lines; the only parameter is SYS_HITL.

Example: build/examples/px4_rover --link tcp:4560, and in another terminal: ap_json px4 --link tcp:4560)");
    command->callback([options, &exit_code] { exit_code = run(*options); });
}
