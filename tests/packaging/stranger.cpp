// stranger.cpp - a stranger's program: flies one frame with the stand-in SITL over the loopback. Ends with 0 only if the
// frame came back accepted and the library is of the version of the headers.
#include <ap_json/ap_json.hpp>
#include <ap_json/sitl_stand_in.hpp>
#include <chrono>
#include <cstdio>

int main() {
    using namespace std::chrono_literals;
    std::printf("ap_json %s, headers of %s\n", ap_json::linked_version_text(), AP_JSON_VERSION);
    if (ap_json::linked_version() != ap_json::version_number) return 1;

    ap_json::Client client;
    ap_json::ClientOptions options;
    options.port = 0;
    if (const auto error = client.open(options)) return std::puts(error.message()), 1;

    ap_json::SitlStandIn sitl;
    ap_json::SitlStandInOptions stand_in;
    stand_in.backend_port = client.port();
    if (const auto error = sitl.start(stand_in)) return std::puts(error.message()), 1;
    if (!client.receive(10s)) return std::puts("no servo packet came"), 1;
    if (const auto error = client.send({})) return std::puts(error.message()), 1;
    const auto next = client.receive(10s);  // the next frame, not a repetition: the state was accepted
    if (!next || next->repeated()) return std::puts("the state was not accepted"), 1;
    std::puts("one frame flown");
    return 0;
}
