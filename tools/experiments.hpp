// experiments.hpp - what a backend does when the link is not as usual: SITL starts again on another port, an answer
// is lost, SITL pauses, packets are missing, the number of channels changes, strangers send to its port.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "findings.hpp"

struct Experiment {
    std::string name;
    bool passed = false;
};

struct ExperimentResults {
    std::string problem;  // why there were none; empty = there were
    std::vector<Experiment> experiments;
    std::vector<Finding> findings;
};

struct ExperimentOptions {
    std::string backend_address = "127.0.0.1";
    std::uint16_t backend_port = 9002;

    /// What all servo packets ask for, on every channel; us.
    std::uint16_t pwm = 1500;

    /// Also send what is no servo packet, from another port. Some backends end of that.
    bool strays = false;

    std::chrono::milliseconds resend_time{1102};  ///< until a packet is sent again, as SITL does
    std::chrono::milliseconds patience{3000};     ///< for an answer
    std::chrono::milliseconds pause{2500};        ///< of SITL
    std::chrono::milliseconds crossing{300};      ///< in which an answer may still be under way
};

/// Takes about 10 seconds with a good backend; Ctrl-C ends it. No other SITL may talk to the backend meanwhile.
ExperimentResults run_experiments(const ExperimentOptions& options);
