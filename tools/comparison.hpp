// comparison.hpp - compares what a replay gets with what was recorded, field by field, within tolerances: the first
// difference and the largest one of each field. Pure.
#pragma once

#include <ap_json/servo_packet.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flight.hpp"

/// How much may differ.
class Tolerances {
  public:
    /// Takes "1e-6" (relative to the recorded value, for all fields of a state), "position=0.01" (in the unit of that
    /// field, in place of the relative one) or "servo=2" (us).
    /// @return empty, or what is wrong with the text
    std::string set(const std::string& text);

    /// For a number of a field of state_fields().
    [[nodiscard]] double of_state(std::size_t field, double recorded) const;

    /// us, for each servo output.
    [[nodiscard]] double of_servo() const { return servo_; }

  private:
    double relative_ = 1e-6;
    double absolute_ = 1e-9;  // in each field's unit, for numbers near 0
    std::map<std::size_t, double> fields_;
    double servo_ = 1;  // us
};

/// Which frame is compared.
struct ComparedFrame {
    std::uint64_t number = 0;  // in the recording, from 0
    std::uint32_t count = 0;   // frame_count as recorded
    double time = 0;           // s, the flight's
};

struct Difference {
    ComparedFrame frame;
    std::string field;    // with its part: "velocity.north"
    std::string unit;     // may be empty
    std::string problem;  // when there are no numbers to compare: in words what differs
    double recorded = 0;
    double now = 0;
    double difference = 0;
    double allowed = 0;
};

/// What came of one field.
struct FieldResult {
    std::string field;
    std::uint64_t compared = 0;   // frames
    std::uint64_t different = 0;  // frames beyond the tolerance
    Difference largest;
};

class Comparison {
  public:
    explicit Comparison(const Tolerances& tolerances) : tolerances_(tolerances) {}

    /// A state against the recorded one.
    void compare(const ComparedFrame& frame, const StateAnswer& recorded, const StateAnswer& now);

    /// Servo outputs against the recorded ones.
    void compare(const ComparedFrame& frame, const ap_json::ServoPacket& recorded,
                 const ap_json::ServoPacket& now);

    [[nodiscard]] std::uint64_t frames() const { return frames_; }
    [[nodiscard]] std::uint64_t different_frames() const { return different_frames_; }
    [[nodiscard]] const std::optional<Difference>& first() const { return first_; }

    /// Of all fields that were there, in the order of the wire.
    [[nodiscard]] std::vector<FieldResult> fields() const;

  private:
    void compare_field(const ComparedFrame& frame, std::size_t index, const StateAnswer& recorded,
                       const StateAnswer& now);
    void note(std::size_t slot, const std::string& field, std::vector<Difference>& parts);
    void note_problem(std::size_t slot, const Difference& difference);

    Tolerances tolerances_;
    std::map<std::size_t, FieldResult> results_;
    std::optional<Difference> first_;
    std::uint64_t frames_ = 0;
    std::uint64_t different_frames_ = 0;
    bool frame_differs_ = false;
};

/// rad or the like: the difference between two angles, 0 to pi.
double angle_difference(double a, double b);
