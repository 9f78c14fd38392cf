// px4_setpoint.hpp - everything of px4_setpoint that needs no DDS: PX4's set-point configuration dialogue (the messages
// SetpointConfig and SetpointConfigReply), a mode's side and PX4's side. Needs no other library. See docs/px4_setpoint.md.
#pragma once

#include "px4_setpoint/cdr.hpp"            // IWYU pragma: export
#include "px4_setpoint/error.hpp"          // IWYU pragma: export
#include "px4_setpoint/messages.hpp"       // IWYU pragma: export
#include "px4_setpoint/names.hpp"          // IWYU pragma: export
#include "px4_setpoint/negotiator.hpp"     // IWYU pragma: export
#include "px4_setpoint/responder.hpp"      // IWYU pragma: export
#include "px4_setpoint/setpoint_type.hpp"  // IWYU pragma: export
#include "px4_setpoint/zenoh.hpp"          // IWYU pragma: export
