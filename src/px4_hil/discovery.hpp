// discovery.hpp - finds the serial port with a PX4 behind it. Private to the library.
#pragma once

#include <atomic>
#include <string>

#include "px4_hil/error.hpp"
#include "px4_hil/station.hpp"
#include "px4_hil/transport.hpp"

namespace px4_hil {

/// Opens one candidate after the other, sends heartbeats, and keeps the first that yields the heartbeat of a PX4 within
/// 3 s. A port that yields none is not kept open.
/// @param stop  ends the search when it becomes true
/// @return ok, port_not_found with the names tried, or cancelled
Error find_autopilot(const std::string& pattern, unsigned baud, const StationOptions& options,
                     const std::atomic<bool>& stop, TransportPtr& transport);

}  // namespace px4_hil
