// messages.hpp - the MAVLink messages that PX4 in the loop needs, as plain structs with their fields in wire order. How
// they are written and read is described once, in the table of message_table.cpp; see message_info.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace px4_hil {

/// A text of at most N bytes on the wire: padded with zeros, no terminating zero when it is full.
template <std::size_t N>
struct Text {
    std::array<char, N> bytes{};

    Text() noexcept = default;
    Text(std::string_view
             text) noexcept {        // NOLINT(google-explicit-constructor): message.param_id = "SYS_HITL"
        text.copy(bytes.data(), N);  // what is longer is cut
    }
    Text(const char* text) noexcept : Text(std::string_view(text)) {}  // NOLINT(google-explicit-constructor)
    [[nodiscard]] std::string_view view() const noexcept {
        const std::string_view all(bytes.data(), N);
        const std::size_t end = all.find('\0');
        return end == std::string_view::npos ? all : all.substr(0, end);
    }
};

using ParameterName = Text<16>;

/// Who is there, in which mode: once a second from everybody.
struct Heartbeat {
    static constexpr std::uint32_t id = 0;
    std::uint32_t custom_mode = 0;     ///< PX4: see px4_modes.hpp
    std::uint8_t type = 0;             ///< MAV_TYPE
    std::uint8_t autopilot = 0;        ///< MAV_AUTOPILOT
    std::uint8_t base_mode = 0;        ///< MAV_MODE_FLAG, bits
    std::uint8_t system_status = 0;    ///< MAV_STATE
    std::uint8_t mavlink_version = 3;  ///< always 3
};

struct SystemTime {
    static constexpr std::uint32_t id = 2;
    std::uint64_t time_unix_usec = 0;  ///< us
    std::uint32_t time_boot_ms = 0;    ///< ms
};

/// The old way to set a mode; PX4 turns it into command 176.
struct SetMode {
    static constexpr std::uint32_t id = 11;
    std::uint32_t custom_mode = 0;
    std::uint8_t target_system = 0;
    std::uint8_t base_mode = 0;  ///< MAV_MODE_FLAG, bits
};

struct ParamRequestRead {
    static constexpr std::uint32_t id = 20;
    std::int16_t param_index = -1;  ///< -1 = by param_id
    std::uint8_t target_system = 0;
    std::uint8_t target_component = 0;
    ParameterName param_id;
};

struct ParamRequestList {
    static constexpr std::uint32_t id = 21;
    std::uint8_t target_system = 0;
    std::uint8_t target_component = 0;
};

struct ParamValue {
    static constexpr std::uint32_t id = 22;
    float param_value = 0;  ///< PX4 stores an integer's bytes here; see integer_parameter()
    std::uint16_t param_count = 0;
    std::uint16_t param_index = 0;
    ParameterName param_id;
    std::uint8_t param_type = 0;  ///< MAV_PARAM_TYPE: 6 = int32, 9 = float
};

struct ParamSet {
    static constexpr std::uint32_t id = 23;
    float param_value = 0;  ///< as in ParamValue
    std::uint8_t target_system = 0;
    std::uint8_t target_component = 0;
    ParameterName param_id;
    std::uint8_t param_type = 0;  ///< MAV_PARAM_TYPE
};

/// The legacy form of MissionItemInt, with coordinates of some metres' accuracy.
struct MissionItem {
    static constexpr std::uint32_t id = 39;
    float param1 = 0, param2 = 0, param3 = 0, param4 = 0;
    float x = 0;  ///< deg in global frames
    float y = 0;  ///< deg in global frames
    float z = 0;  ///< m
    std::uint16_t seq = 0;
    std::uint16_t command = 0;  ///< MAV_CMD
    std::uint8_t target_system = 0;
    std::uint8_t target_component = 0;
    std::uint8_t frame = 0;  ///< MAV_FRAME
    std::uint8_t current = 0;
    std::uint8_t autocontinue = 0;
    std::uint8_t mission_type = 0;  ///< extension
};

struct MissionRequest {
    static constexpr std::uint32_t id = 40;
    std::uint16_t seq = 0;
    std::uint8_t target_system = 0;
    std::uint8_t target_component = 0;
    std::uint8_t mission_type = 0;  ///< extension
};

struct MissionSetCurrent {
    static constexpr std::uint32_t id = 41;
    std::uint16_t seq = 0;
    std::uint8_t target_system = 0;
    std::uint8_t target_component = 0;
};

struct MissionCurrent {
    static constexpr std::uint32_t id = 42;
    std::uint16_t seq = 0;
    std::uint16_t total = 0;  ///< extension; 0xFFFF = no mission
    std::uint8_t mission_state =
        0;  ///< extension; MISSION_STATE: 0 unknown ... 3 active, 4 paused, 5 complete
    std::uint8_t mission_mode = 0;      ///< extension; 1 = in mission mode, 2 = suspended
    std::uint32_t mission_id = 0;       ///< extension
    std::uint32_t fence_id = 0;         ///< extension
    std::uint32_t rally_points_id = 0;  ///< extension
};

struct MissionRequestList {
    static constexpr std::uint32_t id = 43;
    std::uint8_t target_system = 0;
    std::uint8_t target_component = 0;
    std::uint8_t mission_type = 0;  ///< extension
};

struct MissionCount {
    static constexpr std::uint32_t id = 44;
    std::uint16_t count = 0;
    std::uint8_t target_system = 0;
    std::uint8_t target_component = 0;
    std::uint8_t mission_type = 0;  ///< extension; MAV_MISSION_TYPE
    std::uint32_t opaque_id = 0;    ///< extension
};

struct MissionClearAll {
    static constexpr std::uint32_t id = 45;
    std::uint8_t target_system = 0;
    std::uint8_t target_component = 0;
    std::uint8_t mission_type = 0;  ///< extension
};

struct MissionItemReached {
    static constexpr std::uint32_t id = 46;
    std::uint16_t seq = 0;
};

struct MissionAck {
    static constexpr std::uint32_t id = 47;
    std::uint8_t target_system = 0;
    std::uint8_t target_component = 0;
    std::uint8_t type = 0;          ///< MAV_MISSION_RESULT
    std::uint8_t mission_type = 0;  ///< extension
    std::uint32_t opaque_id = 0;    ///< extension; PX4: checksum of the mission
};

struct ParamMapRc {
    static constexpr std::uint32_t id = 50;
    float param_value0 = 0;
    float scale = 0;
    float param_value_min = 0;
    float param_value_max = 0;
    std::int16_t param_index = 0;
    std::uint8_t target_system = 0;
    std::uint8_t target_component = 0;
    ParameterName param_id;
    std::uint8_t parameter_rc_channel_index = 0;
};

struct MissionRequestInt {
    static constexpr std::uint32_t id = 51;
    std::uint16_t seq = 0;
    std::uint8_t target_system = 0;
    std::uint8_t target_component = 0;
    std::uint8_t mission_type = 0;  ///< extension
};

struct MissionItemInt {
    static constexpr std::uint32_t id = 73;
    float param1 = 0;  ///< way point: hold time, s
    float param2 = 0;  ///< way point: acceptance radius, m
    float param3 = 0;
    float param4 = 0;    ///< way point: yaw, deg; NaN = free
    std::int32_t x = 0;  ///< degE7 latitude in global frames
    std::int32_t y = 0;  ///< degE7 longitude in global frames
    float z = 0;         ///< m
    std::uint16_t seq = 0;
    std::uint16_t command = 0;  ///< MAV_CMD
    std::uint8_t target_system = 0;
    std::uint8_t target_component = 0;
    std::uint8_t frame = 0;    ///< MAV_FRAME: 0 above sea level, 3 above home
    std::uint8_t current = 0;  ///< 1 = start here
    std::uint8_t autocontinue = 0;
    std::uint8_t mission_type = 0;  ///< extension
};

struct CommandLong {
    static constexpr std::uint32_t id = 76;
    float param1 = 0, param2 = 0, param3 = 0, param4 = 0, param5 = 0, param6 = 0, param7 = 0;
    std::uint16_t command = 0;  ///< MAV_CMD
    std::uint8_t target_system = 0;
    std::uint8_t target_component = 0;
    std::uint8_t confirmation = 0;  ///< 0 at first, 1 more with each retransmission
};

struct CommandAck {
    static constexpr std::uint32_t id = 77;
    std::uint16_t command = 0;          ///< MAV_CMD
    std::uint8_t result = 0;            ///< MAV_RESULT
    std::uint8_t progress = 0;          ///< extension; %, 255 = unknown
    std::int32_t result_param2 = 0;     ///< extension
    std::uint8_t target_system = 0;     ///< extension
    std::uint8_t target_component = 0;  ///< extension
};

/// The predecessor of HilActuatorControls.
struct HilControls {
    static constexpr std::uint32_t id = 91;
    std::uint64_t time_usec = 0;  ///< us
    float roll_ailerons = 0;
    float pitch_elevator = 0;
    float yaw_rudder = 0;
    float throttle = 0;
    float aux1 = 0, aux2 = 0, aux3 = 0, aux4 = 0;
    std::uint8_t mode = 0;  ///< MAV_MODE
    std::uint8_t nav_mode = 0;
};

/// RC inputs in us of pulse width. No PX4 release listens to it.
struct HilRcInputsRaw {
    static constexpr std::uint32_t id = 92;
    std::uint64_t time_usec = 0;  ///< us
    std::uint16_t chan1_raw = 0, chan2_raw = 0, chan3_raw = 0, chan4_raw = 0, chan5_raw = 0, chan6_raw = 0;
    std::uint16_t chan7_raw = 0, chan8_raw = 0, chan9_raw = 0, chan10_raw = 0, chan11_raw = 0, chan12_raw = 0;
    std::uint8_t rssi = 0;
};

/// What PX4 wants the actuators to do; see drive_controls.hpp.
struct HilActuatorControls {
    static constexpr std::uint32_t id = 93;
    std::uint64_t time_usec = 0;       ///< us since PX4's start
    std::uint64_t flags = 0;           ///< bit 0 = lockstep
    std::array<float, 16> controls{};  ///< -1 to 1; 0 to 1 for motors that do not reverse
    std::uint8_t mode = 0;             ///< MAV_MODE_FLAG; 128 = armed
};

struct HilSensor {
    static constexpr std::uint32_t id = 107;
    std::uint64_t time_usec = 0;            ///< us
    float xacc = 0, yacc = 0, zacc = 0;     ///< m/s2, FRD: specific force
    float xgyro = 0, ygyro = 0, zgyro = 0;  ///< rad/s, FRD
    float xmag = 0, ymag = 0, zmag = 0;     ///< gauss, FRD
    float abs_pressure = 0;                 ///< hPa
    float diff_pressure = 0;                ///< hPa
    float pressure_alt = 0;                 ///< m
    float temperature = 0;                  ///< degC
    std::uint32_t fields_updated = 0;       ///< HIL_SENSOR_UPDATED, bits
    std::uint8_t sensor_id = 0;             ///< extension "id": 0 = the set that moves PX4's clock
};

struct Timesync {
    static constexpr std::uint32_t id = 111;
    std::int64_t tc1 = 0;               ///< ns
    std::int64_t ts1 = 0;               ///< ns
    std::uint8_t target_system = 0;     ///< extension
    std::uint8_t target_component = 0;  ///< extension
};

struct HilGps {
    static constexpr std::uint32_t id = 113;
    std::uint64_t time_usec = 0;          ///< us
    std::int32_t lat = 0;                 ///< degE7
    std::int32_t lon = 0;                 ///< degE7
    std::int32_t alt = 0;                 ///< mm above sea level
    std::uint16_t eph = 0;                ///< PX4 reads cm; MAVLink says HDOP * 100
    std::uint16_t epv = 0;                ///< PX4 reads cm; MAVLink says VDOP * 100
    std::uint16_t vel = 0;                ///< cm/s over ground
    std::int16_t vn = 0, ve = 0, vd = 0;  ///< cm/s, NED
    std::uint16_t cog = 0;                ///< cdeg, course over ground; 65535 = unknown
    std::uint8_t fix_type = 0;            ///< 3 = 3D
    std::uint8_t satellites_visible = 0;
    std::uint8_t receiver_id = 0;  ///< extension "id"
    std::uint16_t yaw = 0;         ///< extension; cdeg, 0 = not available, 36000 = north
};

struct HilStateQuaternion {
    static constexpr std::uint32_t id = 115;
    std::uint64_t time_usec = 0;                           ///< us
    std::array<float, 4> attitude_quaternion{1, 0, 0, 0};  ///< w x y z, body (FRD) to NED
    float rollspeed = 0, pitchspeed = 0, yawspeed = 0;     ///< rad/s, FRD
    std::int32_t lat = 0;                                  ///< degE7
    std::int32_t lon = 0;                                  ///< degE7
    std::int32_t alt = 0;                                  ///< mm above sea level
    std::int16_t vx = 0, vy = 0, vz = 0;                   ///< cm/s, NED
    std::uint16_t ind_airspeed = 0;                        ///< cm/s
    std::uint16_t true_airspeed = 0;                       ///< cm/s
    std::int16_t xacc = 0, yacc = 0, zacc = 0;  ///< FRD; unit: see AccelerationUnit in hil_state.hpp
};

struct StatusText {
    static constexpr std::uint32_t id = 253;
    std::uint8_t severity = 0;  ///< MAV_SEVERITY: 0 emergency ... 3 error, 4 warning, 6 info, 7 debug
    Text<50> text;
    std::uint16_t text_id = 0;   ///< extension "id": 0 = in one piece
    std::uint8_t chunk_seq = 0;  ///< extension
};

struct ParamExtRequestRead {
    static constexpr std::uint32_t id = 320;
    std::int16_t param_index = 0;
    std::uint8_t target_system = 0;
    std::uint8_t target_component = 0;
    ParameterName param_id;
};

struct ParamExtRequestList {
    static constexpr std::uint32_t id = 321;
    std::uint8_t target_system = 0;
    std::uint8_t target_component = 0;
};

struct ParamExtValue {
    static constexpr std::uint32_t id = 322;
    std::uint16_t param_count = 0;
    std::uint16_t param_index = 0;
    ParameterName param_id;
    Text<128> param_value;
    std::uint8_t param_type = 0;  ///< MAV_PARAM_EXT_TYPE
};

struct ParamExtSet {
    static constexpr std::uint32_t id = 323;
    std::uint8_t target_system = 0;
    std::uint8_t target_component = 0;
    ParameterName param_id;
    Text<128> param_value;
    std::uint8_t param_type = 0;  ///< MAV_PARAM_EXT_TYPE
};

struct ParamExtAck {
    static constexpr std::uint32_t id = 324;
    ParameterName param_id;
    Text<128> param_value;
    std::uint8_t param_type = 0;    ///< MAV_PARAM_EXT_TYPE
    std::uint8_t param_result = 0;  ///< PARAM_ACK
};

/// An INT32 parameter as PX4 puts it into a float field: its bytes. And back.
[[nodiscard]] inline float integer_parameter(std::int32_t value) noexcept {
    float bytes = 0;
    std::memcpy(&bytes, &value, sizeof bytes);
    return bytes;
}
[[nodiscard]] inline std::int32_t integer_parameter(float bytes) noexcept {
    std::int32_t value = 0;
    std::memcpy(&value, &bytes, sizeof value);
    return value;
}

}  // namespace px4_hil
