// quadcopter_world_test.cpp - several quadcopters in one world: they start in a row, and neither pass through each other
// nor through the ground.
#include <cmath>
#include <quadcopter_world.hpp>
#include <vector>

#include "copter_controller.hpp"
#include "model_flight.hpp"

namespace {

using namespace example;  // norm and operators

constexpr double dt = 0.00125;  // s

double distance(QuadcopterWorld& world, std::size_t i, std::size_t j) {
    return norm(world.state(i).position - world.state(j).position);
}

TEST(QuadcopterWorld, StandsInARow) {
    QuadcopterWorld world(4);
    for (int i = 0; i < 1000; ++i) world.step(std::vector<ap_json::ServoPacket>(4), dt);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(world.state(i).position.y, 5.0 * static_cast<double>(i));
        EXPECT_EQ(world.state(i).position.x, 0);
        EXPECT_EQ(world.state(i).specific_force.z, -ap_json::standard_gravity);
    }
    EXPECT_EQ(world.collisions(), 0);
}

/// Two change places at the same altitude.
TEST(QuadcopterWorld, TwoThatFlyAtEachOtherDoNotPassThrough) {
    QuadcopterWorld world(2);
    std::vector<CopterController> controllers(2, CopterController(example::QuadcopterParameters{}));
    std::vector<ap_json::ServoPacket> servos(2);
    const double diameter = 2 * world.parameters().radius;
    double nearest = 1e9, hardest = 0;
    for (int n = 0; n < 40 / dt; ++n) {
        for (std::size_t i = 0; i < 2; ++i) {
            const bool swap = n * dt > 12;
            controllers[i].target = {0, 5.0 * static_cast<double>(swap ? 1 - i : i), -5};
            servos[i] = controllers[i].fly(world.state(i), dt);
        }
        world.step(servos, dt);
        nearest = std::min(nearest, distance(world, 0, 1));
        for (std::size_t i = 0; i < 2; ++i) {
            hardest = std::max(hardest, norm(world.state(i).specific_force));
            ASSERT_LT(world.state(i).position.z, 0.1) << "through the ground";
            ASSERT_FALSE(ap_json::validate(world.state(i)));
        }
    }
    EXPECT_GE(world.collisions(), 1);
    EXPECT_LT(nearest, diameter);
    EXPECT_GT(nearest, diameter - 0.1);
    EXPECT_LT(hardest, 1000) << "no spikes of the specific force beyond those of a collision";
}

/// The forces of a collision are opposite: free of the ground and without wind, the common momentum is gravity's.
TEST(QuadcopterWorld, CollisionsKeepTheCommonMomentum) {
    example::WorldParameters parameters;
    parameters.spacing = 0.69;  // they overlap a little, and part
    QuadcopterWorld world(2, parameters);
    const std::vector<ap_json::ServoPacket> servos(2, model_flight::outputs({1900, 1900, 1900, 1900}));
    for (int i = 0; i < 1000; ++i) world.step(servos, dt);
    EXPECT_GT(distance(world, 0, 1), 0.7);
    EXPECT_NEAR(world.state(0).velocity.y + world.state(1).velocity.y, 0, 1e-9);
    EXPECT_LT(world.state(0).velocity.y, 0);
}

TEST(QuadcopterWorld, ResetPutsOneBackAndLeavesTheOthers) {
    QuadcopterWorld world(2);
    const std::vector<ap_json::ServoPacket> servos(2, model_flight::outputs({1700, 1700, 1700, 1700}));
    for (int i = 0; i < 1600; ++i) world.step(servos, dt);
    world.reset(1);
    EXPECT_LT(world.state(0).position.z, -1);
    EXPECT_EQ(world.state(1).position.z, 0);
    EXPECT_EQ(world.state(1).position.y, 5);
}

}  // namespace
