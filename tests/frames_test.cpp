// frames_test.cpp - conversions of frames: the cases that everybody knows by heart, there and back for random values,
// and that rotations and vectors are converted alike.
#include <gmock/gmock.h>

#include <ap_json/frames.hpp>
#include <functional>
#include <random>

namespace {

using namespace ap_json;

constexpr double quarter = pi / 2;

std::mt19937 engine(1);

double any(double limit = 10) { return std::uniform_real_distribution<double>(-limit, limit)(engine); }
Vector3 any_vector() { return {any(), any(), any()}; }
Quaternion any_rotation() { return normalised({any(), any(), any(), any()}); }

void expect_near(const Vector3& a, const Vector3& b, double tolerance = 1e-9) {
    EXPECT_NEAR(a.x, b.x, tolerance);
    EXPECT_NEAR(a.y, b.y, tolerance);
    EXPECT_NEAR(a.z, b.z, tolerance);
}

void expect_same_rotation(const Quaternion& a, const Quaternion& b) {
    EXPECT_NEAR(std::fabs(a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z), 1, 1e-12);
}

TEST(Frames, ClimbingIsDownNegative) {
    expect_near(ned_from_enu({0, 0, 1}), {0, 0, -1});
    expect_near(from_unity(Vector3{0, 1, 0}), {0, 0, -1});
    expect_near(from_unreal(Vector3{0, 0, 100}), {0, 0, -1});
}

TEST(Frames, NorthAndEastAreWhereTheyBelong) {
    expect_near(ned_from_enu({0, 5, 0}), {5, 0, 0});
    expect_near(ned_from_enu({5, 0, 0}), {0, 5, 0});
    expect_near(from_unity(Vector3{0, 0, 5}), {5, 0, 0});
    expect_near(from_unity(Vector3{5, 0, 0}), {0, 5, 0});
    expect_near(from_unreal(Vector3{500, 0, 0}), {5, 0, 0});
    expect_near(from_unreal(Vector3{0, 500, 0}), {0, 5, 0});
}

TEST(Frames, NoseEastIsYawPlusNinety) {
    // In ENU the nose points east when nothing is rotated.
    EXPECT_NEAR(to_euler(ned_frd_from_enu_flu({})).yaw, quarter, 1e-12);
    // Unity: a turn by +90 degrees about y, which is up, from north to east.
    const double half = std::sqrt(0.5);
    EXPECT_NEAR(to_euler(from_unity(Quaternion{half, 0, half, 0})).yaw, quarter, 1e-12);
    // Unreal: yaw +90 about z, from north to east.
    EXPECT_NEAR(to_euler(from_unreal(Quaternion{half, 0, 0, half})).yaw, quarter, 1e-12);
    EXPECT_NEAR(from_unreal_rotator(0, 0, 90).yaw, quarter, 1e-12);
}

TEST(Frames, NoseUpIsAPositivePitch) {
    const double a = 0.3;
    // FLU about y (left): positive turns the nose down.
    EXPECT_NEAR(to_euler(ned_frd_from_enu_flu({std::cos(a / 2), 0, std::sin(a / 2), 0})).pitch, -a, 1e-12);
    // Unity about x (right), left-handed: positive turns the nose down.
    EXPECT_NEAR(to_euler(from_unity(Quaternion{std::cos(a / 2), std::sin(a / 2), 0, 0})).pitch, -a, 1e-12);
    EXPECT_NEAR(from_unreal_rotator(0, 20, 0).pitch, 20 * radians_per_degree, 1e-12);
    EXPECT_NEAR(from_unreal_rotator(10, 20, 30).roll, 10 * radians_per_degree, 1e-12);
}

TEST(Frames, ThereAndBack) {
    for (int round = 0; round < 1000; ++round) {
        const Vector3 v = any_vector();
        expect_near(enu_from_ned(ned_from_enu(v)), v);
        expect_near(flu_from_frd(frd_from_flu(v)), v);
        expect_near(to_unity(from_unity(v)), v);
        expect_near(from_unity(to_unity(v)), v);
        expect_near(rates_to_unity(rates_from_unity(v)), v);
        expect_near(to_unreal(from_unreal(v)), v);
        expect_near(rates_to_unreal(rates_from_unreal(v)), v);
        const Quaternion q = any_rotation();
        expect_same_rotation(enu_flu_from_ned_frd(ned_frd_from_enu_flu(q)), q);
        expect_same_rotation(to_unity(from_unity(q)), q);
        expect_same_rotation(to_unreal(from_unreal(q)), q);
        expect_same_rotation(to_quaternion(to_euler(q)), q);
        expect_near(to_body(q, to_ned(q, v)), v);
    }
}

/// Converting the attitude and rotating is the same as rotating and converting: in each engine, by its own formula.
TEST(Frames, RotationsAndVectorsAreConvertedAlike) {
    for (int round = 0; round < 1000; ++round) {
        const Quaternion q = any_rotation();
        const Vector3 v = any_vector();
        // v' = q v q* holds in any frame, left- or right-handed, with its own components.
        const Vector3 rotated = to_ned(q, v);
        expect_near(to_ned(ned_frd_from_enu_flu(q), frd_from_flu(v)), ned_from_enu(rotated));
        expect_near(to_ned(from_unity(q), from_unity(v)), from_unity(rotated));
        expect_near(to_ned(from_unreal(q), from_unreal(v)), from_unreal(rotated));
    }
}

/// The change of a converted attitude is the converted angular velocity.
TEST(Frames, RatesGoWithAttitudes) {
    constexpr double dt = 1e-6;
    const auto step = [](const Quaternion& q, const Vector3& body_rate) {
        return normalised(product(q, {1, body_rate.x * dt / 2, body_rate.y * dt / 2, body_rate.z * dt / 2}));
    };
    const auto rate_between = [](const Quaternion& a, const Quaternion& b) {
        const Quaternion d = product(inverse(a), b);
        const double sign = d.w < 0 ? -2 / dt : 2 / dt;
        return Vector3{sign * d.x, sign * d.y, sign * d.z};
    };
    for (int round = 0; round < 200; ++round) {
        const Quaternion q = any_rotation();
        const Vector3 w = any_vector();
        const Quaternion later = step(q, w);
        expect_near(rate_between(ned_frd_from_enu_flu(q), ned_frd_from_enu_flu(later)), frd_from_flu(w),
                    1e-4);
        expect_near(rate_between(from_unity(q), from_unity(later)), rates_from_unity(w), 1e-4);
        const Vector3 degrees{w.x / radians_per_degree, w.y / radians_per_degree, w.z / radians_per_degree};
        expect_near(rate_between(from_unreal(q), from_unreal(later)), rates_from_unreal(degrees), 1e-4);
        const EulerAngles before = to_euler(q), after = to_euler(later);
        if (std::fabs(before.pitch) < 1.3 && std::fabs(after.yaw - before.yaw) < 1 &&
            std::fabs(after.roll - before.roll) < 1) {
            const Vector3 rates{(after.roll - before.roll) / dt, (after.pitch - before.pitch) / dt,
                                (after.yaw - before.yaw) / dt};
            expect_near(body_rates(before, rates), w, 1e-3);
        }
    }
}

TEST(Frames, SpecificForce) {
    expect_near(specific_force({}, {}), {0, 0, -standard_gravity});
    expect_near(specific_force({0, 0, standard_gravity}, any_rotation()), {0, 0, 0});
    expect_near(specific_force({2, 0, 0}, {}), {2, 0, -standard_gravity});
    // Nose straight up: the ground pushes forward, along the body's x.
    expect_near(specific_force({}, to_quaternion({0, quarter, 0})), {standard_gravity, 0, 0});
    // Right wing down: it pushes to the left.
    expect_near(specific_force({}, to_quaternion({quarter, 0, 0})), {0, -standard_gravity, 0});
    // Heading east and accelerating east is forward.
    expect_near(specific_force({0, 3, 0}, to_quaternion({0, 0, quarter})), {3, 0, -standard_gravity});
}

TEST(Frames, ApparentWind) {
    const auto expect = [](const WindVane& wind, double direction, double speed) {
        EXPECT_NEAR(wind.direction, direction, 1e-12);
        EXPECT_NEAR(wind.speed, speed, 1e-12);
    };
    expect(apparent_wind({}, {5, 0, 0}, 0), 0, 5);                // still air, driving ahead: from the nose
    expect(apparent_wind({-5, 0, 0}, {}, 0), 0, 5);               // a head wind, at rest
    expect(apparent_wind({0, -4, 0}, {}, 0), quarter, 4);         // from the east, nose north: from the right
    expect(apparent_wind({0, -4, 0}, {}, quarter), 0, 4);         // from the east, nose east
    expect(apparent_wind({3, 0, 0}, {3, 0, 0}, 1), 0, 0);         // drifting with it
    expect(apparent_wind({-4, 0, 0}, {}, quarter), -quarter, 4);  // from the north, nose east: from the left
    expect(apparent_wind({0, -0.25, 0}, {}, 0), quarter, 0.25);   // a breath
    expect(apparent_wind({3, 1, 0}, {3, 1, 0}, -2), 0, 0);  // no wind has no direction, whatever the signs
    EXPECT_NEAR(airspeed({-5, 0, 0}, {10, 0, 0}, {}), 15, 1e-12);
    EXPECT_NEAR(airspeed({0, -5, 0}, {0, 10, 0}, to_quaternion({0, 0, quarter})), 15, 1e-12) << "nose east";
    EXPECT_NEAR(airspeed({0, 0, -5}, {0, 0, 10}, to_quaternion({0, -quarter, 0})), 15, 1e-12) << "nose down";
    EXPECT_EQ(airspeed({5, 0, 0}, {}, {}), 0) << "from behind";
}

TEST(Frames, GeodeticThereAndBack) {
    for (const Geodetic& origin : {Geodetic{0, 0, 0},
                                   {-35.363261, 149.165230, 584},
                                   {47.4, 8.5, 400},
                                   {89.9, 10, 0},
                                   {-90, 0, 2800},
                                   {51, 179.9999, 20}}) {
        const LocalFrame frame(origin);
        expect_near(frame.to_local(origin), {0, 0, 0}, 1e-8);
        for (int round = 0; round < 200; ++round) {
            const double reach = round % 2 == 0 ? 1e3 : 1e5;
            const Vector3 p{any(reach), any(reach), any(1e4)};
            const Geodetic place = frame.to_geodetic(p);
            EXPECT_LE(std::fabs(place.latitude), 90);
            EXPECT_LE(std::fabs(place.longitude), 180);
            expect_near(frame.to_local(place), p, 1e-6);
        }
    }
}

TEST(Frames, GeodeticKnownLengths) {
    // A degree along the equator, and one of latitude at 45 degrees (WGS-84).
    EXPECT_NEAR(LocalFrame({0, 0, 0}).to_local({0, 0.001, 0}).y, 111.31949, 1e-4);
    EXPECT_NEAR(LocalFrame({45, 0, 0}).to_local({45.001, 0, 0}).x, 111.1318, 1e-3);
    EXPECT_NEAR(LocalFrame({45, 7, 100}).to_local({45, 7, 130}).z, -30, 1e-8);
    // The plane leaves the globe: 1 km away the ground is 78 mm below it.
    EXPECT_NEAR(LocalFrame({0, 0, 0}).to_geodetic({1000, 0, 0}).altitude, 0.0789, 1e-3);
}

TEST(Frames, GeodeticAtTheEquatorAndThePoles) {
    EXPECT_NEAR(LocalFrame({0, 0, 5}).to_geodetic({0, 0, -10}).altitude, 15, 1e-8);
    EXPECT_NEAR(LocalFrame({0, 0, 0}).to_geodetic({0, 1000, 0}).altitude, 0.0784, 1e-4);
    for (double pole : {90.0, -90.0}) {
        const Geodetic place = LocalFrame({pole, 0, 5}).to_geodetic({0, 0, -10});
        EXPECT_NEAR(place.altitude, 15, 1e-8);
        EXPECT_NEAR(place.latitude, pole, 1e-9);
    }
}

TEST(Frames, TheNormDoesNotMatter) {
    for (int round = 0; round < 200; ++round) {
        const Quaternion q = any_rotation();
        const EulerAngles angles = to_euler(q);
        for (double factor : {1e-3, 0.5, 2.0, -1.0, 1e3}) {
            const Quaternion scaled{factor * q.w, factor * q.x, factor * q.y, factor * q.z};
            const EulerAngles same = to_euler(scaled);
            expect_near({same.roll, same.pitch, same.yaw}, {angles.roll, angles.pitch, angles.yaw}, 1e-7);
            const Quaternion unit = normalised(scaled);
            EXPECT_NEAR(unit.w * unit.w + unit.x * unit.x + unit.y * unit.y + unit.z * unit.z, 1, 1e-12);
            expect_same_rotation(unit, q);
        }
    }
}

/// Nose straight up or down: rounding must not make a sine larger than 1.
TEST(Frames, StraightUpIsAnAngle) {
    for (int round = 0; round < 2000; ++round) {
        const double up = round % 2 == 0 ? quarter : -quarter;
        EXPECT_NEAR(to_euler(to_quaternion({any(3), up, any(3)})).pitch, up, 1e-7);
    }
}

TEST(Frames, NothingIsNoRotation) {
    for (const Quaternion& q : {Quaternion{0, 0, 0, 0}, {HUGE_VAL, 0, 0, 0}, {std::nan(""), 0, 0, 1}}) {
        EXPECT_EQ(normalised(q).w, 1);
        EXPECT_EQ(normalised(q).x, 0);
    }
}

}  // namespace
