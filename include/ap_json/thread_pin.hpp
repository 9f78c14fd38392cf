// thread_pin.hpp - keeps a thread on one core. A physics loop and its SITL on the same core wake each other
// fastest.
#pragma once

#include "ap_json/error.hpp"
#include "ap_json/export.hpp"

namespace ap_json {

/// Lets the calling thread run on this core only, and with it the threads it creates from then on. (For
/// SITL's process: `taskset -c CORE`, `start /affinity`.)
/// @param core  0 to the number of cores less one
/// @return ok, bad_option (no such core), or system_error; on macOS always system_error, as it has no such
///         call
AP_JSON_API Error pin_calling_thread(int core) noexcept;

}  // namespace ap_json
