// px4_state_test.cpp - states out and controls in: units, saturation, what is refused, modes, and the brake that PX4 lacks.
#include <gmock/gmock.h>

#include <ap_json/frames.hpp>
#include <px4_hil/drive_controls.hpp>
#include <px4_hil/hil_state.hpp>
#include <px4_hil/px4_modes.hpp>

#include "vectors.hpp"

namespace px4_hil {
namespace {

using testing::HasSubstr;

TEST(Px4State, ConvertsAsTheVectorsSay) {
    const Json& cases = vectors()["state_conversions"]["cases"];
    ASSERT_FALSE(cases.empty());
    for (const Json& each : cases) {
        SCOPED_TRACE(each.dump());
        const Json& in = each["input"];
        ap_json::State state;
        state.geodetic = ap_json::Geodetic{in["lat_deg"], in["lon_deg"], in["alt_m"]};
        state.velocity = {in["vn_mps"], in["ve_mps"], in["vd_mps"]};
        state.specific_force = {in["ax_mps2"], in["ay_mps2"], in["az_mps2"]};
        state.airspeed = in["ias_mps"].get<double>();
        HilStateOptions options;
        options.true_airspeed = in["tas_mps"].get<double>();
        HilStateQuaternion message;
        ASSERT_FALSE(to_hil_state(state, options, message));
        const Json fields = fields_of(*find_message(HilStateQuaternion::id), &message);
        for (const auto& [name, value] : each["output"].items()) EXPECT_EQ(fields[name], value) << name;
    }
}

TEST(Px4State, AccelerationComesInTheUnitAskedFor) {
    ap_json::State state;
    state.specific_force = {1, -2, -ap_json::standard_gravity};
    HilStateQuaternion message;
    HilStateOptions options;
    ASSERT_FALSE(to_hil_state(state, options, message));
    EXPECT_EQ(message.zacc, -1000);
    EXPECT_EQ(message.xacc, 102);
    options.unit = AccelerationUnit::mm_s2;
    ASSERT_FALSE(to_hil_state(state, options, message));
    EXPECT_EQ(message.zacc, -9807);
    EXPECT_EQ(message.yacc, -2000);
    options.unit = AccelerationUnit::m_s2;
    ASSERT_FALSE(to_hil_state(state, options, message));
    EXPECT_EQ(message.zacc, -10);
    EXPECT_EQ(message.xacc, 1);
}

TEST(Px4State, AttitudeRatesTimeAndPlaceOfACoreState) {
    ap_json::State state;
    state.timestamp = 12.5;
    state.attitude = {0.1, -0.2, 2};
    state.gyro = {0.01, 0.02, 0.03};
    state.position = {1000, 0, -10};
    HilStateOptions options;
    options.home = {0, 90, 100};
    HilStateQuaternion message;
    ASSERT_FALSE(to_hil_state(state, options, message));
    EXPECT_EQ(message.time_usec, 12500000U);
    const ap_json::Quaternion q = ap_json::to_quaternion(state.attitude);
    EXPECT_FLOAT_EQ(message.attitude_quaternion[0], static_cast<float>(q.w));
    EXPECT_FLOAT_EQ(message.attitude_quaternion[3], static_cast<float>(q.z));
    EXPECT_FLOAT_EQ(message.yawspeed, 0.03F);
    EXPECT_NEAR(message.lat * 1e-7, 1000 / 110574.3, 2e-6);  // m for a degree at the equator
    EXPECT_EQ(message.lon, 900000000);
    EXPECT_NEAR(message.alt, 110000, 100);  // the earth curves away below a plane
    state.quaternion = ap_json::Quaternion{0, 0, 0, 1.0005};
    ASSERT_FALSE(to_hil_state(state, options, message));
    EXPECT_FLOAT_EQ(message.attitude_quaternion[3], 1);
}

TEST(Px4State, RefusesEveryValueThatIsNotFinite) {
    const double nan = std::nan(""), infinite = std::numeric_limits<double>::infinity();
    for (const double bad : {nan, infinite, -infinite}) {
        const std::pair<const char*, void (*)(ap_json::State&, double)> all[] = {
            {"timestamp", [](ap_json::State& s, double x) { s.timestamp = x; }},
            {"gyro", [](ap_json::State& s, double x) { s.gyro.y = x; }},
            {"specific_force", [](ap_json::State& s, double x) { s.specific_force.z = x; }},
            {"position", [](ap_json::State& s, double x) { s.position.x = x; }},
            {"velocity", [](ap_json::State& s, double x) { s.velocity.z = x; }},
            {"attitude", [](ap_json::State& s, double x) { s.attitude.yaw = x; }},
            {"attitude",
             [](ap_json::State& s, double x) {
                 s.quaternion = ap_json::Quaternion{x, 0, 0, 0};
             }},
            {"geodetic",
             [](ap_json::State& s, double x) {
                 s.geodetic = ap_json::Geodetic{0, x, 0};
             }},
            {"airspeed", [](ap_json::State& s, double x) { s.airspeed = x; }}};
        for (const auto& [name, spoil] : all) {
            ap_json::State state;
            spoil(state, bad);
            HilStateQuaternion message;
            const auto error = to_hil_state(state, {}, message);
            EXPECT_EQ(error.code(), ErrorCode::not_finite) << name;
            EXPECT_THAT(error.message(), HasSubstr(name));
            HilSensor sensor;
            EXPECT_EQ(SensorModel({}).sensor(state, sensor).code(), ErrorCode::not_finite) << name;
        }
    }
}

TEST(Px4State, SensorsFeelWhatTheyShould) {
    ap_json::State state;
    state.timestamp = 0.004;
    state.attitude.yaw = ap_json::pi / 2;  // east: north is to the left
    state.position.z = -1000;
    SensorOptions options;
    options.home = {0, 0, 0};
    options.accelerometer_noise = options.gyro_noise = options.magnetometer_noise = options.pressure_noise =
        0;
    options.magnetic_field = {0.3, 0, 0.4};
    SensorModel model(options);
    HilSensor message;
    ASSERT_FALSE(model.sensor(state, message));
    EXPECT_EQ(message.time_usec, 4000U);
    EXPECT_FLOAT_EQ(message.zacc, -9.80665F);
    EXPECT_NEAR(message.ymag, -0.3, 1e-6);
    EXPECT_NEAR(message.zmag, 0.4, 1e-6);
    EXPECT_NEAR(message.abs_pressure, 898.75, 0.05);  // the standard atmosphere at 1000 m
    EXPECT_NEAR(message.temperature, 8.5, 0.01);
    EXPECT_EQ(message.fields_updated, 0x0007U | 0x0038U | 0x01C0U | 0x1A00U);
    state.airspeed = 20;
    ASSERT_FALSE(model.sensor(state, message));
    EXPECT_NEAR(message.diff_pressure, 2.45, 1e-3);
    EXPECT_EQ(message.fields_updated & 0x0400U, 0x0400U);
}

TEST(Px4State, NoiseHasItsDeviationAndIsRepeatable) {
    SensorModel one({}), two({});
    double sum = 0, squares = 0;
    constexpr int count = 20000;
    for (int i = 0; i < count; ++i) {
        HilSensor a, b;
        ASSERT_FALSE(one.sensor({}, a));
        ASSERT_FALSE(two.sensor({}, b));
        EXPECT_EQ(a.xacc, b.xacc);
        sum += double{a.xacc};
        squares += double{a.xacc} * double{a.xacc};
    }
    EXPECT_NEAR(sum / count, 0, 0.001);
    EXPECT_NEAR(std::sqrt(squares / count), 0.02, 0.001);
}

TEST(Px4State, GpsSaysCourseOnlyWhenMoving) {
    ap_json::State state;
    HilGps message;
    const SensorModel model({});
    ASSERT_FALSE(model.gps(state, message));
    EXPECT_EQ(message.cog, 65535);
    EXPECT_EQ(message.lat, 399042000);
    EXPECT_EQ(message.time_usec, 1700000000000000U);
    state.velocity = {3, -4, 0.5};
    ASSERT_FALSE(model.gps(state, message));
    EXPECT_EQ(message.cog, 30687);
    EXPECT_EQ(message.vel, 500);
    EXPECT_EQ(message.ve, -400);
    EXPECT_EQ(message.vd, 50);
    state.velocity = {5, -1e-6, 0};
    ASSERT_FALSE(model.gps(state, message));
    EXPECT_EQ(message.cog, 0);  // not 36000
}

HilActuatorControls controls_of(std::initializer_list<float> values, std::uint8_t mode = mode_flag::armed) {
    HilActuatorControls message;
    std::copy(values.begin(), values.end(), message.controls.begin());
    message.mode = mode;
    return message;
}

TEST(Px4Controls, SafeUnlessArmed) {
    const DriveControls c = to_drive_controls(controls_of({-0.25F, 0.5F}, 0x3D), {}, 0);
    EXPECT_EQ(c.throttle, 0);
    EXPECT_EQ(c.steering, 0);
    EXPECT_EQ(c.brake, 1);
    EXPECT_FALSE(c.armed);
}

TEST(Px4Controls, LayoutsOfTheReleases) {
    const HilActuatorControls message = controls_of({0.1F, 0.2F, 0.3F, 0.4F, 0.5F, 0.6F});
    const std::tuple<ControlLayout, float, float> all[] = {{ControlLayout::ackermann(), 0.1F, 0.2F},
                                                           {ControlLayout::generic_car(), 0.2F, 0.4F},
                                                           {ControlLayout::sitl_1_10(), 0.1F, 0.6F}};
    for (const auto& [layout, steering, throttle] : all) {
        const DriveControls c = to_drive_controls(message, layout, 0);
        EXPECT_FLOAT_EQ(static_cast<float>(c.steering), steering);
        EXPECT_FLOAT_EQ(static_cast<float>(c.throttle), throttle);
        EXPECT_EQ(c.brake, 0);
        EXPECT_TRUE(c.armed);
    }
}

TEST(Px4Controls, NegativeThrottleBrakesOrReverses) {
    const HilActuatorControls message = controls_of({0, -0.5F});
    const DriveControls fast = to_drive_controls(message, {}, 2);
    EXPECT_EQ(fast.throttle, 0);
    EXPECT_EQ(fast.brake, 0.5);
    for (const double speed : {0.4, 0.0, -3.0}) {
        const DriveControls slow = to_drive_controls(message, {}, speed);
        EXPECT_EQ(slow.throttle, -0.5);
        EXPECT_EQ(slow.brake, 0);
    }
    ControlLayout with_brake;
    with_brake.brake.index = 2;
    const DriveControls own = to_drive_controls(controls_of({0, -0.5F, 0.75F}), with_brake, 2);
    EXPECT_EQ(own.throttle, -0.5);
    EXPECT_EQ(own.brake, 0.75);
}

TEST(Px4Controls, ScaleDeadBandAndNonsense) {
    ControlLayout layout;
    layout.steering.scale = -1;
    layout.steering.dead_band = 0.1;
    EXPECT_EQ(to_drive_controls(controls_of({0.5F}), layout, 0).steering, -0.5);
    EXPECT_EQ(to_drive_controls(controls_of({0.05F}), layout, 0).steering, 0);
    EXPECT_EQ(to_drive_controls(controls_of({7}), layout, 0).steering, -1);
    EXPECT_EQ(to_drive_controls(controls_of({std::nanf("")}), layout, 0).steering, 0);
    layout.steering.index = 16;
    EXPECT_EQ(to_drive_controls(controls_of({1}), layout, 0).steering, 0);
}

TEST(Px4Modes, AreNamedAsTheVectorsSay) {
    for (const Json& each : vectors()["custom_mode"]) {
        const Px4Mode mode = Px4Mode::from(each["custom_mode"]);
        EXPECT_EQ(mode.main, each["main"]);
        EXPECT_EQ(mode.sub, each["sub"]);
        EXPECT_EQ(mode.custom_mode(), each["custom_mode"]);
        EXPECT_EQ(to_string(mode), each["name"].get<std::string>());
    }
    EXPECT_STREQ(to_string(Px4Mode{99, 0}), "unknown");
    EXPECT_EQ(px4_mode::mission.custom_mode(), 0x04040000U);
    EXPECT_STREQ(command_result(200), "unknown");
}

TEST(Px4Modes, FlagsAreThoseOfTheVectors) {
    const std::pair<const char*, std::uint8_t> all[] = {
        {"armed", mode_flag::armed},         {"manual", mode_flag::manual}, {"hil", mode_flag::hil},
        {"stabilize", mode_flag::stabilize}, {"guided", mode_flag::guided}, {"auto", mode_flag::automatic},
        {"test", mode_flag::test},           {"custom", mode_flag::custom}};
    for (const Json& each : vectors()["base_mode"]) {
        for (const auto& [name, bit] : all)
            EXPECT_EQ((each["base_mode"].get<std::uint8_t>() & bit) != 0, each[name].get<bool>())
                << each << name;
    }
}

}  // namespace
}  // namespace px4_hil
