// simulator.hpp - the simulator that is there already: Bullet's raycast vehicle on hills. It knows nothing of
// ArduPilot; ardupilot_link.hpp does the linking.
//
// Bullet's frames, as chosen here: y is up. World: z north, x west. Body: z forward, x left. Lengths in m.
#pragma once

#include <btBulletDynamicsCommon.h>

#include <array>
#include <memory>
#include <vector>

class btHeightfieldTerrainShape;

/// A car with four driven wheels, the front ones steered. Our own values: the size of a garden cart.
struct CarParameters {
    btScalar mass = 10;                  // kg
    btScalar length = 0.6f;              // m, of the chassis
    btScalar width = 0.3f;               // m
    btScalar height = 0.12f;             // m
    btScalar wheelbase = 0.5f;           // L, m
    btScalar track = 0.4f;               // w, m
    btScalar wheel_radius = 0.1f;        // m
    btScalar suspension_length = 0.12f;  // m, unloaded
    btScalar suspension_rate = 60;       // 1/s2 for each wheel: its stiffness over the mass of the car
    btScalar suspension_damping = 4;     // 1/s, likewise
    btScalar tyre_friction = 0.9f;       // of the load on the wheel
    btScalar steering_angle = 0.6f;      // rad, at most, of a wheel in the middle of the axle
    btScalar steering_rate = 3;          // rad/s
    btScalar stall_force = 60;           // N, of the motor at full voltage, all wheels together
    btScalar free_speed = 12;            // m/s, at which the motor at full voltage pulls no more
    btScalar brake_force = 40;           // N, of the brake that stops and holds a car nobody drives
};

class Simulator {
  public:
    /// @param dt  s, of each step
    explicit Simulator(btScalar dt, const CarParameters& parameters = {});
    ~Simulator();
    Simulator(const Simulator&) = delete;
    Simulator& operator=(const Simulator&) = delete;

    /// Puts the car to where it starts, at rest.
    void restart();

    /// @param throttle  -1 to 1 of the motor's voltage
    /// @param steering  -1 to 1, positive to the right
    void step(btScalar throttle, btScalar steering);

    [[nodiscard]] const btTransform& pose() const { return chassis_->getWorldTransform(); }

    /// m/s, of the world: at which Bullet will move the car in its next step. Bullet pushes the wheels at the
    /// end of a step and pulls by gravity at the beginning of the next: getLinearVelocity() lies between the
    /// two, and is not 0 at rest.
    [[nodiscard]] btVector3 velocity() const;

    /// rad/s, of the world.
    [[nodiscard]] const btVector3& angular_velocity() const { return chassis_->getAngularVelocity(); }

    /// The distance to what a ray hits, no more than reach.
    /// @param direction  unit vector, of the body
    [[nodiscard]] btScalar ray(const btVector3& direction, btScalar reach) const;

    /// Of the ground, in m.
    [[nodiscard]] static btScalar ground_height(btScalar north, btScalar west);

  private:
    void add_ground();
    void add_wall(const btVector3& centre, const btVector3& half_size);
    void add_car();
    void add_wheels();
    void add_body(btCollisionShape& shape, const btVector3& place);
    void steer(btScalar steering);
    void drive(btScalar throttle);

    CarParameters parameters_;
    btScalar dt_;            // s
    btScalar steering_ = 0;  // rad, positive to the right

    // Bullet keeps pointers to all of these: in the order in which they have to be destroyed, last first.
    btDefaultCollisionConfiguration configuration_;
    btCollisionDispatcher dispatcher_{&configuration_};
    btDbvtBroadphase broadphase_;
    btSequentialImpulseConstraintSolver solver_;
    btDiscreteDynamicsWorld world_{&dispatcher_, &broadphase_, &solver_, &configuration_};
    std::vector<float> heights_;
    std::vector<std::unique_ptr<btCollisionShape>> shapes_;
    std::vector<std::unique_ptr<btRigidBody>> bodies_;
    btRigidBody* chassis_ = nullptr;
    btDefaultVehicleRaycaster raycaster_{&world_};
    std::unique_ptr<btRaycastVehicle> car_;
};
