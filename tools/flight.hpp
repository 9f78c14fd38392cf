// flight.hpp - puts a recording's datagrams together to a flight: frame after frame the servo packet, what the backend
// answered, and how long that took. Shared by replay and report. Pure: no file, no socket, no clock; bounded memory.
#pragma once

#include <ap_json/frame_tracker.hpp>
#include <ap_json/servo_packet.hpp>
#include <ap_json/sitl_reader.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "recording.hpp"
#include "state_fields.hpp"

/// A state line, as SITL reads it.
struct StateAnswer {
    ap_json::SitlVerdict verdict = ap_json::SitlVerdict::incomplete;
    ap_json::State state;
    FieldSet fields = 0;
    std::string advice;  // what is wrong with the line

    /// Whether SITL takes the line over (and dies of it, when it is fatal).
    [[nodiscard]] bool accepted() const {
        return verdict == ap_json::SitlVerdict::accepted || verdict == ap_json::SitlVerdict::fatal;
    }
};

/// Reads state lines one after the other. Lines that SITL rejects stay in its buffer, as in SITL; a full buffer is
/// emptied, since there is no use in reading nothing for the rest of a flight.
class StateLineReader {
  public:
    StateAnswer read(const std::string& line);

  private:
    ap_json::SitlReader reader_;
    FieldSet fields_ = 0;
};

/// One servo packet of its own count and the answer that SITL took.
struct FlightFrame {
    bool has_servos = false;  // false when the recording has no servo packet for this answer
    std::string packet;       // the datagram with the servo outputs
    ap_json::ServoPacket servos;
    ap_json::FrameKind kind = ap_json::FrameKind::first;
    std::uint32_t missed = 0;   // frame counts missing before this one
    std::uint32_t repeats = 0;  // how often SITL asked again

    bool answered = false;  // with a line that SITL takes
    std::string line;       // the datagram that SITL took
    StateAnswer answer;     // or else the newest one that it refused

    std::int64_t asked_ns = 0;     // on the clock of the recording
    std::int64_t answered_ns = 0;  // not before asked_ns
    double time = 0;               // s, the flight's; see FlightClock
};

/// What the frames' time is.
enum class FlightClock : std::uint8_t {
    simulated,  ///< the backend's timestamps. Never falls: goes on where it was when they go back, jump, or begin anew
    recording,  ///< the recorder's, from 0 on: for recordings without answers
};

struct FlightCounts {
    std::uint64_t servo_packets = 0;  // valid ones that reached the backend
    std::uint64_t state_lines = 0;    // that reached SITL
    std::uint64_t frames = 0;
    std::uint64_t answered = 0;
    std::uint64_t repeats = 0;    // servo packets with the count of the one before
    std::uint64_t missed = 0;     // counts that were never seen
    std::uint64_t restarts = 0;   // of ArduPilot
    std::uint64_t stale = 0;      // servo packets that arrived behind a newer one
    std::uint64_t not_servo = 0;  // datagrams from SITL that are no servo packet
    std::uint64_t refused = 0;    // lines that SITL does not take
    std::uint64_t fatal = 0;      // lines that SITL dies of
    std::uint64_t extra = 0;      // answers to a packet that was answered already, and not asked for again
    std::uint64_t time_went_back = 0;            // timestamps before the one before, without a restart
    std::uint64_t time_stood = 0;                // timestamps equal to the one before
    std::uint64_t time_jumped = 0;               // timestamps later by more than ap_json::longest_jump
    std::map<std::string, std::uint64_t> fates;  // what a tap did on purpose
    std::vector<std::string> sitl_peers;         // who sent; the first few
    std::vector<std::string> backend_peers;
    std::uint32_t first_count = 0;  // of the first frame
    double first_time = 0;          // s, of the first answer
    double last_time = 0;           // s
    std::int64_t first_ns = 0, last_ns = 0;
    std::int64_t first_wall_ns = 0, last_wall_ns = 0;
};

class FlightAssembler {
  public:
    explicit FlightAssembler(FlightClock clock = FlightClock::simulated) : clock_(clock) {}

    /// Takes the next record. @return the frame that this one completes, if it does
    std::optional<FlightFrame> add(const Record& record);

    /// The frame that was not complete yet, at the end.
    std::optional<FlightFrame> finish();

    [[nodiscard]] const FlightCounts& counts() const { return counts_; }

    /// s: the flight's time now, for marks.
    [[nodiscard]] double time() const { return time_; }

  private:
    std::optional<FlightFrame> add_packet(const Record& record);
    std::optional<FlightFrame> add_line(const Record& record);
    void take_answer(FlightFrame& frame, const Record& record);
    void advance_time(double timestamp);

    FlightClock clock_;
    FlightCounts counts_;
    std::optional<FlightFrame> open_;
    std::uint32_t repeats_answered_ = 0;  // of the open frame
    ap_json::FrameTracker tracker_;
    std::string newest_sitl_;
    StateLineReader reader_;
    bool any_record_ = false;
    bool timestamp_known_ = false;
    bool time_begun_ = false;
    double timestamp_ = 0;  // s, the newest
    double offset_ = 0;     // s: the flight's time minus the timestamp
    double time_ = 0;
};
