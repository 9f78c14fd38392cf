// version.hpp - which version of ap_json this is. The one place where the version is written: CMake and the packages
// read it here.
#pragma once

#include "ap_json/export.hpp"

// Semantic versioning; docs/packaging.md says what may change in which version.
/// Changes when programs have to be changed.
#define AP_JSON_VERSION_MAJOR 1
/// Changes when something is new.
#define AP_JSON_VERSION_MINOR 0
/// Changes when something is mended.
#define AP_JSON_VERSION_PATCH 0

/// 10203 for version 1.2.3, to compare with: `#if AP_JSON_VERSION_NUMBER >= 10200`.
#define AP_JSON_VERSION_NUMBER \
    (AP_JSON_VERSION_MAJOR * 10000 + AP_JSON_VERSION_MINOR * 100 + AP_JSON_VERSION_PATCH)

/// A number as text.
#define AP_JSON_VERSION_TEXT_OF(number) #number
/// Three numbers as text, with points between.
#define AP_JSON_VERSION_TEXT(major, minor, patch) \
    AP_JSON_VERSION_TEXT_OF(major) "." AP_JSON_VERSION_TEXT_OF(minor) "." AP_JSON_VERSION_TEXT_OF(patch)

/// "1.2.3": a literal, so that it joins with others.
#define AP_JSON_VERSION \
    AP_JSON_VERSION_TEXT(AP_JSON_VERSION_MAJOR, AP_JSON_VERSION_MINOR, AP_JSON_VERSION_PATCH)

namespace ap_json {

/// The version of the headers that this program is compiled with; `version_number` as AP_JSON_VERSION_NUMBER.
constexpr int version_major = AP_JSON_VERSION_MAJOR;
/// See version_major.
constexpr int version_minor = AP_JSON_VERSION_MINOR;
/// See version_major.
constexpr int version_patch = AP_JSON_VERSION_PATCH;
/// See version_major.
constexpr int version_number = AP_JSON_VERSION_NUMBER;

/// The version of the library that this program runs with, as version_number. Differs from that of the headers
/// when a shared library has been exchanged for a newer one, which is fine within one major version.
[[nodiscard]] AP_JSON_API int linked_version() noexcept;

/// The same as text, such as "1.2.3". Never null.
[[nodiscard]] AP_JSON_API const char* linked_version_text() noexcept;

}  // namespace ap_json
