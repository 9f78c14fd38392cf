// swarm.cpp - several quadcopters in one world, each with an ArduPilot of its own, on one thread: the world steps
// once when every ArduPilot has asked for the step.
#include <ap_json/ap_json.hpp>
#include <vector>

#include "options.hpp"
#include "quadcopter_world.hpp"

namespace {

struct SwarmOptions {
    example::LinkOptions link;
    std::size_t vehicles = 3;
    int rate = 800;                  // Hz
    std::vector<double> wind{0, 0};  // m/s, north and east
};

ap_json::Error open_all(const SwarmOptions& options, std::vector<ap_json::Client>& clients,
                        ap_json::Fleet& fleet) {
    for (std::size_t i = 0; i < clients.size(); ++i) {
        example::LinkOptions own = options.link;
        own.client.instance += static_cast<int>(i);
        own.client.log = [i, log = options.link.client.log](std::string_view message) {
            log("vehicle " + std::to_string(i) + ": " + std::string(message));
        };
        if (auto error = example::open(clients[i], own)) return error;
        if (auto error = fleet.add(clients[i])) return error;
    }
    return {};
}

/// The outputs of each ArduPilot. A vehicle without one asks for nothing.
void take(const std::vector<std::optional<ap_json::Frame>>& frames, example::QuadcopterWorld& world,
          std::vector<ap_json::ServoPacket>& servos) {
    for (std::size_t i = 0; i < frames.size(); ++i) {
        if (frames[i] && frames[i]->restarted()) world.reset(i);
        servos[i] = frames[i] ? frames[i]->servos : ap_json::ServoPacket{};
    }
}

void print_end(example::QuadcopterWorld& world, const std::vector<ap_json::Client>& clients, double time) {
    std::printf("%.1f s of simulated time, %ld collisions\n", time, world.collisions());
    for (std::size_t i = 0; i < world.size(); ++i) {
        const ap_json::Vector3& p = world.state(i).position;
        std::printf("vehicle %zu at %.3f m north, %.3f m east, %.3f m up, ", i, p.x, p.y, -p.z);
        example::print_summary(clients[i]);
    }
}

ap_json::Error run(const SwarmOptions& options) {
    std::vector<ap_json::Client> clients(options.vehicles);
    ap_json::Fleet fleet;
    if (auto error = open_all(options, clients, fleet)) return error;

    const auto step =
        static_cast<double>((1000000 + options.rate / 2) / options.rate) / 1e6;  // whole microseconds
    example::QuadcopterWorld world(options.vehicles);
    world.set_wind({options.wind[0], options.wind[1], 0});
    ap_json::InStep in_step(fleet);
    std::vector<ap_json::ServoPacket> servos(options.vehicles);
    double time = 0;  // s
    for (long steps = 1; !example::interrupted;) {
        const auto& frames = in_step.gather();
        if (in_step.participants() == 0) continue;
        take(frames, world, servos);
        world.step(servos, step);
        time = static_cast<double>(steps++) * step;
        for (std::size_t i = 0; i < world.size(); ++i) {
            world.state(i).timestamp = time;
            if (!frames[i]) continue;
            auto error = in_step.answer(i, world.state(i));
            if (error && error.code() != ap_json::ErrorCode::not_sent) return error;
        }
    }
    std::printf("an ArduPilot has gone quiet %llu times\n",
                static_cast<unsigned long long>(in_step.left_out()));
    print_end(world, clients, time);
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app(
        "Several quadcopters in one world, each with an ArduPilot of its own: SITL instances 0 to N - 1, all "
        "with the\n"
        "same home. They start in a row, 5 m apart, and do not pass through each other.\n"
        "Start it, then for each i: sim_vehicle.py -v Copter -f JSON -I i --sysid i + 1");
    SwarmOptions options;
    example::add_link_options(app, options.link);
    app.add_option("--vehicles", options.vehicles, "How many")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option("--rate", options.rate, "Physics steps per simulated second; ArduCopter arms from 720 on")
        ->check(CLI::Range(200, 10000))
        ->capture_default_str();
    app.add_option("--wind", options.wind, "Where the air moves to, m/s: NORTH,EAST")
        ->delimiter(',')
        ->expected(2);
    if (const auto end = example::parse(app, argc, argv)) return *end;
    if (auto error = run(options)) return example::report(error);
}
