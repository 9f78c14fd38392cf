// swarm.cpp - many rovers in one world, each with an ArduPilot of its own, on one thread: the world steps
// once when every ArduPilot has asked for the step.
#include <ap_json/ap_json.hpp>
#include <vector>

#include "options.hpp"
#include "simple_rover.hpp"

using namespace std::chrono_literals;

/// The world: the rovers and their common time.
class World {
  public:
    World(std::size_t vehicles, double step) : rovers_(vehicles), states_(vehicles), step_(step) {}

    void step(const std::vector<std::optional<ap_json::Frame>>& frames) {
        ++steps_;
        for (std::size_t i = 0; i < rovers_.size(); ++i) {
            if (frames[i] && frames[i]->restarted()) rovers_[i].reset(states_[i]);
            // A vehicle without an ArduPilot asks for nothing.
            rovers_[i].step(frames[i] ? frames[i]->servos : ap_json::ServoPacket{}, step_, states_[i]);
            states_[i].timestamp = time();
        }
    }

    [[nodiscard]] double time() const { return static_cast<double>(steps_) * step_; }
    [[nodiscard]] const ap_json::State& state(std::size_t i) const { return states_[i]; }

  private:
    std::vector<SimpleRover> rovers_;
    std::vector<ap_json::State> states_;
    double step_;  // s
    long steps_ = 0;
};

int run(const example::LinkOptions& options, std::size_t vehicles, double step) {
    std::vector<ap_json::Client> clients(vehicles);
    ap_json::Fleet fleet;
    for (std::size_t i = 0; i < vehicles; ++i) {
        example::LinkOptions own = options;
        own.client.instance += static_cast<int>(i);
        own.client.log = [i, log = options.client.log](std::string_view message) {
            log("vehicle " + std::to_string(i) + ": " + std::string(message));
        };
        if (auto error = example::open(clients[i], own)) return example::report(error);
        if (auto error = fleet.add(clients[i])) return example::report(error);
    }

    World world(vehicles, step);
    ap_json::InStep in_step(fleet);
    std::uint64_t reported = 0;
    while (!example::interrupted) {
        const auto& frames = in_step.gather();
        if (in_step.participants() == 0) continue;
        world.step(frames);
        for (std::size_t i = 0; i < vehicles; ++i) {
            if (!frames[i]) continue;
            auto error = in_step.answer(i, world.state(i));
            if (error && error.code() != ap_json::ErrorCode::not_sent) return example::report(error);
        }
        if (in_step.left_out() != reported) {
            reported = in_step.left_out();
            std::printf("an ArduPilot has gone quiet at %.1f s; going on with %zu\n", world.time(),
                        in_step.participants());
            std::fflush(stdout);
        }
    }
    std::printf("%.1f s of simulated time\n", world.time());
    for (std::size_t i = 0; i < vehicles; ++i) {
        std::printf("vehicle %zu at %.3f m north, ", i, world.state(i).position.x);
        example::print_summary(clients[i]);
    }
    return 0;
}

int main(int argc, char** argv) {
    CLI::App app(
        "Many rovers in one world, each with an ArduPilot of its own: SITL instances 0 to N - 1.\n"
        "Start it, then for each i: sim_vehicle.py -v Rover -f JSON -I i");
    example::LinkOptions options;
    example::add_link_options(app, options);
    std::size_t vehicles = 3;
    app.add_option("--vehicles", vehicles, "How many")->check(CLI::Range(1, 1000))->capture_default_str();
    int rate = 400;
    app.add_option("--rate", rate, "Physics steps per simulated second")
        ->check(CLI::Range(20, 10000))
        ->capture_default_str();
    if (const auto end = example::parse(app, argc, argv)) return *end;
    return run(options, vehicles, 1.0 / rate);
}
