// px4_setpoint_command.cpp - options of `ap_json px4-setpoint`, and its loop.
#include "px4_setpoint_command.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <memory>
#include <px4_setpoint/px4_setpoint.hpp>
#include <string>
#include <vector>

#include "exit_code.hpp"

#if defined(AP_JSON_WITH_DDS)
#include <px4_setpoint/dds.hpp>

#include "interrupt.hpp"
#endif

namespace {

using namespace px4_setpoint;

struct Options {
    VehicleType vehicle = VehicleType::rotary_wing;
    bool is_vtol = false;
    bool old_vtol_rule = false;
    std::vector<int> registered = {23, 24, 25, 26, 27, 28, 29, 30};
    unsigned domain = 0;
    std::string topic_namespace;
};

#if defined(AP_JSON_WITH_DDS)

constexpr auto cycle_time = std::chrono::milliseconds(10);  // PX4 looks so often

ResponderOptions responder_options(const Options& options) {
    ResponderOptions result;
    result.vehicle = {options.vehicle, options.is_vtol};
    result.vtol_rule = options.old_vtol_rule ? VtolRule::in_form_only : VtolRule::in_any_form;
    result.registered = 0;
    for (const int id : options.registered)
        result.registered |= static_cast<std::uint8_t>(1U << (id - first_external_mode));
    return result;
}

void print(const SetpointConfig& request, const SetpointConfigReply& reply) {
    std::printf("mode %u %s %s (%u): %s\n", unsigned{request.source_id},
                request.should_apply ? "applies" : "asks for", to_string(request.type),
                static_cast<unsigned>(request.type), to_string(reply.result));
    std::fflush(stdout);
}

int run(const Options& options) {
    DdsResponder end;
    if (auto error = end.open({options.domain, options.topic_namespace})) {
        std::fprintf(stderr, "error: %s\n", error.message().c_str());
        return exit_used_wrongly;
    }
    std::printf("answering as PX4 with a %s%s, DDS domain %u, topic %s\n", to_string(options.vehicle),
                options.is_vtol ? " (VTOL)" : "", options.domain,
                dds_topic(setpoint_config_topic, options.topic_namespace).c_str());
    std::fflush(stdout);
    end_on_ctrl_c();
    Responder px4(responder_options(options));
    const auto start = std::chrono::steady_clock::now();
    while (interrupted == 0) {
        const auto request = end.receive(cycle_time);
        if (!request) continue;
        px4.request(*request);
        const auto age = std::chrono::steady_clock::now() - start;
        const auto time = std::chrono::duration_cast<std::chrono::microseconds>(age).count();
        const auto reply = px4.cycle(static_cast<std::uint64_t>(time));
        if (!reply) continue;
        print(*request, *reply);
        if (auto error = end.send(*reply)) std::fprintf(stderr, "error: %s\n", error.message().c_str());
    }
    std::printf("requests %llu, replies %llu, to modes that are not registered %llu\n",
                static_cast<unsigned long long>(px4.statistics().requests),
                static_cast<unsigned long long>(px4.statistics().replies),
                static_cast<unsigned long long>(px4.statistics().unregistered));
    return exit_ok;
}

#else

int run(const Options&) {
    std::fprintf(
        stderr,
        "error: this program was built without DDS: install Eclipse Cyclone DDS (Debian: cyclonedds-dev "
        "cyclonedds-tools) and build it again\n");
    return exit_used_wrongly;
}

#endif

}  // namespace

void add_px4_setpoint_command(CLI::App& app, int& exit_code) {
    const auto options = std::make_shared<Options>();
    auto* command = app.add_subcommand("px4-setpoint",
                                       "Answers PX4's set-point configuration requests over DDS, for tests "
                                       "of external modes without a PX4.");
    const std::map<std::string, VehicleType> vehicles = {{"rotary-wing", VehicleType::rotary_wing},
                                                         {"fixed-wing", VehicleType::fixed_wing},
                                                         {"rover", VehicleType::rover},
                                                         {"unspecified", VehicleType::unspecified}};
    command
        ->add_option("--vehicle", options->vehicle,
                     "What PX4 flies: rotary-wing, fixed-wing, rover or unspecified [rotary-wing]")
        ->transform(CLI::CheckedTransformer(vehicles));
    command->add_flag("--vtol", options->is_vtol, "The vehicle is a VTOL, in the form that --vehicle says");
    command->add_flag("--old-vtol-rule", options->old_vtol_rule,
                      "A VTOL takes fixed-wing setpoints only as a fixed wing, as PX4 before September 2026");
    command->add_option("--registered", options->registered, "The external modes that are registered, by id")
        ->delimiter(',')
        ->check(CLI::Range(int{first_external_mode}, int{last_external_mode}))
        ->capture_default_str();
    command->add_option("--domain", options->domain, "DDS domain")
        ->envname("ROS_DOMAIN_ID")
        ->check(CLI::Range(0, 232))
        ->capture_default_str();
    command->add_option("--namespace", options->topic_namespace, "Namespace of the topics, such as uav_1");
    command->callback([options, &exit_code] { exit_code = run(*options); });
}
