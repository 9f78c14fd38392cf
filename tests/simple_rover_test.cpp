// simple_rover_test.cpp - the example's vehicle is physical: what its accelerometer says is what its velocity does.
#include "../examples/simple_rover.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace {

ap_json::ServoPacket throttle(std::uint16_t pwm) {
    ap_json::ServoPacket servos;
    servos.pwm[2] = pwm;
    return servos;
}

TEST(SimpleRover, SpeedAccelerationAndPositionAgree) {
    for (double dt : {0.0025, 0.01, 1.0 / 1200}) {
        SimpleRover rover;
        ap_json::State state;
        for (int asked_pwm : {1900, 1100, 1500, 0, 2100, 900, 1600}) {
            const auto pwm = static_cast<std::uint16_t>(asked_pwm);
            for (int i = 0; i < 2 / dt; ++i) {
                const ap_json::State before = state;
                rover.step(throttle(pwm), dt, state);
                ASSERT_LE(std::fabs(state.specific_force.x), 2.0001) << "bounded";
                ASSERT_NEAR(state.specific_force.x, (state.velocity.x - before.velocity.x) / dt, 1e-9);
                ASSERT_NEAR((before.velocity.x + state.velocity.x) / 2 * dt,
                            state.position.x - before.position.x, 1e-12);
                ASSERT_LE(std::fabs(state.velocity.x), 1.0);
            }
            const double asked = pwm == 0 ? 0 : std::fmax(-1, std::fmin(1, (pwm - 1500) / 400.0));
            EXPECT_NEAR(state.velocity.x, asked, 1e-9) << pwm;
            EXPECT_EQ(state.specific_force.z, -ap_json::standard_gravity);
        }
    }
}

TEST(SimpleRover, StandsStillUntilArduPilotIsReady) {
    SimpleRover rover;
    ap_json::State state;
    for (int i = 0; i < 1000; ++i) rover.step(ap_json::ServoPacket{}, 0.0025, state);
    EXPECT_EQ(state.position.x, 0);
    EXPECT_EQ(state.velocity.x, 0);
}

}  // namespace
