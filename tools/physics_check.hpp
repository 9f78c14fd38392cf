// physics_check.hpp - the doctor's look at the physics, from the states alone: do the parts agree, and if not, which
// mistake explains it?
#pragma once

#include <string>
#include <vector>

#include "consistency.hpp"
#include "findings.hpp"

class PhysicsCheck {
  public:
    PhysicsCheck();

    /// The state of one new frame.
    void add(const Sample& sample, const std::string& line, std::int64_t time_ns);

    /// What is wrong with all of it so far.
    [[nodiscard]] std::vector<Finding> conclude() const;

    /// What could not be compared, since nothing moved: in words.
    [[nodiscard]] std::vector<std::string> not_examined() const;

  private:
    void look_for_spikes(const Sample& sample, const std::string& line, std::int64_t time_ns);

    Consistency as_sent_;
    std::vector<Consistency> corrected_;  // one for each hypothesis
    Findings single_;                     // what one state shows
    ap_json::Vector3 forces_[2];          // of the two states before
    int states_ = 0;
    std::string first_line_;
    std::int64_t first_ns_ = 0;
    std::int64_t last_ns_ = 0;
};
