// slow_simulator.hpp - runs a model as a simulator of few frames a second would: servo outputs take effect with the next
// frame only, and ArduPilot gets one state a frame from it; the states in between are the Resampler's.
#pragma once

#include <algorithm>
#include <ap_json/client.hpp>
#include <ap_json/resampler.hpp>
#include <chrono>
#include <cmath>

#include "options.hpp"

namespace example {

/// @param step        of the states that ArduPilot gets, and the longest of the physics within a frame
/// @param frame_rate  frames per simulated second
template <class Model>
ap_json::Error run_in_frames(ap_json::Client& client, Model& model, std::chrono::microseconds step,
                             double frame_rate) {
    using namespace std::chrono_literals;
    const double frame = 1 / frame_rate;
    const int parts =
        std::max(1, static_cast<int>(std::lround(frame * 1e6 / static_cast<double>(step.count()))));
    ap_json::Resampler link(client, step);
    ap_json::State state;
    const auto begin = [&] {
        state = ap_json::State{};
        model.reset(state);
        link.begin(state);
    };
    begin();
    while (!interrupted) {
        // Without an ArduPilot this vehicle stands still; a game would go on.
        if (client.status() != ap_json::LinkStatus::online && !client.wait(100ms)) continue;
        for (int i = 0; i < parts; ++i) model.step(link.servos(), frame / parts, state);
        if (auto error = link.frame(state, frame)) return error;
        if (link.restarted()) begin();
    }
    return {};
}

}  // namespace example
