// state_fields.hpp - what a state line holds, as a table: for all that goes through a state field by field. Pure.
#pragma once

#include <ap_json/state.hpp>
#include <cstdint>
#include <string>
#include <vector>

struct StateField {
    enum class Kind : std::uint8_t { plain, angle, quaternion, flag };  // angle: equal modulo a turn

    std::string name;                // on the wire: "imu.gyro"
    std::string key;                 // the same as ap_json::SitlReader spells it: "imu: gyro"
    std::string unit;                // may be empty
    std::vector<std::string> parts;  // "x", "y", "z"; one empty name when it is a single number
    Kind kind = Kind::plain;
    void (*read)(const ap_json::State& state, double* values) = nullptr;

    /// "imu.gyro.x"
    [[nodiscard]] std::string part_name(std::size_t part) const {
        return parts[part].empty() ? name : name + "." + parts[part];
    }
};

/// No field has more numbers.
constexpr std::size_t most_parts = 4;

/// All fields, always in the same order.
const std::vector<StateField>& state_fields();

/// Which fields a line had: bit i for state_fields()[i].
using FieldSet = std::uint64_t;

/// @param keys  as SitlReader::keys() gives them
FieldSet to_field_set(const std::vector<std::string>& keys);

/// The index of a field by its name on the wire, also without "imu."; nothing = -1.
int find_state_field(const std::string& name);

[[nodiscard]] constexpr bool has_field(FieldSet set, std::size_t index) {
    return ((set >> index) & FieldSet{1}) != 0;
}

/// rad: roll, pitch, yaw as SITL has them: from the quaternion when there is one.
ap_json::EulerAngles attitude_of(const ap_json::State& state);
