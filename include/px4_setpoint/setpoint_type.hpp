// setpoint_type.hpp - the kinds of setpoint that an external mode of PX4 can send, what each controls, what it needs the
// vehicle to know about itself, and which vehicles take it. One table; everything else follows from it. Pure functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "px4_setpoint/export.hpp"

namespace px4_setpoint {

/// What kind of setpoint a mode sends: the field `type` of both messages.
enum class SetpointType : std::uint16_t {
    invalid = 0,
    direct_actuators = 1,
    multicopter_goto = 2,
    fixedwing_lateral_longitudinal = 3,
    trajectory = 4,  ///< what PX4 assumes of a mode that has not said anything
    rates = 5,
    attitude = 6,
    rover_position = 7,
    rover_speed_attitude = 8,
    rover_speed_rate = 9,
    rover_speed_steering = 10,
    rover_throttle_attitude = 11,
    rover_throttle_rate = 12,
    rover_throttle_steering = 13,
    trajectory_6dof = 14,
    thrust_and_torque = 15,
    position_triplet = 16,
};

/// Which of PX4's controllers run below a setpoint of some type.
struct ControlFlags {
    bool allocation = false;  ///< control allocation: thrust and torque to actuators
    bool rates = false;
    bool attitude = false;
    bool altitude = false;
    bool climb_rate = false;
    bool velocity = false;
    bool position = false;
    bool automatic = false;  ///< PX4's own navigation ("auto")
};

/// What PX4 has to know about the vehicle for a mode to run. PX4 only tells; the mode's own arming check has to ask for
/// it.
struct Requirements {
    bool angular_velocity = false;
    bool attitude = false;
    bool local_altitude = false;
    bool local_position = false;
};

[[nodiscard]] constexpr bool operator==(const Requirements& a, const Requirements& b) noexcept {
    return a.angular_velocity == b.angular_velocity && a.attitude == b.attitude &&
           a.local_altitude == b.local_altitude && a.local_position == b.local_position;
}
[[nodiscard]] constexpr bool operator!=(const Requirements& a, const Requirements& b) noexcept {
    return !(a == b);
}

/// What both need together.
[[nodiscard]] constexpr Requirements operator|(const Requirements& a, const Requirements& b) noexcept {
    return {a.angular_velocity || b.angular_velocity, a.attitude || b.attitude,
            a.local_altitude || b.local_altitude, a.local_position || b.local_position};
}

/// The four requirements follow from the controllers that run.
[[nodiscard]] constexpr Requirements requirements_of(const ControlFlags& flags) noexcept {
    return {flags.rates, flags.attitude, flags.altitude || flags.climb_rate,
            flags.position || flags.velocity};
}

/// PX4's word for what kind of vehicle it flies at the moment.
enum class VehicleType : std::uint8_t { unspecified = 0, rotary_wing = 1, fixed_wing = 2, rover = 3 };

/// The vehicle that PX4 flies. A VTOL is a rotary wing or a fixed wing, whichever it is at the moment.
struct Vehicle {
    VehicleType type = VehicleType::rotary_wing;
    bool is_vtol = false;
};

/// Whether a VTOL takes the fixed-wing setpoint while it hovers.
enum class VtolRule : std::uint8_t {
    in_any_form,   ///< it does (PX4 from September 2026 on, and release 1.18)
    in_form_only,  ///< only while it is a fixed wing (PX4 of July and August 2026)
};

/// What PX4 says to a request: the field `result` of the reply. Other values than these can come; they are failures.
enum class Result : std::uint8_t {
    success = 0,
    failure_other = 1,          ///< the source id belongs to no registered external mode
    unsupported = 2,            ///< a known type, but not for this vehicle
    unknown_setpoint_type = 3,  ///< type 0, or a type that this PX4 does not know
};

/// A row of the table.
struct SetpointTypeInfo {
    SetpointType type;
    const char* name;      ///< as in PX4's message ("ROVER_SPEED_STEERING")
    const char* messages;  ///< which messages carry such setpoints
    ControlFlags flags;
    bool vehicles[4];  ///< which take it, by VehicleType
};

/// The row of a type; null for `invalid` and for types that PX4 does not know.
[[nodiscard]] PX4_SETPOINT_API const SetpointTypeInfo* find(SetpointType type) noexcept;

/// The row of a name, in large or small letters, with `_` or `-` ("trajectory", "ROVER_POSITION"); null when there is
/// none.
[[nodiscard]] PX4_SETPOINT_API const SetpointTypeInfo* find(std::string_view name) noexcept;

/// What PX4 says about a type on a vehicle.
[[nodiscard]] PX4_SETPOINT_API Result result_for(SetpointType type, Vehicle vehicle,
                                                 VtolRule rule = VtolRule::in_any_form) noexcept;

/// PX4's name of a type; "INVALID" and "unknown" for those without a row. Never null.
[[nodiscard]] PX4_SETPOINT_API const char* to_string(SetpointType type) noexcept;

/// "rotary wing" and so on. Never null.
[[nodiscard]] PX4_SETPOINT_API const char* to_string(VehicleType type) noexcept;

/// PX4's name of a result ("UNSUPPORTED"); "unknown" for values that are not in the enumeration. Never null.
[[nodiscard]] PX4_SETPOINT_API const char* to_string(Result result) noexcept;

/// What to do about a result: a sentence for people. Never null.
[[nodiscard]] PX4_SETPOINT_API const char* advice(Result result) noexcept;

}  // namespace px4_setpoint
