// version.cpp - see version.hpp.
#include "ap_json/version.hpp"

namespace ap_json {

int linked_version() noexcept { return version_number; }

const char* linked_version_text() noexcept { return AP_JSON_VERSION; }

}  // namespace ap_json
