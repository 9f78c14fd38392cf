// options.hpp - what the examples share: the command line options that say where to listen, an end on Ctrl-C,
// and the summary at the end.
#pragma once

#include <CLI/CLI.hpp>
#include <ap_json/client.hpp>
#include <ap_json/thread_pin.hpp>
#include <csignal>
#include <cstdio>
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
    app.add_option("--port", options.port, "UDP port to listen on")->capture_default_str();
    app.add_option("--instance", options.instance, "SITL's instance (its -I): adds 10 x N to the port")
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

inline volatile std::sig_atomic_t interrupted = 0;

/// Ctrl-C sets `interrupted`, and so does a polite request to end.
inline void end_on_ctrl_c() {
    const auto handler = [](int) { interrupted = 1; };
    std::signal(SIGINT, handler);
    std::signal(SIGTERM, handler);
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
