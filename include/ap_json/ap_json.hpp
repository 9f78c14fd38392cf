// ap_json.hpp - links a physics simulator to ArduPilot SITL. Includes the whole library but for the opt-in
// headers frames.hpp, resampler.hpp, nlohmann.hpp, libAP_JSON.h and sitl_stand_in.hpp.
#pragma once

#include "ap_json/client.hpp"
#include "ap_json/error.hpp"
#include "ap_json/fleet.hpp"
#include "ap_json/frame_tracker.hpp"
#include "ap_json/lockstep.hpp"
#include "ap_json/servo_packet.hpp"
#include "ap_json/state.hpp"
#include "ap_json/state_json.hpp"
#include "ap_json/thread_pin.hpp"
#include "ap_json/version.hpp"
