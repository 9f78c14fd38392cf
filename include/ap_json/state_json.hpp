// state_json.hpp - writes a state as the line of JSON that ArduPilot SITL reads. Pure: no socket, no clock,
// no allocation.
//
// SITL's reader is not a JSON parser: it searches the text for key names. encode() writes only lines in which
// that search finds exactly the keys that are meant: no white space, one fixed order, a newline before and
// after, numbers that read back to the same double whatever the process's locale is.
#pragma once

#include <cstddef>

#include "ap_json/error.hpp"
#include "ap_json/state.hpp"

namespace ap_json {

/// No line is longer than this, in bytes.
constexpr std::size_t max_state_line = 1536;

/// Says whether a state can be sent safely; encode() asks the same first.
///
/// @return ok, or not_finite, out_of_range, not_normalised, incomplete with a message that names the field,
///         its value and what would be right
AP_JSON_API Error validate(const State& state) noexcept;

/// Writes the line for `state`, both newlines included, without a terminating zero.
///
/// "attitude" is always in the line, computed from the quaternion when that is set. "quaternion" is in the
/// line when it is set, and also when range finders are, because SITL reads some of those only beside a
/// quaternion.
///
/// @param state     the state
/// @param buffer    where the line goes; max_state_line bytes always suffice
/// @param capacity  size of the buffer in bytes
/// @param length    set to the line's length in bytes, or to 0 on error
/// @return ok, an error of validate(), or buffer_too_small. On error no usable line is in the buffer.
AP_JSON_API Error encode(const State& state, char* buffer, std::size_t capacity,
                         std::size_t& length) noexcept;

}  // namespace ap_json
