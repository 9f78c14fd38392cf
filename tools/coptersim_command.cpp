// coptersim_command.cpp - options of `ap_json coptersim` and its subcommands, and how results are shown.
#include "coptersim_command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <coptersim/coptersim.hpp>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "coptersim_options.hpp"
#include "exit_code.hpp"
#include "interrupt.hpp"

namespace {

using coptersim::Client;
using coptersim::Receipt;
using coptersim::Vehicle;
using nlohmann::ordered_json;
using std::chrono::milliseconds;

struct Options {
    coptersim::ClientOptions client;
    std::string whom;  // an id, or "all"
    double wait = 3;   // s
    bool json = false;

    std::int32_t id = 0;  // of whom

    // For the requests, each for some of them.
    coptersim::AirPose pose;
    std::string name;
    std::int32_t index = -1;
    std::vector<double> gps;
    std::string display;
};

const std::map<std::string, coptersim::Delivery> deliveries = {{"automatic", coptersim::Delivery::automatic},
                                                               {"multicast", coptersim::Delivery::multicast},
                                                               {"unicast", coptersim::Delivery::unicast}};

void print(const ordered_json& document) {
    std::cout << document.dump(2, ' ', false, ordered_json::error_handler_t::replace) << std::endl;
}

int used_wrongly(const std::string& message) {
    std::cerr << "error: " << message << "\n";
    return exit_used_wrongly;
}

/// Waits in short pieces, so that Ctrl-C ends it.
bool wait_until(Client& client, double seconds,
                const std::function<bool(const std::vector<Vehicle>&)>& condition) {
    const auto end =
        std::chrono::steady_clock::now() + milliseconds(static_cast<std::int64_t>(seconds * 1000));
    while (!interrupted && std::chrono::steady_clock::now() < end) {
        if (client.wait_until(condition, milliseconds(100))) return true;
    }
    return client.wait_until(condition, milliseconds(0));
}

bool open(Client& client, const Options& options, int& exit_code) {
    if (const auto error = client.open(options.client)) {
        exit_code = used_wrongly(error.message());
        return false;
    }
    if (const auto warning = client.multicast()) std::cerr << "warning: " << warning.message() << "\n";
    return true;
}

// ---- list

ordered_json to_json(const Vehicle& vehicle) {
    const auto age = vehicle.last_seen - vehicle.first_seen;
    return {{"id", vehicle.id},
            {"address", to_string(vehicle.address)},
            {"local", vehicle.local},
            {"multicast", vehicle.last_multicast.has_value()},
            {"start_time_ms", vehicle.heartbeat.start_time_ms},
            {"current_time_ms", vehicle.heartbeat.current_time_ms},
            {"heartbeats", vehicle.heartbeat.count},
            {"heard", vehicle.beats},
            {"heard_for_s", std::chrono::duration<double>(age).count()},
            {"restarts", vehicle.restarts},
            {"also_at", vehicle.rival ? ordered_json(to_string(*vehicle.rival)) : ordered_json(nullptr)}};
}

void print_row(const Vehicle& vehicle) {
    const double running =
        static_cast<double>(vehicle.heartbeat.current_time_ms - vehicle.heartbeat.start_time_ms) / 1000;
    std::printf("%5d  %-15s  %-9s  %-9s  %10.1f\n", vehicle.id, to_string(vehicle.address).c_str(),
                vehicle.local ? "here" : "elsewhere", vehicle.last_multicast ? "multicast" : "directly",
                running);
    if (vehicle.rival)
        std::printf("       there is a second one with this id, at %s: end one\n",
                    to_string(*vehicle.rival).c_str());
}

int list(Client& client, const Options& options, std::size_t expected) {
    wait_until(client, options.wait,
               [expected](const auto& all) { return expected > 0 && all.size() >= expected; });
    const auto vehicles = client.vehicles();
    if (options.json) {
        ordered_json array = ordered_json::array();
        for (const Vehicle& vehicle : vehicles) array.push_back(to_json(vehicle));
        print({{"vehicles", array}, {"multicast", !client.multicast()}});
    } else if (vehicles.empty()) {
        std::printf("no CopterSim heard in %g s\n", options.wait);
    } else {
        std::printf("   id  address          where      heard      running s\n");
        for (const Vehicle& vehicle : vehicles) print_row(vehicle);
    }
    return vehicles.empty() || vehicles.size() < expected ? exit_found : exit_ok;
}

// ---- requests

/// Listens until there is somebody to ask.
void look_for(Client& client, const Options& options) {
    if (options.id == coptersim::all_vehicles) {
        wait_until(client, options.wait, [](const auto&) { return false; });
        return;
    }
    const auto is_it = [&options](const Vehicle& vehicle) { return vehicle.id == options.id; };
    static_cast<void>(client.wait_for(options.id, milliseconds(0)));  // lets the client look for it
    wait_until(client, options.wait,
               [&](const auto& all) { return std::any_of(all.begin(), all.end(), is_it); });
}

ordered_json to_json(const Receipt& receipt) {
    ordered_json sent = ordered_json::array();
    for (const auto& each : receipt.sent) {
        sent.push_back({{"id", each.id},
                        {"request", each.request},
                        {"to", to_string(each.to)},
                        {"bytes", each.size},
                        {"error", each.error.message()}});
    }
    return {{"error", receipt.error ? to_string(receipt.error.code()) : ""},
            {"message", receipt.error.message()},
            {"in_hope", receipt.in_hope},
            {"sent", sent}};
}

int show(Client& client, const Options& options, const Receipt& receipt) {
    // No acknowledgement exists; that the vehicle still beats is all that can be seen.
    const bool one = !receipt.error && !receipt.in_hope && options.id > 0;
    const auto after =
        one ? client.wait_for(options.id, milliseconds(static_cast<std::int64_t>(options.wait * 1000)))
            : std::nullopt;
    if (options.json) {
        ordered_json document = to_json(receipt);
        document["heartbeat_since"] = after ? ordered_json(after->heartbeat.count) : ordered_json(nullptr);
        print(document);
    } else {
        (receipt.error ? std::cerr : std::cout) << describe(receipt);
        if (receipt.in_hope && !receipt.error) {
            std::cout << "vehicle " << options.id
                      << " has not been heard: sent in the hope that it is there\n";
        } else if (one) {
            std::cout
                << (after ? "it beats since then; more cannot be seen, as CopterSim acknowledges nothing\n"
                          : "no heartbeat came since then\n");
        }
        std::cout << std::flush;
    }
    using coptersim::ErrorCode;
    const ErrorCode code = receipt.error.code();
    if (code == ErrorCode::ok) return receipt.in_hope || (one && !after) ? exit_found : exit_ok;
    return code == ErrorCode::no_route || code == ErrorCode::send_failed ? exit_found : exit_used_wrongly;
}

bool parse_whom(Options& options) {
    if (options.whom == "all") {
        options.id = coptersim::all_vehicles;
        return true;
    }
    return CLI::detail::lexical_cast(options.whom, options.id) && options.id >= coptersim::first_id &&
           options.id <= coptersim::last_id;
}

using Request = std::function<Receipt(Client&, const Options&)>;

int run_request(Options& options, const Request& request) {
    int exit_code = exit_ok;
    if (!parse_whom(options))
        return used_wrongly("\"" + options.whom + "\" is neither an id (1 to 10000) nor \"all\"");
    Client client;
    if (!open(client, options, exit_code)) return exit_code;
    look_for(client, options);
    if (interrupted) return exit_found;
    return show(client, options, request(client, options));
}

Receipt refusal(coptersim::Error error) {
    Receipt receipt;
    receipt.error = std::move(error);
    return receipt;
}

Receipt set_mode(Client& client, const Options& options) {
    for (int number = 0; number <= 127; ++number) {
        coptersim::UdpMode mode{};
        if (auto error = coptersim::udp_mode_from(number, mode)) return refusal(error);
        if (options.name == to_string(mode) || options.name == std::to_string(number))
            return client.set_udp_mode(options.id, mode);
    }
    return refusal(
        {coptersim::ErrorCode::out_of_range,
         "\"" + options.name + "\" is no mode; it is one of the names in --help, or a number to 127"});
}

// ---- the command line

struct Commands {
    CLI::App& parent;
    std::shared_ptr<Options> options;
    int& exit_code;

    CLI::App* add(const char* name, const char* what, const Request& request) const {
        CLI::App* command = parent.add_subcommand(name, what);
        command->fallthrough();
        command->add_option("id", options->whom, "Vehicle id, or \"all\"")->required();
        const auto shared = options;
        int& code = exit_code;
        command->callback([shared, request, &code] {
            end_on_ctrl_c();
            code = run_request(*shared, request);
        });
        return command;
    }
};

void add_list(const Commands& commands) {
    CLI::App* command = commands.parent.add_subcommand("list", "Which CopterSims are there");
    command->fallthrough();
    const auto options = commands.options;
    auto expected = std::make_shared<std::size_t>(0);
    command->add_option("--expect", *expected, "End as soon as there are so many; 1 when there are fewer");
    int& exit_code = commands.exit_code;
    command->callback([options, expected, &exit_code] {
        end_on_ctrl_c();
        Client client;
        if (open(client, *options, exit_code)) exit_code = list(client, *options, *expected);
    });
}

void add_init(const Commands& commands) {
    auto in_air = std::make_shared<bool>(false);
    CLI::App* command =
        commands.add("init", "Put the vehicle elsewhere, anew", [in_air](Client& client, const Options& o) {
            if (*in_air) return client.place(o.id, o.pose);
            return client.place(o.id, coptersim::GroundPose{o.pose.north_m, o.pose.east_m, o.pose.yaw_deg});
        });
    coptersim::AirPose& pose = commands.options->pose;
    command->add_option("--north", pose.north_m, "m")->capture_default_str();
    command->add_option("--east", pose.east_m, "m")->capture_default_str();
    command->add_option("--yaw", pose.yaw_deg, "degrees")->capture_default_str();
    const auto is_in_air = [in_air](const std::string&) { *in_air = true; };
    command->add_option("--down", pose.down_m, "m; without down, roll and pitch it stands on the terrain")
        ->each(is_in_air);
    command->add_option("--roll", pose.roll_deg, "degrees")->each(is_in_air);
    command->add_option("--pitch", pose.pitch_deg, "degrees")->each(is_in_air);
}

void add_selection(const Commands& commands, const char* command_name, const char* what,
                   Receipt (Client::*by_name)(std::int32_t, std::string_view),
                   Receipt (Client::*by_index)(std::int32_t, std::int32_t)) {
    CLI::App* command =
        commands.add(command_name, what, [by_name, by_index](Client& client, const Options& options) {
            if (options.index >= 0) return (client.*by_index)(options.id, options.index);
            return (client.*by_name)(options.id, options.name);
        });
    auto* name = command->add_option("name", commands.options->name, "Its name");
    command->add_option("--index", commands.options->index, "Its place in CopterSim's list, from 0")
        ->check(CLI::NonNegativeNumber)
        ->excludes(name);
}

void add_gps(const Commands& commands) {
    auto origin = std::make_shared<bool>(false);
    CLI::App* command =
        commands.add("gps", "Put the vehicle, or the origin, at a latitude and longitude",
                     [origin](Client& client, const Options& o) {
                         if (*origin) return client.set_gps_origin(o.id, {o.gps[0], o.gps[1], o.gps[2]});
                         return client.place(o.id, coptersim::GpsPose{o.gps[0], o.gps[1], o.gps[2]});
                     });
    command->add_option("numbers", commands.options->gps, "Latitude, longitude, and yaw; degrees")
        ->expected(3)
        ->required();
    command->add_flag("--origin", *origin, "They are the new origin: latitude, longitude, and altitude in m");
}

void add_others(const Commands& commands) {
    commands.add("stream", "\"Send to me\": the autopilot's data go to this computer",
                 [](Client& client, const Options& o) { return client.request_stream(o.id); });
    commands.add("mode", "Change the UDP mode", set_mode)
        ->add_option("mode", commands.options->name,
                     "udp_full, udp_simple, mavlink_full, mavlink_simple, mavlink_no_send, mavlink_no_gps, "
                     "mavlink_vision, redis_full, redis_simple, or a number")
        ->required();
    commands
        .add("display", "What CopterSim's window shows",
             [](Client& client, const Options& o) {
                 return o.display == "gps" ? client.show_gps(o.id) : client.show_xy(o.id);
             })
        ->add_option("what", commands.options->display, "gps, or xy for north and east")
        ->check(CLI::IsMember({"gps", "xy"}))
        ->required();
}

}  // namespace

void add_coptersim_command(CLI::App& app, int& exit_code) {
    CLI::App* command = app.add_subcommand("coptersim", "Finds RflySim's CopterSims and sets them up");
    command->require_subcommand(1);
    auto options = std::make_shared<Options>();
    add_coptersim_network_options(*command, options->client.interface_address, options->client.group,
                                  options->client.ports);
    command
        ->add_option(
            "--host", options->client.hosts,
            "IPv4 address of a computer with CopterSims that multicast does not reach; repeat it for more")
        ->expected(1)
        ->take_all();
    command->add_option("--delivery", options->client.delivery, "How requests go out")
        ->transform(CLI::CheckedTransformer(deliveries))
        ->default_str("automatic");
    command->add_option("--wait", options->wait, "How long to listen, in s")
        ->check(CLI::Range(0.0, 3600.0))
        ->capture_default_str();
    command->add_flag("--json", options->json, "Print the results as JSON");
    const Commands commands{*command, options, exit_code};
    add_list(commands);
    add_init(commands);
    add_selection(commands, "model", "Select the vehicle model", &Client::select_model,
                  &Client::select_model);
    add_selection(commands, "map", "Select the map", &Client::select_map, &Client::select_map);
    add_gps(commands);
    add_others(commands);
    command->footer(
        R"(CopterSim acknowledges nothing: what is shown is what was sent to whom, and whether it still beats.
Ends with 0 when the vehicle is there and was sent the request, 1 when it was not heard, 2 when used wrongly.

Example, with a stand-in in place of CopterSim:
  ap_json coptersim-stand-in --interface 127.0.0.1 --id 1 2 &
  ap_json coptersim --interface 127.0.0.1 list
  ap_json coptersim --interface 127.0.0.1 init 1 --north 10 --east -20 --yaw 90)");
}
