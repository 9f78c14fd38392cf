// version_test.cpp - the headers, the library and CMake agree about the version, and programs that are linked to a
// shared library of this major version can go on with this one.
#include <gtest/gtest.h>

#include <ap_json/ap_json.hpp>
#include <ap_json/resampler.hpp>
#include <ap_json/sitl_stand_in.hpp>
#include <map>
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

#if defined(__linux__) && defined(__x86_64__) && defined(__GLIBCXX__)
// A struct that programs hold may change its size in a new major version only, for then the library's name changes, too.
TEST(Version, StructsThatProgramsHoldKeepTheirSize) {
    const std::map<std::string, std::size_t> sizes = {
        {"State", sizeof(ap_json::State)},
        {"ServoPacket", sizeof(ap_json::ServoPacket)},
        {"Frame", sizeof(ap_json::Frame)},
        {"Error", sizeof(ap_json::Error)},
        {"ClientOptions", sizeof(ap_json::ClientOptions)},
        {"Statistics", sizeof(ap_json::Statistics)},
        {"Client", sizeof(ap_json::Client)},
        {"FrameTracker", sizeof(ap_json::FrameTracker)},
        {"Fleet", sizeof(ap_json::Fleet)},
        {"Resampler", sizeof(ap_json::Resampler)},
        {"SitlStandIn", sizeof(ap_json::SitlStandIn)},
        {"SitlStandInOptions", sizeof(ap_json::SitlStandInOptions)},
    };
    const std::map<std::string, std::size_t> of_version_1 = {
        {"State", 448},         {"ServoPacket", 76}, {"Frame", 84},      {"Error", 257},
        {"ClientOptions", 112}, {"Statistics", 112}, {"Client", 8},      {"FrameTracker", 16},
        {"Fleet", 56},          {"Resampler", 1024}, {"SitlStandIn", 8}, {"SitlStandInOptions", 216}};
    EXPECT_EQ(sizes, of_version_1);
}
#endif

}  // namespace
