// scenarios.cpp - see scenarios.hpp.
#include "scenarios.hpp"

#include "rig.hpp"

namespace soak {
namespace {

Scenario rigged(const char* name, const Faults& faults) {
    return {name, [faults](const Effort& effort, Outcome& outcome) { Rig(faults, effort, outcome).run(); },
            true};
}

/// The same for both directions.
Faults both_ways(double Disturbance::*what, double much) {
    Faults faults;
    faults.to_backend.*what = faults.to_sitl.*what = much;
    return faults;
}

Faults late() {
    Faults faults = both_ways(&Disturbance::delay, 5);
    faults.to_backend.jitter = faults.to_sitl.jitter = 20;
    return faults;
}

Faults standing_network() {
    Faults faults = both_ways(&Disturbance::pause_every, 0.02);
    faults.to_backend.pause_for = faults.to_sitl.pause_for = 0.01;
    return faults;
}

Faults often(Event event, double every) {
    Faults faults;
    faults.every[event] = every;
    return faults;
}

Faults pauses_and_strays() {
    Faults faults = often(pause_sitl, 0.02);
    faults.every[pause_backend] = 0.02;
    faults.strays = 5;
    return faults;
}

Faults strays() {
    Faults faults;
    faults.strays = 5;
    return faults;
}

/// The other half of the circle of counts is behind.
Faults wrap() {
    Faults faults = both_ways(&Disturbance::loss, 5);
    faults.first_count = 0xFFFFFF00U;
    return faults;
}

Faults everything() {
    Faults faults = late();
    for (Disturbance* way : {&faults.to_backend, &faults.to_sitl}) {
        way->loss = 30;
        way->duplicate = 30;
        way->reorder = 30;
        way->truncate = 10;
        way->flip = 3;
    }
    faults.strays = 5;
    faults.every = {0.5, 0.5, 0.3, 0.3, 1};
    return faults;
}

}  // namespace

std::vector<Scenario> scenarios() {
    return {
        rigged("nothing", {}),
        rigged("loss of 30 % each way", both_ways(&Disturbance::loss, 30)),
        rigged("duplicates, 30 % each way", both_ways(&Disturbance::duplicate, 30)),
        rigged("changed order, 30 % each way", both_ways(&Disturbance::reorder, 30)),
        rigged("delay of 5 to 25 ms each way", late()),
        rigged("a network that stands still", standing_network()),
        rigged("cut datagrams, 20 % each way", both_ways(&Disturbance::truncate, 20)),
        rigged("flipped bits, 5 % each way", both_ways(&Disturbance::flip, 5)),
        rigged("10 strays a packet", strays()),
        rigged("pauses of either side, strays", pauses_and_strays()),
        rigged("SITL killed every 2 ms", often(kill_sitl, 0.002)),
        rigged("backend killed every 2 ms", often(kill_backend, 0.002)),
        rigged("frame count wraps round, loss", wrap()),
        rigged("everything, at random", everything()),
        {"100,000 strays a second", flood_of_strays},
        {"full socket buffers", full_buffers},
        {"processes stopped", stopped_processes},
        {"processes killed", killed_processes},
        {"programs killed", killed_programs},
        {"an interface that goes away", lost_interface},
    };
}

}  // namespace soak
