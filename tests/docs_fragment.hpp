// docs_fragment.hpp - what stands around the pieces of code on the pages of docs/ when they are built; see
// docs_programs.cmake.
#pragma once

#include <ap_json/ap_json.hpp>
#include <ap_json/frames.hpp>
#include <ap_json/resampler.hpp>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;

struct FragmentModel {
    void step(const ap_json::ServoPacket&, double, ap_json::State&) {}
    void reset(ap_json::State&) {}
};

#define FRAGMENT_CONTEXT                                                                                \
    [[maybe_unused]] ap_json::Client &client, [[maybe_unused]] FragmentModel &model,                    \
        [[maybe_unused]] ap_json::Lockstep<FragmentModel>&loop, [[maybe_unused]] ap_json::State &state, \
        [[maybe_unused]] const ap_json::Vector3 &acceleration,                                          \
        [[maybe_unused]] const ap_json::Quaternion &attitude
