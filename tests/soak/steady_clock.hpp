// steady_clock.hpp - lets the steady clock of this program stand still, so that hours of resends and pauses pass in
// seconds, and the same seed gives the same run.
#pragma once

#include <chrono>

namespace soak {

/// As long as it lives, std::chrono::steady_clock shows what it was set to. Waits of the operating system still take
/// their real time: nothing in the program may wait meanwhile.
class StoppedClock {
  public:
    StoppedClock();
    ~StoppedClock();
    StoppedClock(const StoppedClock&) = delete;
    StoppedClock& operator=(const StoppedClock&) = delete;

    static void set(std::chrono::nanoseconds time);
};

}  // namespace soak
