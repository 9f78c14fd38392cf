// setpoint_negotiation.cpp - an external mode of PX4 that asks, before flight, whether its setpoints are taken, and then
// tells PX4 that they come. Instead of flying it prints what it learns. Without a PX4: ap_json px4-setpoint answers.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <px4_setpoint/dds.hpp>
#include <px4_setpoint/px4_setpoint.hpp>
#include <string>

using namespace px4_setpoint;
using namespace std::chrono_literals;

namespace {

const char* yes_no(bool value) { return value ? "yes" : "no"; }

int report(const Error& error) {
    std::fprintf(stderr, "error: %s\n", error.message().c_str());
    return 1;
}

// Before flight: asks for all declared types.
Error check(Negotiator& mode, DdsClient& client) {
    if (auto error = mode.check(std::chrono::steady_clock::now())) return error;
    while (mode.state() != State::checked) {
        if (auto error = exchange(client, {&mode}, 100ms)) return error;
        if (mode.state() == State::failed) return mode.error();
    }
    return {};
}

void print(const Requirements& needs) {
    std::printf(
        "the arming check has to require: angular velocity %s, attitude %s, local altitude %s, local "
        "position %s\n",
        yes_no(needs.angular_velocity), yes_no(needs.attitude), yes_no(needs.local_altitude),
        yes_no(needs.local_position));
}

// In flight: PX4 has made the mode active, and the mode sends setpoints.
Error fly(Negotiator& mode, DdsClient& client, SetpointType type) {
    if (auto error = mode.activate(std::chrono::steady_clock::now())) return error;
    while (mode.state() != State::active) {
        const auto now = std::chrono::steady_clock::now();
        if (auto error = mode.setpoint(type, now)) return error;
        // Here a mode publishes its setpoint.
        if (auto warning = mode.warning(now)) return warning;
        if (auto error = exchange(client, {&mode}, 20ms)) return error;
    }
    mode.deactivate();
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Negotiates setpoints with PX4 as an external mode does.");
    NegotiatorOptions options;
    options.types = {SetpointType::trajectory};
    DdsOptions dds;
    int source_id = first_external_mode;
    app.add_option("--source-id", source_id, "The mode's id, from PX4's answer to its registration")
        ->check(CLI::Range(0, 255))
        ->capture_default_str();
    app.add_option("--domain", dds.domain, "DDS domain")->envname("ROS_DOMAIN_ID")->capture_default_str();
    app.add_option("--namespace", dds.topic_namespace, "Namespace of the topics, such as uav_1");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    options.source_id = static_cast<std::uint8_t>(source_id);

    DdsClient client;
    if (auto error = client.open(dds)) return report(error);
    Negotiator mode(options);
    if (auto error = check(mode, client)) return report(error);
    std::printf("PX4 takes TRAJECTORY\n");
    print(mode.requirements());
    if (auto error = fly(mode, client, SetpointType::trajectory)) return report(error);
    std::printf("PX4 has applied TRAJECTORY: setpoints may flow\n");

    options.types = {SetpointType::rover_position};
    Negotiator rover(options);
    if (auto error = check(rover, client)) {
        std::printf("ROVER_POSITION: %s: %s\n", to_string(error.code()), error.message().c_str());
    } else {
        std::printf("PX4 takes ROVER_POSITION, too: it drives a rover\n");
    }
    return 0;
}
