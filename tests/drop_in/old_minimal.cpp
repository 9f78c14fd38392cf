// old_minimal.cpp - a program as people wrote them for ArduPilot's class: it relies on what the header brings
// with it (std::cout, usleep, uint16_t), passes a wall-clock time that starts at the Unix epoch, and sends
// whether it was asked or not. It has to build and work unchanged; only the port comes from the command line,
// for the tests.
#include <stdlib.h>
#include <time.h>

#include <chrono>

#include "libAP_JSON.h"

uint16_t servo_out[16];

uint64_t microseconds_now() {
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(
                                     std::chrono::system_clock::now().time_since_epoch())
                                     .count());
}

int main(int argc, char** argv) {
    double ranges[] = {1, 2, 3, 4, 5, 6};
    libAP_JSON ap;
    const uint16_t port = static_cast<uint16_t>(argc > 1 ? atoi(argv[1]) : 9002);
    if (ap.InitSockets("127.0.0.1", port)) std::cout << "socket is there" << std::endl;
    const time_t end = time(nullptr) + 60;
    int answered = 0;
    while (answered < 2000 && time(nullptr) < end) {
        const double timestamp = static_cast<double>(microseconds_now()) / 1e6;
        if (ap.ReceiveServoPacket(servo_out)) ++answered;
        if (!ap.ap_online) continue;
        ap.setAirspeed(1);
        ap.setWindvane(1, 1);
        ap.setRangefinder(ranges, 6);
        ap.SendState(timestamp, 0, 0, 0, 0, 0, -9.81, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        usleep(100);
    }
    std::cout << "answered " << answered << ", servo 1 is " << servo_out[0] << std::endl;
    return answered >= 2000 ? 0 : 1;
}
