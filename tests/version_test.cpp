// version_test.cpp - the headers, the library and CMake agree about the version.
#include <gtest/gtest.h>

#include <ap_json/version.hpp>
#include <string>

namespace {

// For the preprocessor, too, it has to be a number.
#if AP_JSON_VERSION_NUMBER < 10000
#error "AP_JSON_VERSION_NUMBER cannot be compared"
#endif
static_assert(ap_json::version_number ==
              ap_json::version_major * 10000 + ap_json::version_minor * 100 + ap_json::version_patch);
static_assert(ap_json::version_minor < 100 && ap_json::version_patch < 100, "they have two digits each");

TEST(Version, CMakeReadsTheHeader) { EXPECT_STREQ(AP_JSON_VERSION, CMAKE_PROJECT_VERSION_TEXT); }

TEST(Version, TextAndNumbersAgree) {
    EXPECT_EQ(AP_JSON_VERSION, std::to_string(AP_JSON_VERSION_MAJOR) + "." +
                                   std::to_string(AP_JSON_VERSION_MINOR) + "." +
                                   std::to_string(AP_JSON_VERSION_PATCH));
}

TEST(Version, TheLinkedLibraryIsOfTheHeadersVersion) {
    EXPECT_EQ(ap_json::linked_version(), ap_json::version_number);
    EXPECT_STREQ(ap_json::linked_version_text(), AP_JSON_VERSION);
}

}  // namespace
