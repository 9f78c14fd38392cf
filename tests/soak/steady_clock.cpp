// steady_clock.cpp - see steady_clock.hpp. Takes the place of the C++ library's own clock in this program.
#include "steady_clock.hpp"

#include <atomic>
#include <ctime>

namespace {
constexpr std::int64_t running = -1;
std::atomic<std::int64_t> stopped_at{running};
}  // namespace

std::chrono::steady_clock::time_point std::chrono::steady_clock::now() noexcept {
    std::int64_t time = stopped_at.load(std::memory_order_relaxed);
    if (time == running) {
        timespec real{};
        ::clock_gettime(CLOCK_MONOTONIC, &real);
        time = std::int64_t{real.tv_sec} * 1'000'000'000 + real.tv_nsec;
    }
    return time_point(duration(time));
}

namespace soak {

StoppedClock::StoppedClock() { stopped_at = std::chrono::steady_clock::now().time_since_epoch().count(); }
StoppedClock::~StoppedClock() { stopped_at = running; }
void StoppedClock::set(std::chrono::nanoseconds time) { stopped_at = time.count(); }

}  // namespace soak
