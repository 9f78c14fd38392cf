// nlohmann_test.cpp - State to and from nlohmann::json: there and back, and what is said of a document that
// is wrong.
#include <gmock/gmock.h>

#include <ap_json/nlohmann.hpp>

namespace {

using ap_json::read_state;
using ap_json::State;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

State full_state() {
    State state;
    state.timestamp = 1.5;
    state.gyro = {1, 2, 3};
    state.specific_force = {4, 5, 6};
    state.position = {7, 8, 9};
    state.velocity = {10, 11, 12};
    state.quaternion = ap_json::Quaternion{0.5, -0.5, 0.5, -0.5};
    state.range_finders = {1.25, 2, 3, 4, 5, 6};
    state.wind_vane = ap_json::WindVane{0.25, 3};
    state.wind = ap_json::Vector3{-1, -2, -3};
    state.airspeed = 15;
    for (std::size_t i = 0; i < 12; ++i) state.rc[i] = static_cast<std::uint16_t>(1000 + i);
    state.battery = ap_json::Battery{12.5, 7};
    state.geodetic = ap_json::Geodetic{-35.5, 149.25, 584};
    state.no_time_sync = true;
    state.no_lockstep = false;
    return state;
}

const char* const minimal_text = R"({"timestamp": 2, "imu": {"gyro": [0, 0, 0], "accel_body": [0, 0, -9.81]},
    "position": [1, 2, 3], "attitude": [0.1, 0.2, 0.3], "velocity": [4, 5, 6]})";

TEST(Nlohmann, ThereAndBack) {
    const json there = full_state();
    State back;
    ASSERT_EQ(read_state(there, back), "");
    EXPECT_EQ(json(back), there);
    EXPECT_EQ(there.size(), 21U);
    EXPECT_EQ(there["rc"].size(), 12U);
    EXPECT_EQ(there["rng_1"], 1.25);
    EXPECT_EQ(back.rc[11], 1011);
    EXPECT_EQ(back.quaternion->z, -0.5);
}

TEST(Nlohmann, OptionalPartsStayOut) {
    const json document = State{};
    EXPECT_EQ(document.size(), 5U);
    State back = full_state();
    ASSERT_EQ(read_state(document, back), "");
    EXPECT_FALSE(back.quaternion || back.battery || back.airspeed || back.rc[0] || back.no_lockstep);
    EXPECT_EQ(back.specific_force.z, -ap_json::standard_gravity);
}

TEST(Nlohmann, ReadsWhatASimulatorWrites) {
    State state;
    ASSERT_EQ(read_state(json::parse(minimal_text), state), "");
    EXPECT_EQ(state.timestamp, 2);
    EXPECT_EQ(state.specific_force.z, -9.81);
    EXPECT_EQ(state.position.z, 3);
    EXPECT_EQ(state.attitude.yaw, 0.3);
    EXPECT_EQ(state.velocity.x, 4);
}

/// Without any one of the mandatory keys: its name, and the state untouched.
TEST(Nlohmann, SaysWhatIsMissing) {
    const json whole = json::parse(minimal_text);
    for (const char* key : {"timestamp", "imu", "position", "attitude", "velocity"}) {
        json document = whole;
        document.erase(key);
        State state;
        state.timestamp = 77;
        EXPECT_THAT(read_state(document, state), AllOf(HasSubstr(key), HasSubstr("missing")));
        EXPECT_EQ(state.timestamp, 77);
    }
    for (const char* key : {"gyro", "accel_body"}) {
        json document = whole;
        document["imu"].erase(key);
        State state;
        EXPECT_THAT(read_state(document, state), HasSubstr("imu." + std::string(key) + " is missing"));
    }
}

/// Each leaf replaced by each kind of wrong value: the path and the value are named.
TEST(Nlohmann, SaysWhatIsWrong) {
    const json whole = full_state();
    const json wrong[] = {
        nullptr, "text", json::array(), json::array({1, 2}), json::array({1, "2", 3, 4}), json::object()};
    int tried = 0;
    const json flat = whole.flatten();
    for (const auto& [pointer, leaf] : flat.items()) {
        const auto slash = pointer.find_last_of('/');
        const bool element = std::isdigit(static_cast<unsigned char>(pointer[slash + 1])) != 0;
        const json::json_pointer path(element ? pointer.substr(0, slash) : pointer);
        for (const json& value : wrong) {
            json document = whole;
            document[path] = value;
            State state;
            const std::string problem = read_state(document, state);
            EXPECT_THAT(problem,
                        AllOf(HasSubstr(path.back()), HasSubstr("has to be"), HasSubstr(value.dump())));
            ++tried;
        }
    }
    EXPECT_GT(tried, 100);
}

TEST(Nlohmann, UnknownKeysAreTypingErrors) {
    for (const char* where : {"", "/imu", "/windvane", "/battery", "/rc"}) {
        json document = full_state();
        document[json::json_pointer(where)]["air_speed"] = 1;
        State state;
        EXPECT_THAT(read_state(document, state), HasSubstr("air_speed is unknown")) << where;
    }
}

TEST(Nlohmann, PulsesAreWholeNumbers) {
    for (const json& pulse : {json(1500.5), json(-1), json(70000), json("1500"), json(true)}) {
        json document = json::parse(minimal_text);
        document["rc"]["rc_1"] = pulse;
        State state;
        EXPECT_THAT(read_state(document, state), AllOf(HasSubstr("rc.rc_1"), HasSubstr(pulse.dump())));
    }
    json document = json::parse(minimal_text);
    State state;
    for (double pulse : {1500.0, 0.0, 65535.0}) {  // whether SITL takes it is what validate() says
        document["rc"]["rc_1"] = pulse;
        EXPECT_EQ(read_state(document, state), "");
        EXPECT_EQ(state.rc[0], pulse);
    }
    document["rc"]["rc_1"] = 65536;
    EXPECT_THAT(read_state(document, state), HasSubstr("65536"));
}

/// What is wrong is quoted, but not by the page.
TEST(Nlohmann, LongValuesAreCut) {
    json document = json::parse(minimal_text);
    State state;
    document["timestamp"] = std::string(58, 'x');  // and two quotation marks
    EXPECT_THAT(read_state(document, state), testing::EndsWith(" \"" + std::string(58, 'x') + "\""));
    document["timestamp"] = std::string(59, 'x');
    EXPECT_THAT(read_state(document, state), testing::EndsWith(" \"" + std::string(56, 'x') + "..."));
    document["timestamp"] = "\xC3\xA4";  // a letter of two bytes
    EXPECT_THAT(read_state(document, state), testing::EndsWith(" \"\xC3\xA4\""));
    document["timestamp"] = {{"a", {{"b", 1}}}};
    EXPECT_THAT(read_state(document, state), HasSubstr("an object that holds"));
}

/// A document nested so deeply that whoever calls himself for each level runs out of stack.
TEST(Nlohmann, DeepNestingIsAnError) {
    for (const char* key : {"timestamp", "velocity", "imu", "no_lockstep"}) {
        nlohmann::json deep = 1;
        for (int level = 0; level < 200000; ++level) {
            nlohmann::json outer = nlohmann::json::array();
            outer.push_back(std::move(deep));
            deep = std::move(outer);
        }
        nlohmann::json document = ap_json::State{};
        document[key] = std::move(deep);
        ap_json::State state;
        EXPECT_THAT(ap_json::read_state(document, state), testing::HasSubstr("an array of arrays")) << key;
    }
}

TEST(Nlohmann, AnythingButAnObjectIsNoState) {
    for (const json& document : {json(), json(1), json("x"), json::array({1})}) {
        State state;
        EXPECT_THAT(read_state(document, state), HasSubstr("has to be an object"));
    }
}

TEST(Nlohmann, GeodeticTakesThePlaceOfPosition) {
    json document = json::parse(minimal_text);
    document.erase("position");
    document["latitude"] = 1;
    State state;
    EXPECT_THAT(read_state(document, state), HasSubstr("longitude is missing"));
    document["longitude"] = 2;
    document["altitude"] = 3;
    EXPECT_EQ(read_state(document, state), "");
    EXPECT_EQ(state.geodetic->altitude, 3);
    for (const char* key : {"longitude", "altitude"}) {
        document = json::parse(minimal_text);
        document[key] = 1;
        EXPECT_EQ(read_state(document, state), "latitude is missing") << "beside " << key;
    }
}

#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
TEST(Nlohmann, GetThrowsTheSameText) {
    EXPECT_EQ(json::parse(minimal_text).get<State>().timestamp, 2);
    try {
        static_cast<void>(json::parse("{}").get<State>());
        FAIL();
    } catch (const std::invalid_argument& error) {
        EXPECT_THAT(error.what(), HasSubstr("timestamp is missing"));
    }
}
#endif

}  // namespace
