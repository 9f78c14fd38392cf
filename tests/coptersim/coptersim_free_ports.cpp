// coptersim_free_ports.cpp - for tests of programs: prints options with ports that nobody else has, and keeps them until
// its input ends.
#include <cstdio>

#include "free_ports.hpp"

int main() {
    const FreePorts free_ports;
    const coptersim::Ports& ports = free_ports.ports();
    std::printf("--heartbeat-port %d --request-port %d --vehicle-port %d\n", ports.heartbeat, ports.request,
                ports.first_vehicle);
    std::fflush(stdout);
    while (std::getchar() != EOF) {
    }
    return 0;
}
