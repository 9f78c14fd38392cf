// disturber.hpp - what a bad network does to the datagrams of one direction, on purpose and repeatable: loss,
// delay, jitter, duplicates, changed order, cut datagrams, flipped bits, pauses. Pure: no socket, no clock;
// the same seed and the same datagrams give the same result on every machine.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

/// What to do. Percentages are of the datagrams, 0 to 100, each drawn for itself.
struct Disturbance {
    double loss = 0;         // %
    double delay = 0;        // ms
    double jitter = 0;       // ms: up to so much more delay. The order stays; changing it is `reorder`
    double duplicate = 0;    // %: the datagram leaves twice
    double reorder = 0;      // %: the datagram changes places with the next one of its direction
    double truncate = 0;     // %: at least one byte is left, and at least one is gone
    double flip = 0;         // %: one bit is the other way round
    double pause_every = 0;  // s: from then on again and again ...
    double pause_for = 0;    // s: ... what wants to leave waits so long, and then leaves at once

    [[nodiscard]] bool any() const {
        return loss > 0 || delay > 0 || jitter > 0 || duplicate > 0 || reorder > 0 || truncate > 0 ||
               flip > 0 || pause_for > 0;
    }
};

/// What has been done. At any time: arrived + duplicated == lost + left + waiting.
struct DisturbanceCounts {
    std::uint64_t arrived = 0;
    std::uint64_t lost = 0;        // those of `overflowed` included
    std::uint64_t overflowed = 0;  // more was waiting than there is room for
    std::uint64_t duplicated = 0;
    std::uint64_t delayed = 0;
    std::uint64_t reordered = 0;
    std::uint64_t truncated = 0;
    std::uint64_t flipped = 0;
    std::uint64_t left = 0;
    std::uint64_t waiting = 0;
};

class Disturber {
  public:
    using Time = std::chrono::nanoseconds;  // on any steady clock

    /// A datagram that is to change places waits so long for a next one: longer than SITL does before it
    /// sends its packet again.
    static constexpr Time longest_hold = std::chrono::milliseconds(1500);

    /// Bytes that may wait; what comes then is lost.
    static constexpr std::size_t most_waiting = std::size_t{64} << 20U;

    struct Departure {
        Time time{};
        std::uint64_t route = 0;
        std::string bytes;
    };

    /// @param start  the time from which pauses are counted
    Disturber(const Disturbance& disturbance, std::uint64_t seed, Time start);

    /// Does something else with those that arrive from now on.
    void change(const Disturbance& disturbance) { disturbance_ = disturbance; }

    /// Takes a datagram. @param route  comes back with each of its copies
    /// @return its fate in the words of recording.hpp: empty = passed on as it was
    std::string arrive(Time now, std::uint64_t route, std::string_view datagram);

    /// What leaves next and not later than now; call it until there is nothing.
    std::optional<Departure> take_departure(Time now);

    /// When to call take_departure() if nothing arrives before.
    [[nodiscard]] std::optional<Time> next_time() const;

    [[nodiscard]] const DisturbanceCounts& counts() const { return counts_; }

  private:
    struct Draw;
    [[nodiscard]] double random();
    [[nodiscard]] Draw draw();
    void damage(const Draw& chance, std::string& bytes, std::string& fate);
    [[nodiscard]] Time leaving_time(Time now, double jitter) const;
    void queue(Departure&& departure, Time time);
    void release_held(Time time);

    Disturbance disturbance_;
    std::mt19937_64 generator_;
    Time start_;
    Time newest_departure_;  // no later datagram leaves before it
    std::deque<Departure> waiting_;
    std::vector<Departure> held_;  // copies of one datagram that waits for the next; their time is the latest
    std::size_t waiting_bytes_ = 0;
    DisturbanceCounts counts_;
};
