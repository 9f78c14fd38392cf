// clock_check.hpp - the doctor's look at the timestamps: do they begin near 0, rise, and by steps that SITL copes with?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "findings.hpp"

class ClockCheck {
  public:
    /// @param least_rate  Hz: the physics rate from which ArduPilot arms; 90 for rovers and planes, 720 for copters
    explicit ClockCheck(double least_rate) : least_rate_(least_rate) {}

    /// The timestamp of an answer to a new frame.
    void add(double timestamp, const std::string& line, std::int64_t time_ns);

    /// ArduPilot was started again: timestamps may begin anew.
    void restart() { started_ = false; }

    [[nodiscard]] std::vector<Finding> conclude() const;

    /// s, of simulated time that has passed.
    [[nodiscard]] double simulated() const { return simulated_; }
    [[nodiscard]] double usual_step() const;

  private:
    double least_rate_;
    Findings findings_;
    bool started_ = false;
    bool any_ = false;
    double newest_ = 0;         // s
    double simulated_ = 0;      // s
    std::vector<float> steps_;  // s; the first ones
    std::uint64_t frames_ = 0;
    std::string first_line_;
    std::int64_t first_ns_ = 0;
};
