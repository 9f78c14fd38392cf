// options.hpp - what the examples share: the command line options that say where to listen, an end on Ctrl-C,
// and the summary at the end.
#pragma once

#include <CLI/CLI.hpp>
#include <ap_json/client.hpp>
#include <ap_json/thread_pin.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <optional>
#include <string>

namespace example {

struct LinkOptions {
    ap_json::ClientOptions client;
    std::string wait = "block";
    int core = -1;  // to stay on; -1 = any
};

inline void add_link_options(CLI::App& app, LinkOptions& link) {
    ap_json::ClientOptions& options = link.client;
    app.add_option("--address", options.address,
                   "IPv4 address to listen on; 0.0.0.0 when SITL runs elsewhere")
        ->capture_default_str();
    app.add_option("--port", options.port, "UDP port to listen on; 0 = any free one")
        ->check(CLI::Range(0, 65535))
        ->capture_default_str();
    app.add_option("--instance", options.instance, "SITL's instance (its -I): adds 10 x N to the port")
        ->check(CLI::Range(0, 6553))
        ->capture_default_str();
    app.add_option("--wait", link.wait, "How to wait for SITL; see docs/performance.md")
        ->check(CLI::IsMember({"block", "spin", "spin_then_block"}))
        ->capture_default_str();
    app.add_option("--core", link.core, "Stay on this core of the processor");
    options.log = [](std::string_view message) {
        std::printf("%.*s\n", static_cast<int>(message.size()), message.data());
        std::fflush(stdout);
    };
}

inline volatile std::sig_atomic_t interrupted = 0;

/// Ctrl-C sets `interrupted`, and so does a polite request to end.
inline void end_on_ctrl_c() {
    const auto handler = [](int) { interrupted = 1; };
    std::signal(SIGINT, handler);
    std::signal(SIGTERM, handler);
}

/// Reads the command line. @return what the program has to end with, if it has to: 0 after --help, 2 when it was
/// used wrongly
inline std::optional<int> parse(CLI::App& app, int argc, char** argv) {
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    end_on_ctrl_c();
    return std::nullopt;
}

inline ap_json::Error open(ap_json::Client& client, LinkOptions& link) {
    using ap_json::WaitMode;
    link.client.wait_mode = link.wait == "spin"              ? WaitMode::spin
                            : link.wait == "spin_then_block" ? WaitMode::spin_then_block
                                                             : WaitMode::block;
    if (link.core >= 0) {
        if (auto error = ap_json::pin_calling_thread(link.core)) return error;
    }
    return client.open(link.client);
}

/// The step of so many a second, in whole microseconds, which keep SITL's clock and the physics' together.
inline std::chrono::microseconds step_at(int rate) {
    return std::chrono::microseconds((1000000 + rate / 2) / rate);
}

inline int report(const ap_json::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.message());
    return 1;
}

inline void print_summary(const ap_json::Client& client) {
    const ap_json::Statistics& s = client.statistics();
    const auto number = [](std::uint64_t n) { return static_cast<unsigned long long>(n); };
    std::printf(
        "link %s: received %llu, sent %llu, repeated %llu, missed %llu, drained %llu, restarts %llu, losses "
        "%llu, "
        "rejected %llu, refused %llu\n",
        to_string(client.status()), number(s.received), number(s.sent), number(s.repeated), number(s.missed),
        number(s.drained), number(s.restarts), number(s.losses),
        number(s.rejected_length + s.rejected_magic + s.rejected_sender), number(s.refused));
}

}  // namespace example
