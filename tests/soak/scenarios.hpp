// scenarios.hpp - the table of what the link has to live through.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "outcome.hpp"

namespace soak {

struct Scenario {
    std::string name;
    std::function<void(const Effort&, Outcome&)> run;
    bool counts_frames =
        false;  // it takes as long as Effort::frames says, not as long as the other figures do
};

/// All of them, in the order in which they run.
std::vector<Scenario> scenarios();

// Those in real time, each in the file of its name; the others are in scenarios.cpp.
void flood_of_strays(const Effort& effort, Outcome& outcome);
void full_buffers(const Effort& effort, Outcome& outcome);
void killed_processes(const Effort& effort, Outcome& outcome);
void stopped_processes(const Effort& effort, Outcome& outcome);
void killed_programs(const Effort& effort, Outcome& outcome);
void lost_interface(const Effort& effort, Outcome& outcome);

}  // namespace soak
