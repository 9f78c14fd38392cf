// simulator.cpp - see simulator.hpp.
#include "simulator.hpp"

#include <BulletCollision/CollisionShapes/btHeightfieldTerrainShape.h>

#include <algorithm>
#include <cmath>

namespace {

constexpr btScalar gravity = btScalar(9.80665);  // m/s2

// The ground: a square of 256 m, a height every half metre.
constexpr int grid = 513;
constexpr int middle = 256;                  // of the grid
constexpr btScalar spacing = btScalar(0.5);  // m
constexpr btScalar highest = 4;              // m, no hill is higher
constexpr int front_left = 0, front_right = 1, rear_left = 2, wheels = 4;

btScalar square(btScalar x) { return x * x; }

}  // namespace

/// Smooth hills with slopes up to 15 degrees, and a level place to start from.
btScalar Simulator::ground_height(btScalar north, btScalar west) {
    constexpr btScalar level_radius = 12;  // m
    const btScalar hills = btScalar(1.4) * std::sin(north / 9 + west / 25) * std::cos(west / 11) +
                           btScalar(0.5) * std::sin(north / 5 - west / 6);
    const btScalar distance = square(north) + square(west);
    return hills * (1 - std::exp(-square(distance / square(level_radius))));
}

Simulator::Simulator(btScalar dt, const CarParameters& parameters) : parameters_(parameters), dt_(dt) {
    world_.setGravity({0, -gravity, 0});
    add_ground();
    add_wall({-15, 1, 30}, {4, 3, btScalar(0.2)});  // 30 m north and 15 m east of the start
    add_wall({8, 1, 0}, {btScalar(0.2), 3, 4});     // 8 m west
    add_car();
    add_wheels();
    restart();
}

Simulator::~Simulator() {
    world_.removeAction(car_.get());
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
}

// ---- the world

void Simulator::add_body(btCollisionShape& shape, const btVector3& place) {
    bodies_.push_back(std::make_unique<btRigidBody>(btScalar(0), nullptr, &shape));
    bodies_.back()->setWorldTransform(btTransform(btQuaternion::getIdentity(), place));
    world_.addRigidBody(bodies_.back().get());
}

void Simulator::add_ground() {
    for (int z = 0; z < grid; ++z) {
        for (int x = 0; x < grid; ++x) {
            const auto metres = [](int i) { return btScalar(i - middle) * spacing; };
            heights_.push_back(static_cast<float>(ground_height(metres(z), metres(x))));
        }
    }
    auto shape = std::make_unique<btHeightfieldTerrainShape>(grid, grid, heights_.data(), btScalar(1),
                                                             -highest, highest, 1, PHY_FLOAT, false);
    shape->setLocalScaling({spacing, 1, spacing});
    add_body(*shape, {0, 0, 0});
    shapes_.push_back(std::move(shape));
}

void Simulator::add_wall(const btVector3& centre, const btVector3& half_size) {
    shapes_.push_back(std::make_unique<btBoxShape>(half_size));
    add_body(*shapes_.back(), centre);
}

void Simulator::add_car() {
    const CarParameters& p = parameters_;
    auto shape = std::make_unique<btBoxShape>(btVector3(p.width, p.height, p.length) / 2);
    btVector3 inertia;
    shape->calculateLocalInertia(p.mass, inertia);
    bodies_.push_back(std::make_unique<btRigidBody>(p.mass, nullptr, shape.get(), inertia));
    shapes_.push_back(std::move(shape));
    chassis_ = bodies_.back().get();
    chassis_->setActivationState(DISABLE_DEACTIVATION);  // a car that sleeps hears no servo
    world_.addRigidBody(chassis_);
}

void Simulator::add_wheels() {
    const CarParameters& p = parameters_;
    btRaycastVehicle::btVehicleTuning tuning;
    tuning.m_suspensionStiffness = p.suspension_rate;
    tuning.m_suspensionCompression = tuning.m_suspensionDamping = p.suspension_damping;
    tuning.m_maxSuspensionTravelCm = 100 * p.suspension_length;
    tuning.m_maxSuspensionForce =
        3 * p.mass * gravity;  // of one wheel: what hits harder reaches the chassis softer
    tuning.m_frictionSlip = p.tyre_friction;
    car_ = std::make_unique<btRaycastVehicle>(tuning, chassis_, &raycaster_);
    car_->setCoordinateSystem(0, 1, 2);
    for (int i = 0; i < wheels; ++i) {
        const btScalar left = i == front_left || i == rear_left ? p.track / 2 : -p.track / 2;
        const btScalar ahead = i == front_left || i == front_right ? p.wheelbase / 2 : -p.wheelbase / 2;
        btWheelInfo& wheel = car_->addWheel({left, 0, ahead}, {0, -1, 0}, {-1, 0, 0}, p.suspension_length,
                                            p.wheel_radius, tuning, ahead > 0);
        wheel.m_rollInfluence = 1;  // side forces act where the wheel touches the ground
    }
    world_.addAction(car_.get());
}

void Simulator::restart() {
    const CarParameters& p = parameters_;
    const btScalar sag = gravity / (btScalar(wheels) * p.suspension_rate);
    const btScalar height = p.wheel_radius + p.suspension_length - sag;
    chassis_->setWorldTransform(btTransform(btQuaternion::getIdentity(), {0, height, 0}));
    chassis_->setInterpolationWorldTransform(chassis_->getWorldTransform());
    chassis_->setLinearVelocity(-world_.getGravity() * dt_);  // at rest: see velocity()
    chassis_->setAngularVelocity({0, 0, 0});
    chassis_->clearForces();
    steering_ = 0;
    car_->resetSuspension();
    world_.clearForces();
    broadphase_.resetPool(&dispatcher_);
    solver_.reset();
}

// ---- the car

/// Ackermann: all wheels roll about one point on the line of the rear axle. tan(delta_i) = L / (R -+ w/2).
void Simulator::steer(btScalar steering) {
    const CarParameters& p = parameters_;
    const btScalar most = p.steering_rate * dt_;
    steering_ += std::clamp(steering * p.steering_angle - steering_, -most, most);
    const btScalar curvature = std::tan(steering_) / p.wheelbase;  // 1/m, positive to the right
    const auto angle = [&](btScalar right) {
        return std::atan(p.wheelbase * curvature / (1 - right * curvature));
    };
    car_->setSteeringValue(-angle(-p.track / 2), front_left);  // Bullet's is positive to the left
    car_->setSteeringValue(-angle(p.track / 2), front_right);
}

/// A motor whose force falls with its speed, F = F_stall (u - v / v_free), and at neutral throttle a brake,
/// as on a slope nothing else would stop the car.
void Simulator::drive(btScalar throttle) {
    constexpr auto neutral = btScalar(0.02);
    const CarParameters& p = parameters_;
    const btScalar speed = chassis_->getLinearVelocity().dot(pose().getBasis().getColumn(2));
    const bool braking = std::fabs(throttle) < neutral;
    const btScalar force = braking ? 0 : p.stall_force * (throttle - speed / p.free_speed);
    for (int i = 0; i < wheels; ++i) {
        car_->applyEngineForce(force / btScalar(wheels), i);
        car_->setBrake(braking ? p.brake_force / btScalar(wheels) * dt_ : 0,
                       i);  // Bullet wants the brake as an impulse
    }
}

void Simulator::step(btScalar throttle, btScalar steering) {
    steer(steering);
    drive(throttle);
    world_.stepSimulation(dt_, 0);  // 0: one step of just this length
}

btVector3 Simulator::velocity() const { return chassis_->getLinearVelocity() + world_.getGravity() * dt_; }

btScalar Simulator::ray(const btVector3& direction, btScalar reach) const {
    const btVector3 from = pose().getOrigin(), to = pose() * (reach * direction);
    btCollisionWorld::ClosestRayResultCallback hit(from, to);
    world_.rayTest(from, to,
                   hit);  // does not hit the chassis: Bullet's rays leave a convex shape unseen
    return hit.hasHit() ? hit.m_closestHitFraction * reach : reach;
}
