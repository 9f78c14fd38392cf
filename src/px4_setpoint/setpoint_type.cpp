// setpoint_type.cpp - the table of setpoint types.
#include "px4_setpoint/setpoint_type.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace px4_setpoint {
namespace {

// Control flags, in the order of the struct: allocation, rates, attitude, altitude, climb rate, velocity, position, auto.
constexpr ControlFlags nothing{};
constexpr ControlFlags torque{true};
constexpr ControlFlags rates{true, true};
constexpr ControlFlags attitude{true, true, true};
constexpr ControlFlags position{true, true, true, true, true, true, true};
constexpr ControlFlags navigation{true, true, true, true, true, true, true, true};
constexpr ControlFlags ground_position{true, true, true, false, false, true, true};
constexpr ControlFlags ground_attitude{true, true, true, false, false, true};
constexpr ControlFlags ground_rate{true, true, false, false, false, true};
constexpr ControlFlags ground_steering{true, false, false, false, false, true};

using Type = SetpointType;
constexpr SetpointTypeInfo table[] = {
    // type, name, messages, flags, {unspecified, rotary wing, fixed wing, rover}
    {Type::direct_actuators, "DIRECT_ACTUATORS", "ActuatorMotors, ActuatorServos", nothing, {1, 1, 1, 1}},
    {Type::multicopter_goto, "MULTICOPTER_GOTO", "GotoSetpoint", position, {0, 1, 0, 0}},
    {Type::fixedwing_lateral_longitudinal,
     "FIXEDWING_LATERAL_LONGITUDINAL",
     "FixedWingLateralSetpoint, FixedWingLongitudinalSetpoint",
     position,
     {0, 0, 1, 0}},
    {Type::trajectory, "TRAJECTORY", "TrajectorySetpoint", position, {1, 1, 1, 1}},
    {Type::rates, "RATES", "VehicleRatesSetpoint", rates, {1, 1, 1, 1}},
    {Type::attitude, "ATTITUDE", "VehicleAttitudeSetpoint", attitude, {1, 1, 1, 1}},
    {Type::rover_position, "ROVER_POSITION", "RoverPositionSetpoint", ground_position, {0, 0, 0, 1}},
    {Type::rover_speed_attitude,
     "ROVER_SPEED_ATTITUDE",
     "RoverSpeedSetpoint, RoverAttitudeSetpoint",
     ground_attitude,
     {0, 0, 0, 1}},
    {Type::rover_speed_rate,
     "ROVER_SPEED_RATE",
     "RoverSpeedSetpoint, RoverRateSetpoint",
     ground_rate,
     {0, 0, 0, 1}},
    {Type::rover_speed_steering,
     "ROVER_SPEED_STEERING",
     "RoverSpeedSetpoint, RoverSteeringSetpoint",
     ground_steering,
     {0, 0, 0, 1}},
    {Type::rover_throttle_attitude,
     "ROVER_THROTTLE_ATTITUDE",
     "RoverThrottleSetpoint, RoverAttitudeSetpoint",
     ground_attitude,
     {0, 0, 0, 1}},
    {Type::rover_throttle_rate,
     "ROVER_THROTTLE_RATE",
     "RoverThrottleSetpoint, RoverRateSetpoint",
     ground_rate,
     {0, 0, 0, 1}},
    {Type::rover_throttle_steering,
     "ROVER_THROTTLE_STEERING",
     "RoverThrottleSetpoint, RoverSteeringSetpoint",
     ground_steering,
     {0, 0, 0, 1}},
    {Type::trajectory_6dof, "TRAJECTORY_6DOF", "TrajectorySetpoint6dof", position, {1, 0, 0, 0}},
    {Type::thrust_and_torque,
     "THRUST_AND_TORQUE",
     "VehicleThrustSetpoint, VehicleTorqueSetpoint",
     torque,
     {1, 1, 1, 1}},
    {Type::position_triplet, "POSITION_TRIPLET", "PositionSetpointTriplet", navigation, {1, 1, 1, 1}},
};

char plain(char letter) {
    return letter == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
}

struct ResultText {
    const char* name;
    const char* advice;
};

constexpr ResultText results[] = {
    {"SUCCESS", "PX4 takes this type on this vehicle."},
    {"FAILURE_OTHER",
     "PX4 knows no external mode with this source id: register the mode first, and use the mode_id of PX4's "
     "reply; after "
     "PX4 was restarted register again."},
    {"UNSUPPORTED",
     "PX4 knows the type but this kind of vehicle does not take it: declare another type for this vehicle (a "
     "rover type "
     "needs a rover, a goto a multicopter), or fly the vehicle that the mode is for."},
    {"UNKNOWN_SETPOINT_TYPE",
     "This PX4 does not know the type: it is older than the type, or the number is wrong. Update PX4, or "
     "declare a type "
     "it knows (1 to 16 in the first release with this dialogue)."},
};

}  // namespace

const SetpointTypeInfo* find(SetpointType type) noexcept {
    const auto number = static_cast<unsigned>(type);
    return number >= 1 && number <= std::size(table) ? &table[number - 1] : nullptr;
}

const SetpointTypeInfo* find(std::string_view name) noexcept {
    const auto same = [name](const SetpointTypeInfo& row) {
        const std::string_view other = row.name;
        return std::equal(other.begin(), other.end(), name.begin(), name.end(),
                          [](char a, char b) { return a == plain(b); });
    };
    const auto* row = std::find_if(std::begin(table), std::end(table), same);
    return row == std::end(table) ? nullptr : row;
}

Result result_for(SetpointType type, Vehicle vehicle, VtolRule rule) noexcept {
    const auto* row = find(type);
    if (row == nullptr) return Result::unknown_setpoint_type;
    if (type == SetpointType::fixedwing_lateral_longitudinal && vehicle.is_vtol &&
        rule == VtolRule::in_any_form) {
        return Result::success;
    }
    const auto column = static_cast<unsigned>(vehicle.type);
    return column < std::size(row->vehicles) && row->vehicles[column] ? Result::success : Result::unsupported;
}

const char* to_string(SetpointType type) noexcept {
    if (type == SetpointType::invalid) return "INVALID";
    const auto* row = find(type);
    return row == nullptr ? "unknown" : row->name;
}

const char* to_string(VehicleType type) noexcept {
    constexpr const char* names[] = {"unspecified", "rotary wing", "fixed wing", "rover"};
    const auto number = static_cast<unsigned>(type);
    return number < std::size(names) ? names[number] : "unknown";
}

const char* to_string(Result result) noexcept {
    const auto number = static_cast<unsigned>(result);
    return number < std::size(results) ? results[number].name : "unknown";
}

const char* advice(Result result) noexcept {
    const auto number = static_cast<unsigned>(result);
    return number < std::size(results) ? results[number].advice
                                       : "PX4 speaks a newer version of this dialogue: update this library.";
}

}  // namespace px4_setpoint
