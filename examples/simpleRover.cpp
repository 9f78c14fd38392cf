// simpleRover.cpp - a rover on a rail: it drives north and south. Servo 3 asks for a speed, and the rover
// gets there with a bounded acceleration, so that its accelerometer tells the truth.
#include <algorithm>
#include <ap_json/ap_json.hpp>

#include "options.hpp"

class SimpleRover {
  public:
    void step(const ap_json::ServoPacket& servos, double dt, ap_json::State& state) {
        const double asked = asked_velocity(servos.servo(3));
        const double change = std::clamp(asked - velocity_, -max_acceleration * dt, max_acceleration * dt);
        position_ += (velocity_ + change / 2) * dt;
        velocity_ += change;

        state.specific_force = {change / dt, 0, -ap_json::standard_gravity};
        state.velocity = {velocity_, 0, 0};
        state.position = {position_, 0, 0};
    }

    void reset(ap_json::State&) { position_ = velocity_ = 0; }

  private:
    static constexpr double max_velocity = 1;      // m/s
    static constexpr double max_acceleration = 2;  // m/s2

    /// 1100 to 1900 microseconds ask for -1 to +1 m/s. 0 means that ArduPilot is not ready: that asks for
    /// nothing.
    static double asked_velocity(int pwm) {
        if (pwm == 0) return 0;
        return std::clamp((pwm - 1500) / 400.0, -1.0, 1.0) * max_velocity;
    }

    double position_ = 0;  // m north of home
    double velocity_ = 0;  // m/s northwards
};

int main(int argc, char** argv) {
    CLI::App app(
        "A rover that drives north and south as servo 3 asks: 1100 us is -1 m/s, 1900 us is +1 m/s.\n"
        "Start it, then: sim_vehicle.py -v Rover -f JSON");
    example::LinkOptions options;
    example::add_link_options(app, options);
    int rate = 400;
    app.add_option("--rate", rate, "Physics steps per simulated second; ArduRover arms from 90 on")
        ->check(CLI::Range(20, 10000))
        ->capture_default_str();
    CLI11_PARSE(app, argc, argv);

    ap_json::Client client;
    if (auto error = example::open(client, options)) return example::report(error);
    example::end_on_ctrl_c();

    SimpleRover rover;
    ap_json::Lockstep loop(client, rover, std::chrono::microseconds((1000000 + rate / 2) / rate));
    if (auto error = loop.run([] { return !example::interrupted; })) return example::report(error);
    example::print_summary(client);
}
