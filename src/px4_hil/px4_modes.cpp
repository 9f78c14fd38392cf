// px4_modes.cpp - the names.
#include "px4_hil/px4_modes.hpp"

#include <cstddef>
#include <iterator>

namespace px4_hil {
namespace {

struct ModeName {
    Px4Mode mode;
    const char* name;
};
constexpr ModeName mode_names[] = {
    {{1, 0}, "MANUAL"},
    {{2, 0}, "ALTCTL"},
    {{3, 0}, "POSCTL"},
    {{3, 1}, "POSCTL.ORBIT"},
    {{3, 2}, "POSCTL.SLOW"},
    {{4, 1}, "AUTO.READY"},
    {{4, 2}, "AUTO.TAKEOFF"},
    {{4, 3}, "AUTO.LOITER"},
    {{4, 4}, "AUTO.MISSION"},
    {{4, 5}, "AUTO.RTL"},
    {{4, 6}, "AUTO.LAND"},
    {{4, 8}, "AUTO.FOLLOW_TARGET"},
    {{4, 9}, "AUTO.PRECLAND"},
    {{4, 10}, "AUTO.VTOL_TAKEOFF"},
    {{4, 11}, "AUTO.EXTERNAL1"},
    {{4, 12}, "AUTO.EXTERNAL2"},
    {{4, 13}, "AUTO.EXTERNAL3"},
    {{4, 14}, "AUTO.EXTERNAL4"},
    {{4, 15}, "AUTO.EXTERNAL5"},
    {{4, 16}, "AUTO.EXTERNAL6"},
    {{4, 17}, "AUTO.EXTERNAL7"},
    {{4, 18}, "AUTO.EXTERNAL8"},
    {{5, 0}, "ACRO"},
    {{6, 0}, "OFFBOARD"},
    {{7, 0}, "STABILIZED"},
    {{10, 0}, "TERMINATION"},
    {{11, 0}, "ALTITUDE_CRUISE"},
};

constexpr const char* command_results[] = {"accepted",
                                           "temporarily rejected",
                                           "denied",
                                           "unsupported",
                                           "failed",
                                           "in progress",
                                           "cancelled",
                                           "only as COMMAND_LONG",
                                           "only as COMMAND_INT",
                                           "unsupported frame",
                                           "not in control"};
constexpr const char* mission_results[] = {"accepted",
                                           "error",
                                           "unsupported frame",
                                           "unsupported",
                                           "no space",
                                           "invalid",
                                           "invalid parameter 1",
                                           "invalid parameter 2",
                                           "invalid parameter 3",
                                           "invalid parameter 4",
                                           "invalid latitude",
                                           "invalid longitude",
                                           "invalid altitude",
                                           "invalid sequence",
                                           "denied",
                                           "cancelled"};

template <std::size_t Count>
const char* name_of(std::size_t index, const char* const (&names)[Count]) noexcept {
    return index < Count ? names[index] : "unknown";
}

}  // namespace

const char* to_string(Px4Mode mode) noexcept {
    for (const ModeName& each : mode_names) {
        if (each.mode == mode) return each.name;
    }
    return "unknown";
}

const char* command_result(std::uint8_t result) noexcept { return name_of(result, command_results); }
const char* mission_result_text(std::uint8_t result) noexcept { return name_of(result, mission_results); }

}  // namespace px4_hil
