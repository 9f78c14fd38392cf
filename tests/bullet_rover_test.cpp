// bullet_rover_test.cpp - the example's link from Bullet to ArduPilot: frames, rest, driving, and an
// accelerometer that tells what the velocity does.
#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "../examples/bullet_rover/ardupilot_link.hpp"

namespace {

using ap_json::ServoPacket;
using ap_json::State;
using ap_json::Vector3;

constexpr double step = 0.0025;  // s

ServoPacket pulses(int steering, int throttle) {
    ServoPacket servos;
    servos.channels = 16;
    servos.pwm[0] = static_cast<std::uint16_t>(steering);
    servos.pwm[2] = static_cast<std::uint16_t>(throttle);
    return servos;
}

double length(const Vector3& v) { return std::hypot(v.x, v.y, v.z); }

class BulletRover : public testing::Test {
  protected:
    BulletRover() { link.reset(state); }

    void drive(
        const ServoPacket& servos, double seconds, const std::function<void()>& look = [] {}) {
        for (int i = 0; i < seconds / step; ++i) {
            link.step(servos, step, state);
            look();
        }
    }

    Simulator simulator{btScalar(step)};
    ArduPilotLink link{simulator};
    State state;
};

TEST_F(BulletRover, BulletsAxesBecomeForwardRightDown) {
    const Vector3 ahead = from_bullet(btVector3(0, 0, 1)), left = from_bullet(btVector3(1, 0, 0));
    EXPECT_EQ(ahead.x, 1);
    EXPECT_EQ(left.y, -1);
    EXPECT_EQ(from_bullet(btVector3(0, 1, 0)).z, -1);
    // A turn to the left by 0.1 rad, about Bullet's up, is a yaw of -0.1.
    const btQuaternion turn(btVector3(0, 1, 0), btScalar(0.1));
    EXPECT_NEAR(to_euler(from_bullet(turn)).yaw, -0.1, 1e-6);
    // Nose up, about Bullet's left, is a negative angle there.
    const btQuaternion up(btVector3(1, 0, 0), btScalar(-0.1));
    EXPECT_NEAR(to_euler(from_bullet(up)).pitch, 0.1, 1e-6);
}

TEST_F(BulletRover, StandsStill) {
    for (const ServoPacket& servos : {ServoPacket{}, pulses(1500, 1500)}) {
        drive(servos, 30, [&] {
            ASSERT_NEAR(state.specific_force.x, 0, 0.005);
            ASSERT_NEAR(state.specific_force.y, 0, 0.005);
            ASSERT_NEAR(state.specific_force.z, -ap_json::standard_gravity, 0.005);
            ASSERT_LT(length(state.position), 0.001);
            ASSERT_LT(length(state.velocity), 0.001);
            ASSERT_LT(length(state.gyro), 0.001);
        });
    }
}

TEST_F(BulletRover, DrivesForwardsAndBackwards) {
    drive(pulses(1500, 1700), 3);
    EXPECT_GT(state.velocity.x, 1);
    EXPECT_GT(state.position.x, 2);
    EXPECT_NEAR(state.position.y, 0, 0.3);
    drive(pulses(1500, 1300), 6);
    EXPECT_LT(state.velocity.x, -1);
    drive(pulses(1500, 1500), 10);
    EXPECT_LT(length(state.velocity), 0.05) << "the brake holds it on the slope";
}

TEST_F(BulletRover, SteersToTheRight) {
    drive(pulses(1700, 1600), 1);
    EXPECT_GT(state.gyro.z, 0.1);
    drive(pulses(1700, 1600), 1);
    EXPECT_GT(state.attitude.yaw, 0.2);
    EXPECT_GT(state.position.y, 0.1) << "eastwards";
}

/// Half of the lock is 0.3 rad, whose circle has the radius L / tan(0.3); slipping tyres make it a little
/// larger.
TEST_F(BulletRover, DrivesAckermannsCircle) {
    drive(pulses(1750, 1580), 4);
    const double radius = 0.5 / std::tan(0.3);
    EXPECT_NEAR(std::hypot(state.velocity.x, state.velocity.y) / state.gyro.z, radius, 0.25 * radius);
}

/// Over hills at all speeds, steering and braking: the accelerometer's words are what the velocity does,
/// without spikes, and the velocity is what the position does.
TEST_F(BulletRover, SpecificForceVelocityAndPositionAgree) {
    Vector3 sum;
    double hardest = 0;
    const int steerings[] = {1500, 1600, 1450, 1400, 1550, 1500};
    const int throttles[] = {1700, 1900, 1600, 1200, 1800, 1500};
    for (int i = 0; i < 24; ++i) {
        Vector3 before = state.position;
        drive(pulses(steerings[i % 6], throttles[(i / 2) % 6]), 2, [&] {
            const Vector3 f = to_ned(*state.quaternion, state.specific_force);
            sum = {sum.x + f.x * step, sum.y + f.y * step, sum.z + (f.z + ap_json::standard_gravity) * step};
            ASSERT_NEAR(
                length({sum.x - state.velocity.x, sum.y - state.velocity.y, sum.z - state.velocity.z}), 0,
                1e-3);
            hardest = std::max(hardest, length(state.specific_force));
            const Vector3 now = state.position;
            ASSERT_NEAR(length({now.x - before.x, now.y - before.y, now.z - before.z}),
                        length(state.velocity) * step, 0.004);
            before = now;
        });
    }
    EXPECT_LT(hardest, 6 * ap_json::standard_gravity);
    EXPECT_LT(std::hypot(state.position.x, state.position.y), 120) << "left the ground";
}

/// What the gyro says of each step is what the attitude does in it, while it turns, climbs and leans.
TEST_F(BulletRover, TheGyroIsInTheBodysAxes) {
    const int steerings[] = {1700, 1500, 1300};
    double most = 0, wrong = 0;
    for (int i = 0; i < 9; ++i) {
        auto before = *state.quaternion;
        drive(pulses(steerings[i % 3], 1750), 2, [&] {
            const auto turn = product(inverse(before), *state.quaternion);  // of the body in its own axes
            before = *state.quaternion;
            wrong +=
                std::fabs(2 * turn.x / step - state.gyro.x) + std::fabs(2 * turn.y / step - state.gyro.y);
            most += std::fabs(state.gyro.x) + std::fabs(state.gyro.y);
        });
    }
    EXPECT_LT(wrong, 0.2 * most);
}

TEST_F(BulletRover, FollowsTheGround) {
    double highest = 0;
    drive(pulses(1500, 1650), 8, [&] {
        const auto ground = static_cast<double>(Simulator::ground_height(
            static_cast<btScalar>(state.position.x), static_cast<btScalar>(-state.position.y)));
        ASSERT_NEAR(-state.position.z, ground, 0.12);
        highest = std::max(highest, ground);
        const double ahead = static_cast<double>(Simulator::ground_height(
            static_cast<btScalar>(state.position.x + 0.25), static_cast<btScalar>(-state.position.y)));
        const double behind = static_cast<double>(Simulator::ground_height(
            static_cast<btScalar>(state.position.x - 0.25), static_cast<btScalar>(-state.position.y)));
        ASSERT_NEAR(state.attitude.pitch, std::atan(2 * (ahead - behind)), 0.15) << "nose up when it climbs";
    });
    EXPECT_GT(highest, 0.5);
}

TEST_F(BulletRover, RangeFindersSeeTheGroundAndTheWall) {
    drive(ServoPacket{}, 0.1);
    const double height = static_cast<double>(simulator.pose().getOrigin().y());
    EXPECT_NEAR(*state.range_finders[4], height, 0.001) << "down";
    EXPECT_NEAR(*state.range_finders[3], 7.8, 0.01) << "the wall to the left";
    EXPECT_GT(*state.range_finders[0], 2);
    EXPECT_LE(*state.range_finders[0], 40);
    for (std::size_t i = 0; i < 5; ++i) EXPECT_TRUE(state.range_finders[i]);
}

TEST_F(BulletRover, AResetIsANewStart) {
    drive(pulses(1600, 1700), 5);
    const State first = state;
    state = {};
    link.reset(state);
    EXPECT_EQ(length(state.position), 0);
    EXPECT_EQ(length(state.velocity), 0);
    drive(pulses(1600, 1700), 5);
    EXPECT_NEAR(state.position.x, first.position.x, 0.01);
    EXPECT_NEAR(state.position.y, first.position.y, 0.01);
}

}  // namespace
