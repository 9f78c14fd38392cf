// pseudo_terminal.hpp - the autopilot's end of a pseudo-terminal. Private to the stand-in.
#pragma once

#include <string>

#include "px4_hil/transport.hpp"

namespace px4_hil {

/// @param device  gets the name of the station's end
/// @return ok, port_open_failed, or unsupported on Windows
Error open_pseudo_terminal(TransportPtr& transport, std::string& device);

}  // namespace px4_hil
