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

/// The world, and the link to the ArduPilot of each of its vehicles.
class Swarm {
  public:
    explicit Swarm(const SwarmOptions& options)
        : clients_(options.vehicles),
          servos_(options.vehicles),
          world_(options.vehicles),
          step_(example::step_at(options.rate)) {
        world_.set_wind({options.wind[0], options.wind[1], 0});
    }

    ap_json::Error open(const example::LinkOptions& link) {
        for (std::size_t i = 0; i < clients_.size(); ++i) {
            example::LinkOptions own = link;
            own.client.instance += static_cast<int>(i);
            own.client.log = [i, log = link.client.log](std::string_view message) {
                log("vehicle " + std::to_string(i) + ": " + std::string(message));
            };
            if (auto error = example::open(clients_[i], own)) return error;
            if (auto error = fleet_.add(clients_[i])) return error;
        }
        return {};
    }

    ap_json::Error run() {
        ap_json::InStep in_step(fleet_);
        std::uint64_t reported = 0;
        while (!example::interrupted) {
            const auto& frames = in_step.gather();
            if (in_step.participants() == 0) continue;
            step(frames);
            if (auto error = answer(frames, in_step)) return error;
            if (in_step.left_out() == reported) continue;
            reported = in_step.left_out();
            std::printf("an ArduPilot has gone quiet at %.1f s; going on with %zu\n", time(),
                        in_step.participants());
            std::fflush(stdout);
        }
        return {};
    }

    void print_summary() {
        std::printf("%.1f s of simulated time, %ld collisions\n", time(), world_.collisions());
        for (std::size_t i = 0; i < world_.size(); ++i) {
            const ap_json::Vector3& p = world_.state(i).position;
            std::printf("vehicle %zu at %.3f m north, %.3f m east, %.3f m up, ", i, p.x, p.y, -p.z);
            example::print_summary(clients_[i]);
        }
    }

  private:
    using Frames = std::vector<std::optional<ap_json::Frame>>;

    void step(const Frames& frames) {
        for (std::size_t i = 0; i < frames.size(); ++i) {
            if (frames[i] && frames[i]->restarted()) world_.reset(i);
            // A vehicle without an ArduPilot asks for nothing.
            servos_[i] = frames[i] ? frames[i]->servos : ap_json::ServoPacket{};
        }
        world_.step(servos_, seconds(step_));
        ++steps_;
    }

    ap_json::Error answer(const Frames& frames, ap_json::InStep& in_step) {
        for (std::size_t i = 0; i < frames.size(); ++i) {
            world_.state(i).timestamp = time();
            if (!frames[i]) continue;
            auto error = in_step.answer(i, world_.state(i));
            if (error && error.code() != ap_json::ErrorCode::not_sent) return error;
        }
        return {};
    }

    static double seconds(std::chrono::microseconds time) { return static_cast<double>(time.count()) / 1e6; }
    [[nodiscard]] double time() const { return seconds(step_ * steps_); }

    std::vector<ap_json::Client> clients_;
    ap_json::Fleet fleet_;
    std::vector<ap_json::ServoPacket> servos_;
    example::QuadcopterWorld world_;
    std::chrono::microseconds step_;
    long steps_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    CLI::App app(
        "Several quadcopters in one world, each with an ArduPilot of its own: SITL instances 0 to N - 1, "
        "with the same "
        "home. They start in a row, 5 m apart, and do not pass through each other.\n"
        "Start it, then for each i as for the example quadcopter, with -I i --sysid i + 1");
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

    Swarm swarm(options);
    if (auto error = swarm.open(options.link)) return example::report(error);
    if (auto error = swarm.run()) return example::report(error);
    swarm.print_summary();
}
