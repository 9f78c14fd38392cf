// sitl_reader_test.cpp - the stand-in's reader and state machine do what the real SITL did: with 82 kinds of
// faulty and good backends, with recorded conversations, and with vectors measured one by one.
#include <gmock/gmock.h>

#include <ap_json/sitl_model.hpp>
#include <ap_json/state_json.hpp>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace {

using ap_json::SitlModel;
using ap_json::SitlReader;
using ap_json::SitlVerdict;
using nlohmann::json;

SitlVerdict feed(SitlReader& reader, const std::string& text) {
    return reader.feed(text.data(), text.size());
}

// ---- recorded faults

std::string shortest(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
}

/// A backend as it was in the recorded runs: strict lockstep, one kind of fault from a certain answer on.
class FaultyBackend {
  public:
    explicit FaultyBackend(const json& run) : run_(run), line_(run.at("line_example").get<std::string>()) {
        bad_from_ = run.at("bad_from_frame").get<int>();
        if (run.at("bad_frames").is_number()) bad_frames_ = run.at("bad_frames").get<int>();
        const auto& extra = run.at("extra_arguments");
        for (std::size_t i = 0; i < extra.size(); ++i) {
            if (extra[i] == "--ignore-dups") answers_repeats_ = false;
            if (extra[i] == "--t0") time_ = std::stod(extra[i + 1].get<std::string>());
            if (extra[i] == "--rate") rate_ = std::stod(extra[i + 1].get<std::string>());
        }
    }

    /// The answer to a servo packet; empty = none.
    std::string answer(const ap_json::ServoPacket& packet) {
        const bool repeated = last_ == packet.frame_count;
        if (repeated && !answers_repeats_) return {};
        last_ = packet.frame_count;
        const bool bad = sent_++ >= bad_from_ && bad_frames_ > 0 && run_.at("variant") != "good";
        if (!repeated && !(bad && run_.at("variant") == "ts_same")) {
            time_ += 1 / (rate_ > 0 ? rate_ : std::max<double>(packet.frame_rate, 1));
        }
        if (!bad) return with_time(good_line);
        --bad_frames_;
        return with_time(line_);
    }

  private:
    static constexpr const char* good_line =
        "\n{\"timestamp\":1.25,\"imu\":{\"gyro\":[0.0,0.0,0.0],\"accel_body\":[0.0,0.0,-9.80665]},"
        "\"position\":[0.0,0.0,"
        "0.0],\"attitude\":[0.0,0.0,0.0],\"velocity\":[0.0,0.0,0.0]}\n";

    /// The examples were written at 1.25 s.
    std::string with_time(std::string line) const {
        const std::string key = "\"timestamp\"";
        for (auto at = line.find(key); at != std::string::npos; at = line.find(key, at + 1)) {
            const auto begin = line.find_first_of("-0123456789N", at + key.size());
            const auto end = line.find_first_of(" ,}", begin);
            const std::string written = line.substr(begin, end - begin);
            if (written == "NaN" || written == "0") continue;
            line.replace(begin, end - begin, shortest(time_ + std::stod(written) - 1.25));
        }
        return line;
    }

    const json& run_;
    std::string line_;
    int bad_from_ = 0;
    int bad_frames_ = 1000000000;
    int sent_ = 0;
    bool answers_repeats_ = true;
    double time_ = 0;
    double rate_ = 0;
    std::int64_t last_ = -1;
};

struct Result {
    bool moving_at_end = false;
    bool dead = false;
    std::set<std::string> console;
};

/// Lets the two talk for `seconds` of simulated time, or until nothing moves any more.
bool talk(SitlModel& sitl, FaultyBackend& backend, double seconds, Result& result) {
    const double start = sitl.clock();
    int without_progress = 0;
    int frames = 0;
    while (sitl.clock() - start < seconds && without_progress < 3000 && frames++ < 30000 && !result.dead) {
        unsigned char bytes[ap_json::servo_packet_size_32];
        ap_json::ServoPacket packet;
        const std::size_t size = sitl.write_packet(bytes);
        EXPECT_EQ(decode(bytes, size, packet), ap_json::ErrorCode::ok);
        const std::string line = backend.answer(packet);
        const double before = sitl.clock();
        const SitlVerdict verdict = line.empty() ? SitlVerdict::full : sitl.receive(line.data(), line.size());
        without_progress = sitl.clock() > before ? 0 : without_progress + 1;
        result.dead = verdict == SitlVerdict::fatal;
        for (const std::string& text : sitl.take_console()) result.console.insert(text);
    }
    return sitl.clock() - start > seconds / 10;
}

Result run_recorded(SitlModel& sitl, const json& run) {
    Result result;
    FaultyBackend backend(run);
    talk(sitl, backend, 10, result);
    result.moving_at_end = talk(sitl, backend, 2, result);
    return result;
}

/// The console of a recorded run without what the process's end and the socket add, and without counts.
std::set<std::string> console_of(const json& run) {
    std::set<std::string> lines;
    for (const auto& entry : run.at("sitl_console")) {
        std::string text = entry.get<std::string>();
        if (const auto count = text.find("   ["); count != std::string::npos) text.resize(count);
        const bool foreign = text.rfind("ERROR", 0) == 0 || text.rfind("Running", 0) == 0 ||
                             text == "Failed" || text.rfind("No JSON", 0) == 0;
        if (!foreign) lines.insert(text);
    }
    return lines;
}

bool is_complaint(const std::string& text) {
    return text.rfind("Failed", 0) == 0 || text.rfind("Did not", 0) == 0;
}

void expect_near(const json& run, const char* name, const std::vector<double>& ours) {
    const auto recorded = run.find(name);
    if (recorded == run.end() || recorded->is_null()) return;
    for (std::size_t i = 0; i < ours.size(); ++i)
        EXPECT_NEAR(ours[i], (*recorded)[i].get<double>(), 2e-6) << name << i;
}

std::vector<double> attitude_of(const ap_json::State& state) {
    if (!state.quaternion) return {state.attitude.roll, state.attitude.pitch, state.attitude.yaw};
    const auto& q = *state.quaternion;
    return {std::atan2(2 * (q.w * q.x + q.y * q.z), 1 - 2 * (q.x * q.x + q.y * q.y)),
            std::asin(2 * (q.w * q.y - q.z * q.x)),
            std::atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z))};
}

TEST(RecordedFaults, TheStandInDoesWhatSitlDid) {
    std::ifstream file(TEST_DATA "reader_faults.json");
    const json runs = json::parse(file);
    ASSERT_EQ(runs.size(), 82U);
    int compared = 0;
    for (const json& run : runs) {
        SCOPED_TRACE(run.at("variant").get<std::string>() + " from frame " + run.at("bad_from_frame").dump() +
                     " for " + run.at("bad_frames").dump() + " " + run.at("extra_arguments").dump());
        if (run.at("sitl_clock_moving_at_end").is_null()) continue;  // that run never got going
        SitlModel sitl;
        const Result result = run_recorded(sitl, run);
        EXPECT_EQ(result.dead, run.at("sitl_exit") == -6);
        EXPECT_EQ(result.moving_at_end, run.at("sitl_clock_moving_at_end").get<bool>());
        const auto recorded = console_of(run);
        for (const std::string& text : recorded) EXPECT_THAT(result.console, testing::Contains(text));
        for (const std::string& text : result.console) {
            if (is_complaint(text)) {
                EXPECT_THAT(recorded, testing::Contains(text));
            }
        }
        ++compared;
        const ap_json::State& state = sitl.reader().state();
        if (result.dead) continue;
        expect_near(run, "SIM_STATE vn,ve,vd", {state.velocity.x, state.velocity.y, state.velocity.z});
        expect_near(run, "SIM_STATE gyro", {state.gyro.x, state.gyro.y, state.gyro.z});
        expect_near(run, "SIM_STATE acc",
                    {state.specific_force.x, state.specific_force.y, state.specific_force.z});
        expect_near(run, "SIM_STATE roll,pitch,yaw", attitude_of(state));
        if (state.battery) {
            expect_near(run, "battery_mV,cA", {state.battery->voltage * 1000, state.battery->current * 100});
        }
        if (state.rc[2]) {
            expect_near(run, "RC_CHANNELS n,1,3,12",
                        {run.at("RC_CHANNELS n,1,3,12")[0].get<double>(),
                         run.at("variant") == "rc_reversed" ? 0.0 : double(*state.rc[0]),
                         double(*state.rc[2]), double(state.rc[11].value_or(0))});
        }
    }
    EXPECT_EQ(compared, 81);
}

// ---- recorded conversations

std::string hex_of(const SitlModel& sitl) {
    unsigned char bytes[ap_json::servo_packet_size_32];
    const std::size_t size = sitl.write_packet(bytes);
    std::string text;
    for (std::size_t i = 0; i < size; ++i) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", unsigned{bytes[i]});
        text += digits;
    }
    return text;
}

struct Conversation {
    const char* name;
    float sim_rate;
};

class RecordedConversations : public testing::TestWithParam<Conversation> {};

/// Fed with what the backend said, the stand-in sends the very packets that SITL sent.
TEST_P(RecordedConversations, TheStandInSendsTheSamePackets) {
    std::ifstream file(std::string(TEST_DATA "exchanges/") + GetParam().name + ".txt");
    ASSERT_TRUE(file);
    SitlModel sitl;
    sitl.set_sim_rate(GetParam().sim_rate);
    int packets = 0;
    for (std::string line; std::getline(file, line);) {
        if (line[0] == 'S') {
            // The first 8 bytes: magic, frame rate, frame count. PWM is another test's business.
            ASSERT_EQ(hex_of(sitl).substr(0, 16), line.substr(2, 16)) << "packet " << packets;
            ++packets;
        } else {
            const std::string text = json::parse(line.substr(2)).get<std::string>();
            ASSERT_EQ(sitl.receive(text.data(), text.size()), SitlVerdict::accepted);
        }
    }
    EXPECT_GT(packets, 100);
}

INSTANTIATE_TEST_SUITE_P(All, RecordedConversations,
                         testing::Values(Conversation{"a_rover16_lockstep", 1200},
                                         Conversation{"a_rover16_rate300_param", 300},
                                         Conversation{"g_rover_drive_200hz", 1200}),
                         [](const auto& test) { return std::string(test.param.name); });

// ---- the reader, vector by vector

std::string line_with_gyro(const std::string& gyro) {
    return "\n{\"timestamp\":1,\"imu\":{\"gyro\":" + gyro +
           ",\"accel_body\":[0.25,0.0,-9.80665]},\"position\":[0,0,0],\"attitude\":[0,0,0],\"velocity\":[0,0,"
           "0]}\n";
}

struct GyroText {
    const char* text;
    SitlVerdict verdict;
    ap_json::Vector3 value;
};

/// Each was sent to the real SITL, and this is what it made of it.
TEST(Reader, ReadsVectorsAsSitlDoes) {
    constexpr auto accepted = SitlVerdict::accepted;
    constexpr auto rejected = SitlVerdict::rejected;
    const GyroText texts[] = {
        {"[0.1,0.2,0.3]", accepted, {0.1, 0.2, 0.3}},
        {"[.1,.2,.3]", accepted, {1, 2, 3}},
        {"[0.1e,0.2,0.3]", accepted, {0.1, 0.2, 0.3}},
        {"[0x1,0.2,0.3]", accepted, {1, 0.2, 0.3}},
        {"[]", accepted, {0.25, 0, -9.80665}},
        {"null", accepted, {0.25, 0, -9.80665}},
        {"[-,0.2,0.3]", accepted, {0, 0.2, 0.3}},
        {"[0.1,-x,0.3]", accepted, {0.1, 0, 0.3}},
        {"[0.1,x0.2,0.3]", accepted, {0.1, 0.2, 0.3}},
        {"[0.1,e5,0.3]", accepted, {0.1, 5, 0.3}},
        {"[+0.1,0.2,0.3]", accepted, {0.1, 0.2, 0.3}},
        {"[0.5}0.2,0.3,0.4]", accepted, {0.5, 0.3, 0.4}},
        {"[0.1abc,0.2,0.3]", accepted, {0.1, 0.2, 0.3}},
        {"[1-2,0.2,0.3]", accepted, {1, 0.2, 0.3}},
        {"[1e1,1E0,3.]", accepted, {10, 1, 3}},
        {"[0.1,0.2,-]", accepted, {0.1, 0.2, 0}},
        {"[1-,2-,3]", accepted, {1, 2, 3}},
        {"[-5nan,1,2]", accepted, {-5, 1, 2}},
        {"[\"0.1\",0.2,0.3]", accepted, {0.1, 0.2, 0.3}},
        {"[0.1 , 0.2 , 0.3]", accepted, {0.1, 0.2, 0.3}},
        {"[0.1,0.2,nan]", accepted, {0.1, 0.2, 0.25}},
        {"[\"],0.1,0.2,0.3]", accepted, {0.1, 0.2, 0.3}},
        {"[NaN,0.1,0.2]", rejected, {}},
        {"[0.1 0.2 0.3]", rejected, {}},
        {"[0.1,0.2]", rejected, {}},
        {"[0.1,,0.3]", rejected, {}},
        {"[0.1,nan,0.3]", rejected, {}},
        {"[0.1;0.2;0.3]", rejected, {}},
        {"[e,0.2,0.3]", rejected, {}},
        {"[0.1,+,0.3]", rejected, {}},
        {"[0.1,.,0.3]", rejected, {}},
        {"[,0.1,0.2]", rejected, {}},
        {"[0.1--0.2-0.3]", rejected, {}},
        {"[1,-2-]", rejected, {}},
        {"[0.1}0.2]0.3,0.4,5]", rejected, {}},
    };
    for (const GyroText& expected : texts) {
        SitlReader reader;
        EXPECT_EQ(feed(reader, line_with_gyro(expected.text)), expected.verdict) << expected.text;
        EXPECT_DOUBLE_EQ(reader.state().gyro.x, expected.value.x) << expected.text;
        EXPECT_DOUBLE_EQ(reader.state().gyro.y, expected.value.y) << expected.text;
        EXPECT_DOUBLE_EQ(reader.state().gyro.z, expected.value.z) << expected.text;
        EXPECT_EQ(reader.advice().empty(), expected.verdict == accepted) << expected.text;
    }
}

TEST(Reader, MinusNanEndsSitlInAnyPlace) {
    for (const char* gyro : {"[-nan,0,0]", "[0,-inf,0]", "[0,0,-nan]"}) {
        SitlReader reader;
        EXPECT_EQ(feed(reader, line_with_gyro(gyro)), SitlVerdict::fatal) << gyro;
        EXPECT_THAT(reader.advice(), testing::HasSubstr("imu.gyro"));
    }
}

/// A vector that does not parse ends the reading; what stood before it counts.
TEST(Reader, AVectorThatFailsLateIsAcceptedWithoutTheRest) {
    SitlReader reader;
    const std::string line =
        "\n{\"timestamp\":1,\"imu\":{\"gyro\":[1,2,3],\"accel_body\":[0,0,-9.8]},\"position\":[0,0,0],"
        "\"attitude\":[nan,0,0],\"velocity\":[3,4,5]}\n";
    EXPECT_EQ(feed(reader, line), SitlVerdict::accepted);
    EXPECT_THAT(reader.console(), testing::ElementsAre("Failed to parse Vector3f for /attitude"));
    EXPECT_EQ(reader.state().gyro.x, 1);
    EXPECT_EQ(reader.state().velocity.x, 0);
}

TEST(Reader, ReadsFlagsOnlyRightBehindTheColon) {
    const auto flag = [](const std::string& text) {
        SitlReader reader;
        std::string line = line_with_gyro("[0,0,0]");
        line.insert(line.size() - 2, ",\"no_lockstep\":" + text);
        EXPECT_EQ(feed(reader, line), SitlVerdict::accepted);
        return reader.state().no_lockstep.value();
    };
    for (const char* yes : {"true", "True", "1", "2"}) EXPECT_TRUE(flag(yes)) << yes;
    for (const char* no : {"false", "0", "\"true\"", " true", "\ttrue", "tru"}) EXPECT_FALSE(flag(no)) << no;
}

TEST(Reader, TakesRc1FromRc10) {
    SitlReader reader;
    std::string line = line_with_gyro("[0,0,0]");
    line.insert(line.size() - 2, ",\"rc\":{\"rc_10\":1234}");
    EXPECT_EQ(feed(reader, line), SitlVerdict::accepted);
    EXPECT_THAT(reader.keys(), testing::IsSupersetOf({"rc: rc_1", "rc: rc_10"}));
}

TEST(Reader, WhatIsOverTheBufferEndsAllReading) {
    SitlReader reader;
    const std::string rejected = "\n{\"timestamp\":1}\n";
    int lines = 0;
    while (feed(reader, rejected) != SitlVerdict::full) ++lines;
    EXPECT_EQ(lines, 65000 / 17 + 1);
    EXPECT_EQ(feed(reader, line_with_gyro("[0,0,0]")), SitlVerdict::full);
}

TEST(Reader, AGoodLineClearsTheBuffer) {
    SitlReader reader;
    for (int i = 0; i < 100; ++i) EXPECT_EQ(feed(reader, "\n{}\n"), SitlVerdict::rejected);
    EXPECT_EQ(feed(reader, line_with_gyro("[0,0,0]")), SitlVerdict::accepted);
    EXPECT_EQ(reader.buffered(), 1U);
}

/// What the encoder writes comes back, whole, through SITL's reader.
TEST(Reader, ReadsWhatTheEncoderWrites) {
    ap_json::State sent;
    sent.timestamp = 3.5;
    sent.gyro = {0.1, -0.2, 1e-300};
    sent.quaternion = ap_json::Quaternion{0.5, 0.5, -0.5, 0.5};
    sent.range_finders = {1, 2, 3, 4, 5, 6};
    sent.wind_vane = ap_json::WindVane{1, 2};
    sent.wind = ap_json::Vector3{7, 8, 9};
    sent.airspeed = 12.5;
    for (std::size_t i = 0; i < 12; ++i) sent.rc[i] = static_cast<std::uint16_t>(1100 + i);
    sent.battery = ap_json::Battery{12.6, 3};
    sent.geodetic = ap_json::Geodetic{-35.363262, 149.165237, 584};
    sent.no_time_sync = true;
    sent.no_lockstep = false;
    char line[ap_json::max_state_line];
    std::size_t length = 0;
    ASSERT_FALSE(encode(sent, line, sizeof line, length));
    SitlReader reader;
    ASSERT_EQ(reader.feed(line, length), SitlVerdict::accepted);
    const ap_json::State& got = reader.state();
    EXPECT_EQ(reader.keys().size(), 36U);
    EXPECT_EQ(got.timestamp, sent.timestamp);
    EXPECT_EQ(got.gyro.z, sent.gyro.z);
    EXPECT_EQ(got.quaternion->y, -0.5);
    EXPECT_EQ(got.range_finders, sent.range_finders);
    EXPECT_EQ(got.wind_vane->speed, 2);
    EXPECT_EQ(got.wind->z, 9);
    EXPECT_EQ(got.airspeed, sent.airspeed);
    EXPECT_EQ(got.rc, sent.rc);
    EXPECT_EQ(got.battery->current, 3);
    EXPECT_EQ(got.geodetic->longitude, sent.geodetic->longitude);
    EXPECT_EQ(got.no_time_sync, sent.no_time_sync);
    EXPECT_EQ(got.no_lockstep, sent.no_lockstep);
}

// ---- the model's pilot

std::string good_line(double time) {
    return "\n{\"timestamp\":" + shortest(time) +
           ",\"imu\":{\"gyro\":[0,0,0],\"accel_body\":[0,0,-9.8]},\"position\":[0,0,0],\"attitude\":[0,0,0],"
           "\"velocity\":[0,0,0]}\n";
}

void run(SitlModel& sitl, double seconds, double rate) {
    const double start = sitl.reader().state().timestamp;
    for (int i = 1; i <= seconds * rate; ++i) {
        const std::string line = good_line(start + i / rate);
        ASSERT_EQ(sitl.receive(line.data(), line.size()), SitlVerdict::accepted);
    }
}

TEST(Pilot, AllPwmAreZeroForTheFirstSeconds) {
    SitlModel sitl;
    run(sitl, 1.8, 400);
    for (int number = 1; number <= 32; ++number) EXPECT_EQ(sitl.servo(number), 0);
    EXPECT_THAT(sitl.arm(), testing::HasSubstr("not ready"));
    run(sitl, 0.2, 400);
    EXPECT_EQ(sitl.servo(1), 1500);
    EXPECT_EQ(sitl.servo(2), 0);
    EXPECT_EQ(sitl.servo(3), 1500);
}

TEST(Pilot, ArmsFrom90HzOn) {
    SitlModel slow;
    run(slow, 3, 80);
    EXPECT_THAT(slow.arm(), testing::HasSubstr("90 Hz"));
    SitlModel fast;
    run(fast, 3, 90);
    EXPECT_EQ(fast.arm(), "");
}

TEST(Pilot, ServosFollowTheSticksWhileArmedInManual) {
    SitlModel sitl;
    run(sitl, 3, 400);
    EXPECT_EQ(sitl.set_rc(3, 1900), "");
    EXPECT_EQ(sitl.servo(3), 1500) << "disarmed";
    ASSERT_EQ(sitl.arm(), "");
    EXPECT_EQ(sitl.servo(3), 1900);
    EXPECT_EQ(sitl.set_mode("hold"), "");
    EXPECT_EQ(sitl.servo(3), 1500);
    EXPECT_EQ(sitl.set_mode("Manual"), "");
    sitl.disarm();
    EXPECT_EQ(sitl.servo(3), 1500);
}

TEST(Pilot, ServosMayBeSetDirectly) {
    SitlModel sitl;
    EXPECT_EQ(sitl.set_servo(4, 1650), "");
    EXPECT_EQ(sitl.set_servo(3, 0), "");
    EXPECT_EQ(sitl.set_servo(32, 65535), "");
    EXPECT_EQ(sitl.servo(4), 0) << "not before ArduPilot has initialised its outputs";
    run(sitl, 2, 400);
    EXPECT_EQ(sitl.servo(4), 1650);
    EXPECT_EQ(sitl.servo(3), 0);
    EXPECT_EQ(sitl.servo(32), 65535);
    EXPECT_EQ(sitl.set_servo(3, std::nullopt), "");
    EXPECT_EQ(sitl.servo(3), 1500);
    for (int number : {0, -1, 33}) EXPECT_NE(sitl.set_servo(number, 1500), "") << number;
    for (int pwm : {-1, 65536}) EXPECT_NE(sitl.set_servo(1, pwm), "") << pwm;
}

TEST(Pilot, RefusesWhatMakesNoSense) {
    SitlModel sitl;
    for (int channel : {0, -1, 13}) EXPECT_NE(sitl.set_rc(channel, 1500), "") << channel;
    for (int pwm : {-1, 1, 799, 2201}) EXPECT_NE(sitl.set_rc(3, pwm), "") << pwm;
    EXPECT_NE(sitl.set_mode("AUTO"), "");
}

TEST(Pilot, RcFromTheBackendCountsUnlessTheStickIsMoved) {
    SitlModel sitl;
    run(sitl, 3, 400);
    ASSERT_EQ(sitl.arm(), "");
    std::string line = good_line(sitl.reader().state().timestamp + 0.0025);
    line.insert(line.size() - 2, ",\"rc\":{\"rc_1\":1500,\"rc_2\":1500,\"rc_3\":1700}");
    ASSERT_EQ(sitl.receive(line.data(), line.size()), SitlVerdict::accepted);
    EXPECT_EQ(sitl.servo(3), 1700);
    EXPECT_EQ(sitl.set_rc(3, 1200), "");
    EXPECT_EQ(sitl.servo(3), 1200);
    EXPECT_EQ(sitl.set_rc(3, 0), "");
    EXPECT_EQ(sitl.servo(3), 1700);
}

}  // namespace
