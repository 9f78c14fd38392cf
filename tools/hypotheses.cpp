// hypotheses.cpp - see hypotheses.hpp.
#include "hypotheses.hpp"

#include "consistency.hpp"
#include "vector_math.hpp"

using namespace vector_math;

namespace {

constexpr double degree = 0.017453292519943295;                // rad
constexpr Vector3 standing{0, 0, -ap_json::standard_gravity};  // NED: what an accelerometer feels at rest

Vector3 flu(const Vector3& v) { return {v.x, -v.y, -v.z}; }  // FLU to FRD, and back
Vector3 enu(const Vector3& v) { return {v.y, v.x, -v.z}; }   // ENU to NED, and back
Vector3 swapped(const Vector3& v) { return {v.y, v.x, v.z}; }
Vector3 upwards(const Vector3& v) { return {v.x, v.y, -v.z}; }

void set_attitude(Sample& s, const Quaternion& q) {
    s.quaternion = q;
    s.euler.reset();
}

/// From FLU to ENU, as ROS has it, into from FRD to NED.
Quaternion from_enu_flu(const Quaternion& q) {
    constexpr double half = 0.7071067811865476;
    return Quaternion{0, half, half, 0} * q * Quaternion{0, 1, 0, 0};
}

template <class Change>
void change_euler(Sample& s, Change change) {
    if (s.euler) change(*s.euler);
    if (!s.quaternion) return;
    // What is done to the angles of the quaternion, which a backend that makes it from angles did wrong too.
    const Quaternion q = attitude_of(s);
    EulerAngles e{std::atan2(2 * (q.w * q.x + q.y * q.z), 1 - 2 * (q.x * q.x + q.y * q.y)),
                  std::asin(std::clamp(2 * (q.w * q.y - q.z * q.x), -1.0, 1.0)),
                  std::atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z))};
    change(e);
    s.quaternion = from_euler(e);
}

/// Rates of the angles into rates about the body's axes.
Vector3 body_rates(const EulerAngles& e, const Vector3& rates) {
    return {rates.x - std::sin(e.pitch) * rates.z,
            std::cos(e.roll) * rates.y + std::sin(e.roll) * std::cos(e.pitch) * rates.z,
            -std::sin(e.roll) * rates.y + std::cos(e.roll) * std::cos(e.pitch) * rates.z};
}

constexpr const char* upside_down =
    "The attitude estimate turns over or never settles: \"AHRS: not healthy\", \"EKF variance\", no arming.";
constexpr const char* drifting =
    "The estimates of velocity and position wander off as soon as the vehicle moves: \"EKF variance\", \"EKF "
    "failsafe\", \"GPS glitch\".";
constexpr const char* wrong_turns =
    "The attitude estimate goes wrong whenever the vehicle turns; a copter flips on take-off, a rover "
    "weaves.";
constexpr const char* elsewhere =
    "The vehicle appears at the wrong place or moves the wrong way on the map; GPS and inertial data "
    "disagree: "
    "\"EKF variance\".";

}  // namespace

const Hypothesis hypotheses[] = {
    // ---- specific force
    {"specific-force-sign", [](Sample& s) { s.force = -s.force; }, "The specific force has the wrong sign.",
     "imu.accel_body is what an accelerometer feels: acceleration minus gravity, so (0, 0, -9.81) at rest. "
     "Here it is "
     "gravity minus acceleration, or it is in a frame with z up (FLU).",
     upside_down,
     "Send imu.accel_body = R^T (a - g) with g = (0, 0, +9.81) in NED, in body axes forward, right, down."},
    {"gravity-left-out", [](Sample& s) { s.force = s.force + rotate_back(attitude_of(s), standing); },
     "Gravity is left out of the specific force.",
     "imu.accel_body is the acceleration of the vehicle. An accelerometer feels the ground's push as well.",
     "The EKF never aligns: \"AHRS: waiting for home\", \"EKF attitude is bad\", no arming.",
     "Subtract gravity before rotating into the body: imu.accel_body = R^T (a - g), (0, 0, -9.81) at rest."},
    {"gravity-twice", [](Sample& s) { s.force = s.force - rotate_back(attitude_of(s), standing); },
     "Gravity is in the specific force twice.",
     "The engine's accelerometer has gravity in it already, and it was taken off once more.", upside_down,
     "Leave one of the two out: (0, 0, -9.81) at rest."},
    {"specific-force-in-g", [](Sample& s) { s.force = ap_json::standard_gravity * s.force; },
     "The specific force is in units of g.", "imu.accel_body is in m/s2.", upside_down,
     "Multiply by 9.80665 m/s2."},
    {"specific-force-in-g-and-sign", [](Sample& s) { s.force = -ap_json::standard_gravity * s.force; },
     "The specific force is in units of g and has the wrong sign.",
     "imu.accel_body is in m/s2, and (0, 0, -9.81) at rest.", upside_down, "Multiply by -9.80665 m/s2."},
    {"specific-force-in-centimetres", [](Sample& s) { s.force = 0.01 * s.force; },
     "The specific force is in cm/s2.", "imu.accel_body is in m/s2; the engine counts in centimetres.",
     upside_down, "Divide by 100."},
    {"specific-force-not-body", [](Sample& s) { s.force = rotate_back(attitude_of(s), s.force); },
     "The specific force is in the axes of the world, not of the body.",
     "imu.accel_body is measured by a sensor that is fixed to the vehicle; it was not rotated.",
     "All is well until the vehicle tilts or turns; then the attitude estimate is wrong.",
     "Rotate it by the inverse of the attitude: R^T (a - g)."},
    {"specific-force-flu", [](Sample& s) { s.force = flu(s.force); },
     "The specific force is in body axes forward, left, up.",
     "ArduPilot's body axes are forward, right, down (FRD). Gazebo and ROS have FLU; perhaps the rest of the "
     "state is "
     "in theirs too.",
     upside_down, "Negate y and z of imu.accel_body (and look at the gyro)."},
    // ---- gyro
    {"gyro-in-degrees", [](Sample& s) { s.gyro = degree * s.gyro; }, "The gyro is in degrees per second.",
     "imu.gyro is in rad/s.", wrong_turns, "Multiply by pi / 180."},
    {"gyro-flu", [](Sample& s) { s.gyro = flu(s.gyro); }, "The gyro is in body axes forward, left, up.",
     "ArduPilot's body axes are forward, right, down (FRD): a turn to the right is positive about z.",
     wrong_turns, "Negate y and z of imu.gyro."},
    {"gyro-sign", [](Sample& s) { s.gyro = -s.gyro; }, "The gyro has the wrong sign.",
     "imu.gyro turns against the attitude about all axes.", wrong_turns,
     "Negate imu.gyro: right wing down, nose up and a turn to the right are positive."},
    {"gyro-not-body", [](Sample& s) { s.gyro = rotate_back(attitude_of(s), s.gyro); },
     "The gyro is in the axes of the world, not of the body.",
     "Physics engines give the angular velocity in world axes; a gyro is fixed to the vehicle.", wrong_turns,
     "Rotate it by the inverse of the attitude."},
    {"gyro-is-euler-rates",
     [](Sample& s) {
         if (s.euler) s.gyro = body_rates(*s.euler, s.gyro);
     },
     "The gyro holds the rates of roll, pitch and yaw.",
     "Rates of the angles are rates about the body's axes only while the vehicle is level.", wrong_turns,
     "Convert: p = dphi - sin(theta) dpsi, q = cos(phi) dtheta + sin(phi) cos(theta) dpsi, r = -sin(phi) "
     "dtheta + "
     "cos(phi) cos(theta) dpsi."},
    // ---- attitude
    {"attitude-in-degrees",
     [](Sample& s) {
         if (s.euler && !s.quaternion)
             s.euler = EulerAngles{degree * s.euler->roll, degree * s.euler->pitch, degree * s.euler->yaw};
     },
     "The attitude is in degrees.", "attitude is roll, pitch and yaw in radians.", upside_down,
     "Multiply by pi / 180."},
    {"quaternion-order",
     [](Sample& s) {
         if (s.quaternion)
             s.quaternion = Quaternion{s.quaternion->z, s.quaternion->w, s.quaternion->x, s.quaternion->y};
     },
     "The quaternion is in the order x, y, z, w.",
     "quaternion is w, x, y, z: scalar first. Unity, ROS and Bullet store the scalar last.", upside_down,
     "Send [w, x, y, z]."},
    {"quaternion-inverse",
     [](Sample& s) {
         if (s.quaternion) s.quaternion = conjugate(*s.quaternion);
     },
     "The quaternion is the inverse one.",
     "quaternion rotates from the body's axes to NED; this one goes the other way.", upside_down,
     "Negate x, y and z."},
    {"attitude-enu-flu", [](Sample& s) { set_attitude(s, from_enu_flu(attitude_of(s))); },
     "The attitude is that of ENU and FLU.",
     "ROS and Gazebo count yaw from east anticlockwise; ArduPilot counts it from north clockwise.", elsewhere,
     "Convert: yaw = pi/2 - yaw, pitch = -pitch; a quaternion q becomes (0, 0.7071, 0.7071, 0) q (0, 1, 0, "
     "0)."},
    {"attitude-flu",
     [](Sample& s) {
         change_euler(s, [](EulerAngles& e) {
             e.pitch = -e.pitch;
             e.yaw = -e.yaw;
         });
     },
     "Pitch and yaw have the wrong sign.", "Nose up is a positive pitch, a turn to the right a rising yaw.",
     wrong_turns, "Negate pitch and yaw."},
    {"attitude-order", [](Sample& s) { change_euler(s, [](EulerAngles& e) { std::swap(e.roll, e.yaw); }); },
     "The attitude is in the order yaw, pitch, roll.", "attitude is roll, pitch, yaw.", upside_down,
     "Send [roll, pitch, yaw]."},
    {"yaw-quarter-turn", [](Sample& s) { change_euler(s, [](EulerAngles& e) { e.yaw += 90 * degree; }); },
     "Yaw is 90 degrees too small.", "Yaw counts from north; here it counts from east.", elsewhere,
     "Add pi/2 to yaw."},
    {"yaw-quarter-turn-back",
     [](Sample& s) { change_euler(s, [](EulerAngles& e) { e.yaw -= 90 * degree; }); },
     "Yaw is 90 degrees too large.",
     "Yaw 0 is north. The vehicle's model may point along another axis than x.", elsewhere,
     "Subtract pi/2 from yaw."},
    // ---- velocity
    {"velocity-up", [](Sample& s) { s.velocity = upwards(s.velocity); }, "Velocity counts upwards.",
     "velocity is north, east, down: climbing is negative.", drifting, "Negate the third component."},
    {"velocity-enu", [](Sample& s) { s.velocity = enu(s.velocity); }, "Velocity is east, north, up.",
     "velocity is north, east, down (NED).", drifting, "Send [north, east, -up]."},
    {"velocity-body", [](Sample& s) { s.velocity = rotate(attitude_of(s), s.velocity); },
     "Velocity is in the axes of the body.",
     "velocity is north, east, down; flight dynamics models have u, v, w.", drifting,
     "Rotate it by the attitude."},
    {"velocity-in-centimetres", [](Sample& s) { s.velocity = 0.01 * s.velocity; }, "Velocity is in cm/s.",
     "velocity is in m/s; the engine counts in centimetres.", drifting, "Divide by 100."},
    {"velocity-in-km-per-hour", [](Sample& s) { s.velocity = (1 / 3.6) * s.velocity; },
     "Velocity is in km/h.", "velocity is in m/s.", drifting, "Divide by 3.6."},
    {"velocity-swapped", [](Sample& s) { s.velocity = swapped(s.velocity); },
     "Velocity is east, north, down.", "velocity is north, east, down (NED).", drifting,
     "Swap the first two components."},
    // ---- position
    {"position-up", [](Sample& s) { s.position = upwards(s.position); }, "Position counts upwards.",
     "position is north, east, down from home: 10 m high is -10.", elsewhere, "Negate the third component."},
    {"position-enu", [](Sample& s) { s.position = enu(s.position); }, "Position is east, north, up.",
     "position is north, east, down (NED).", elsewhere, "Send [north, east, -up]."},
    {"position-in-centimetres", [](Sample& s) { s.position = 0.01 * s.position; },
     "Position is in centimetres.", "position is in m.", elsewhere, "Divide by 100."},
    {"position-swapped", [](Sample& s) { s.position = swapped(s.position); },
     "Position is east, north, down.", "position is north, east, down (NED).", elsewhere,
     "Swap the first two components."},
    // ---- several together
    {"world-up",
     [](Sample& s) {
         s.position = upwards(s.position);
         s.velocity = upwards(s.velocity);
     },
     "Position and velocity count upwards.", "Both are north, east, down: climbing is negative.", elsewhere,
     "Negate the third component of both."},
    {"world-enu",
     [](Sample& s) {
         s.position = enu(s.position);
         s.velocity = enu(s.velocity);
     },
     "Position and velocity are east, north, up.",
     "Both are north, east, down (NED). ROS and Gazebo have ENU; is the attitude converted?", elsewhere,
     "Send [north, east, -up] for both."},
    {"world-swapped",
     [](Sample& s) {
         s.position = swapped(s.position);
         s.velocity = swapped(s.velocity);
     },
     "Position and velocity are east, north, down.", "Both are north, east, down (NED).", elsewhere,
     "Swap the first two components of both."},
    {"world-in-centimetres",
     [](Sample& s) {
         s.position = 0.01 * s.position;
         s.velocity = 0.01 * s.velocity;
     },
     "Position and velocity are in centimetres.", "They are in m and m/s. Unreal counts in centimetres.",
     elsewhere, "Divide both by 100."},
    {"body-flu",
     [](Sample& s) {
         s.force = flu(s.force);
         s.gyro = flu(s.gyro);
     },
     "Specific force and gyro are in body axes forward, left, up.",
     "ArduPilot's body axes are forward, right, down (FRD). Gazebo and ROS have FLU.", upside_down,
     "Negate y and z of both."},
    {"everything-enu-flu",
     [](Sample& s) {
         set_attitude(s, from_enu_flu(attitude_of(s)));
         s.position = enu(s.position);
         s.velocity = enu(s.velocity);
         s.force = flu(s.force);
         s.gyro = flu(s.gyro);
     },
     "The whole state is in ENU and FLU, as ROS and Gazebo have it.",
     "ArduPilot has north, east, down for the world and forward, right, down for the body.", upside_down,
     "World vectors: [north, east, -up]. Body vectors: negate y and z. Attitude: yaw = pi/2 - yaw, pitch = "
     "-pitch."},
    // ---- geodetic
    {"latitude-longitude-swapped",
     [](Sample& s) {
         if (s.geodetic) std::swap(s.geodetic->latitude, s.geodetic->longitude);
     },
     "Latitude and longitude are swapped.", "They move the other way than position does.", elsewhere,
     "Swap them."},
    {"geodetic-in-radians",
     [](Sample& s) {
         if (!s.geodetic) return;
         s.geodetic->latitude /= degree;
         s.geodetic->longitude /= degree;
     },
     "Latitude and longitude are in radians.", "They are in degrees.", elsewhere, "Multiply by 180 / pi."},
    {"altitude-down",
     [](Sample& s) {
         if (s.geodetic) s.geodetic->altitude = -s.geodetic->altitude;
     },
     "Altitude counts downwards.",
     "altitude is metres above sea level: it rises when position's third part falls.", elsewhere,
     "Negate it."},
    {"altitude-in-centimetres",
     [](Sample& s) {
         if (s.geodetic) s.geodetic->altitude /= 100;
     },
     "Altitude is in centimetres.", "altitude is in m above sea level.", elsewhere, "Divide by 100."},
};
const std::size_t hypothesis_count = sizeof hypotheses / sizeof hypotheses[0];
