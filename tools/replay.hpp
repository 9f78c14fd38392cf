// replay.hpp - plays a recorded flight once more: its servo packets to a backend, or its states to a SITL, and compares
// what comes back with what came then.
#pragma once

#include <cstdint>
#include <string>

#include "comparison.hpp"
#include "udp_port.hpp"

struct ReplayOptions {
    std::string recording;
    UdpAddress address;   // of the backend; or where to listen for a SITL
    double speed = 1;     // simulated seconds per real second, to a backend; 0 = as fast as it answers
    double patience = 5;  // s of silence after which it is given up
    bool repair = false;  // pass over what is damaged in the recording
    bool quiet = false;   // no progress
    Tolerances tolerances;
};

struct ReplayResult {
    explicit ReplayResult(const Tolerances& tolerances) : comparison(tolerances) {}

    std::string problem;  // why it could not be played to its end; empty when it was
    int exit_code = 0;    // that goes with it
    bool interrupted = false;
    std::uint64_t frames = 0;        // played
    std::uint64_t not_compared = 0;  // of these, the ones without a recorded counterpart
    std::uint64_t resends = 0;   // packets sent again because no answer came, or SITL would have refused it
    std::uint64_t extra = 0;     // answers too many, which SITL would read one frame late for ever
    std::uint64_t restarts = 0;  // of ArduPilot, played
    std::uint64_t skipped_lines = 0;  // of the recording
    double simulated = 0;             // s
    double real = 0;                  // s
    std::string remark;               // what to know about the result; may be empty
    Comparison comparison;
};

ReplayResult replay_to_backend(const ReplayOptions& options);

/// Waits for the SITL's first packet as long as it takes.
ReplayResult replay_to_sitl(const ReplayOptions& options);
