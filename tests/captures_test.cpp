// captures_test.cpp - recorded traffic of the real SITL: every packet decodes, and every verdict is right.
// The numbers were counted by other means than this library.
#include <gmock/gmock.h>

#include <ap_json/frame_tracker.hpp>
#include <ap_json/servo_packet.hpp>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using ap_json::FrameKind;

std::vector<unsigned char> from_hex(const std::string& hex) {
    std::vector<unsigned char> bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
        bytes.push_back(static_cast<unsigned char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
    }
    return bytes;
}

struct Seen {
    std::map<FrameKind, int> kinds;
    std::map<int, int> channels;  // packets by number of channels
    std::uint32_t last_count = 0;
    int rejected = 0;
};

Seen replay(const std::string& name) {
    Seen seen;
    ap_json::FrameTracker tracker;
    std::ifstream file(TEST_DATA "servo_packets/" + name + ".txt");
    EXPECT_TRUE(file) << name;
    for (std::string line; std::getline(file, line);) {
        if (line[0] == '#') continue;
        std::istringstream words(line);
        std::string hex;
        int times = 0;
        words >> hex >> times;
        auto bytes = from_hex(hex);
        for (int i = 0; i < times; ++i) {
            ap_json::ServoPacket packet;
            if (decode(bytes.data(), bytes.size(), packet) != ap_json::ErrorCode::ok) {
                ++seen.rejected;
                continue;
            }
            ++seen.kinds[tracker.track(packet.frame_count).kind];
            ++seen.channels[packet.channels];
            seen.last_count = packet.frame_count;
            for (std::size_t byte = 4; byte < 8 && ++bytes[byte] == 0; ++byte) {
            }
        }
    }
    return seen;
}

struct Expected {
    const char* name;
    std::uint32_t last_count;
    std::map<FrameKind, int> kinds;
    std::map<int, int> channels;
};

class Captures : public testing::TestWithParam<Expected> {};

TEST_P(Captures, DecodeAndTrack) {
    const Seen seen = replay(GetParam().name);
    EXPECT_EQ(seen.rejected, 0);
    EXPECT_EQ(seen.kinds, GetParam().kinds);
    EXPECT_EQ(seen.channels, GetParam().channels);
    EXPECT_EQ(seen.last_count, GetParam().last_count);
}

constexpr auto first = FrameKind::first;
constexpr auto next = FrameKind::next;
constexpr auto repeated = FrameKind::repeated;
constexpr auto restarted = FrameKind::restarted;

INSTANTIATE_TEST_SUITE_P(
    All, Captures,
    testing::Values(
        Expected{"a_copter16_lockstep", 6053, {{first, 1}, {next, 6053}}, {{16, 6054}}},
        Expected{"a_plane16_lockstep", 6055, {{first, 1}, {next, 6055}}, {{16, 6056}}},
        Expected{"a_rover16_lockstep", 6065, {{first, 1}, {next, 6065}}, {{16, 6066}}},
        Expected{"a_rover16_rate300_param", 1255, {{first, 1}, {next, 1255}}, {{16, 1256}}},
        Expected{"a_rover16_rate400_arg", 1471, {{first, 1}, {next, 1471}}, {{16, 1472}}},
        Expected{"b_rover32_lockstep", 9724, {{first, 1}, {next, 9724}}, {{32, 9725}}},
        Expected{"b_rover32_minimal", 0, {{first, 1}, {repeated, 7}}, {{32, 8}}},
        Expected{"c2_backend_frozen_15s", 9967, {{first, 1}, {next, 5127}, {repeated, 13}}, {{16, 5141}}},
        Expected{"c_sitl_before_backend", 5019, {{first, 1}, {next, 5019}, {repeated, 32}}, {{16, 5052}}},
        Expected{"d2_mavlink_reboot", 4809, {{first, 1}, {next, 5670}, {restarted, 1}}, {{16, 5672}}},
        Expected{"d_sitl_restarted_fake", 7209, {{first, 1}, {next, 8431}, {restarted, 1}}, {{16, 8433}}},
        Expected{"e_backend_restarted_fake", 17891, {{first, 1}, {next, 7051}, {repeated, 4}}, {{16, 7056}}},
        Expected{"g_copter_hover_400hz", 11999, {{first, 1}, {next, 11999}}, {{16, 12000}}},
        Expected{"g_rover_drive_200hz", 13619, {{first, 1}, {next, 13619}}, {{16, 13620}}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(CapturesOfASwitch, ChannelsChangeWhileRunning) {
    const Seen seen = replay("b_rover32_switched_live");
    EXPECT_EQ(seen.rejected, 0);
    EXPECT_EQ(seen.kinds, (std::map<FrameKind, int>{{first, 1}, {next, 5007}}));
    EXPECT_EQ(seen.channels.size(), 2U);
    EXPECT_EQ(seen.channels.at(16) + seen.channels.at(32), 5008);
}

}  // namespace
