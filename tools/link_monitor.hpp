// link_monitor.hpp - what happens on the link between SITL and a backend, in numbers and in words: rates,
// round-trip times, what the frames are, what SITL makes of the lines, who talks to whom. Fed with the
// datagrams as SITL sends and gets them. Pure: no socket, no clock; its memory does not grow.
#pragma once

#include <ap_json/client.hpp>
#include <ap_json/frame_tracker.hpp>
#include <ap_json/servo_packet.hpp>
#include <ap_json/sitl_reader.hpp>
#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "duration_histogram.hpp"

struct RoundTrips {
    std::uint64_t count = 0;
    double p50 = 0, p90 = 0, p99 = 0, max = 0;  // us
};

/// They only rise.
struct LinkCounts {
    // What SITL sent.
    std::uint64_t packets = 0;  // servo packets; what the frames are:
    std::uint64_t first = 0, next = 0, repeated = 0, gaps = 0, restarted = 0, stale = 0;
    std::uint64_t missed = 0;                               // frames that never came: in the gaps
    std::uint64_t unanswered = 0;                           // a next packet came before a line
    std::uint64_t rejected_length = 0, rejected_magic = 0;  // datagrams that are no servo packet

    // What SITL got.
    std::uint64_t lines = 0;  // datagrams; what SITL makes of them:
    std::uint64_t accepted = 0, rejected = 0, incomplete = 0, full = 0, fatal = 0;
    std::uint64_t unasked = 0;    // no packet was waiting for an answer
    std::uint64_t elsewhere = 0;  // went to whoever else sent something, not to this SITL; not in `lines`
};

struct LinkSnapshot {
    double elapsed = 0;  // s, since the monitor was started
    double active = 0;   // s, from the first servo packet to the newest
    ap_json::LinkStatus status = ap_json::LinkStatus::waiting;
    std::string sitl, here, backend;  // addresses; SITL's is empty before its first packet

    LinkCounts counts;
    double packets_per_second = 0;  // of the newest seconds, like all that has no "total"
    double lines_per_second = 0;
    RoundTrips round_trips;
    RoundTrips round_trips_total;

    double simulated = 0;  // s that SITL's clock has advanced by the lines
    double speed = 0;      // simulated s per real s
    double step = 0;       // s, between the two newest lines

    std::optional<ap_json::ServoPacket> servos;  // the newest
    std::optional<ap_json::State> state;         // the newest that SITL took over
    std::string advice;                          // what is wrong and what to do about it; empty = nothing
};

class LinkMonitor {
  public:
    using Time = std::chrono::nanoseconds;  // on any steady clock

    /// @param here     the address that SITL sends to
    /// @param backend  the address that answers, as far as is known before it does
    LinkMonitor(Time start, std::string here, std::string backend);

    /// SITL, or somebody at its place, has sent a datagram.
    void from_sitl(Time now, const std::string& sender, std::string_view datagram);

    /// A datagram has gone to SITL, or to somebody at its place. @param sender  whom it came from
    void to_sitl(Time now, const std::string& sender, const std::string& receiver, std::string_view datagram);

    [[nodiscard]] LinkSnapshot snapshot(Time now) const;

    /// What the newest servo packet was.
    [[nodiscard]] ap_json::FrameKind newest_kind() const { return newest_kind_; }

  private:
    // The newest seconds, in slots.
    static constexpr std::size_t slots = 6;
    static constexpr Time slot_time = std::chrono::milliseconds(500);

    struct Slot {
        std::int64_t number = -1;  // slot_time since the start; -1 = not used yet
        std::uint64_t packets = 0, lines = 0, repeated = 0, missed = 0, unasked = 0, accepted = 0;
        double simulated = 0;  // s
        DurationHistogram round_trips;
    };

    static constexpr std::size_t most_open_packets = 64;

    [[nodiscard]] Slot& slot(Time now);
    [[nodiscard]] Slot newest_slots(Time now, double& seconds) const;
    void note_frame(Time now, const std::string& sender, const ap_json::ServoPacket& packet);
    void note_step(Time now, double timestamp);
    [[nodiscard]] ap_json::LinkStatus status(Time now) const;
    [[nodiscard]] std::string advice(Time now, const Slot& newest) const;
    [[nodiscard]] std::string advice_about_lines(Time now, const Slot& newest) const;

    Time start_;
    std::string here_;
    std::string backend_;
    std::string sitl_;   // whose frames are followed
    std::string other_;  // another SITL, or its echo

    ap_json::FrameTracker tracker_;
    ap_json::FrameKind newest_kind_ = ap_json::FrameKind::first;
    ap_json::SitlReader reader_;
    LinkCounts counts_;
    std::array<Slot, slots> slots_;
    DurationHistogram round_trips_;

    std::optional<ap_json::ServoPacket> servos_;
    // When the packets came that have no answer yet, oldest first. More than one: SITL had lines in its
    // queue.
    std::deque<Time> open_packets_;
    Time first_packet_{}, newest_packet_{}, newest_line_{}, newest_progress_{}, newest_trouble_{},
        newest_other_{};
    std::string trouble_;  // what the reader said of the newest line that was not taken over
    bool has_state_ = false;
    double timestamp_ = 0;
    double step_ = 0;
    double simulated_ = 0;
};
