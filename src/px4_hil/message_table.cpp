// message_table.cpp - the one table of all messages, checked while it is compiled, and what follows from it.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "crc.hpp"
#include "px4_hil/message_info.hpp"
#include "px4_hil/messages.hpp"

namespace px4_hil {
namespace {

// ---- from a struct's member to a field

template <FieldType type_, std::uint8_t count_ = 0>
struct WireType {
    static constexpr FieldType type = type_;
    static constexpr std::uint8_t count = count_;
};
template <class Member>
struct Wire;  // what a member of this type is on the wire
template <>
struct Wire<std::uint8_t> : WireType<FieldType::u8> {};
template <>
struct Wire<std::uint16_t> : WireType<FieldType::u16> {};
template <>
struct Wire<std::int16_t> : WireType<FieldType::i16> {};
template <>
struct Wire<std::uint32_t> : WireType<FieldType::u32> {};
template <>
struct Wire<std::int32_t> : WireType<FieldType::i32> {};
template <>
struct Wire<std::uint64_t> : WireType<FieldType::u64> {};
template <>
struct Wire<std::int64_t> : WireType<FieldType::i64> {};
template <>
struct Wire<float> : WireType<FieldType::f32> {};
template <std::size_t N>
struct Wire<std::array<float, N>> : WireType<FieldType::f32, N> {};
template <std::size_t N>
struct Wire<Text<N>> : WireType<FieldType::text, N> {};

template <class Member>
constexpr FieldInfo field(std::string_view name, std::size_t offset, bool extension) {
    return {name, Wire<Member>::type, Wire<Member>::count, extension, static_cast<std::uint16_t>(offset)};
}

// ---- from fields to a message

constexpr std::uint16_t crc16_text(std::uint16_t crc, std::string_view text) {
    for (const char c : text) crc = crc16_byte(crc, static_cast<unsigned char>(c));
    return crc16_byte(crc, ' ');
}

constexpr std::string_view type_names[] = {"uint8_t",  "uint16_t", "int16_t", "uint32_t", "int32_t",
                                           "uint64_t", "int64_t",  "float",   "char"};

template <std::size_t Count>
constexpr std::uint8_t crc_extra(std::string_view name, const FieldInfo (&fields)[Count]) {
    std::uint16_t crc = crc16_text(0xFFFF, name);
    for (const FieldInfo& each : fields) {
        if (each.extension) continue;
        crc = crc16_text(crc, type_names[static_cast<std::size_t>(each.type)]);
        crc = crc16_text(crc, each.name);
        if (each.count > 0) crc = crc16_byte(crc, each.count);
    }
    return static_cast<std::uint8_t>((crc & 0xFF) ^ (crc >> 8));
}

/// Large elements first, extensions last.
template <std::size_t Count>
constexpr bool in_wire_order(const FieldInfo (&fields)[Count]) {
    for (std::size_t i = 1; i < Count; ++i) {
        if (fields[i].extension) continue;
        if (fields[i - 1].extension || size_of(fields[i - 1].type) < size_of(fields[i].type)) return false;
    }
    return true;
}

template <class Message, std::size_t Count>
constexpr MessageInfo describe(std::string_view name, const FieldInfo (&fields)[Count]) {
    std::size_t base = 0, full = 0;
    for (const FieldInfo& each : fields) {
        full += each.size();
        if (!each.extension) base += each.size();
    }
    return {name,
            Message::id,
            crc_extra(name, fields),
            static_cast<std::uint8_t>(base),
            static_cast<std::uint8_t>(full),
            static_cast<std::uint16_t>(sizeof(Message)),
            fields,
            Count};
}

template <class Message>
struct Fields;

// MESSAGE(struct, MAVLink's name, CRC_EXTRA as published, fields...). With a field forgotten, misspelt or of the wrong
// type the extra byte comes out differently, and this does not compile.
// F: a field. X: an extension. X_AS: an extension whose member has another name.
#define MESSAGE(type, text, extra, ...)                                                   \
    template <>                                                                           \
    struct Fields<type> {                                                                 \
        using Message = type;                                                             \
        static constexpr std::string_view name = text;                                    \
        static constexpr FieldInfo list[] = {__VA_ARGS__};                                \
    };                                                                                    \
    static_assert(in_wire_order(Fields<type>::list), text ": not in wire order");         \
    static_assert(crc_extra(text, Fields<type>::list) == (extra), text ": wrong fields"); \
    static_assert(std::is_standard_layout_v<type> && std::is_trivially_copyable_v<type>, text);
#define F(member) field<decltype(Message::member)>(#member, offsetof(Message, member), false)
#define X(member) field<decltype(Message::member)>(#member, offsetof(Message, member), true)
#define X_AS(member, name) field<decltype(Message::member)>(name, offsetof(Message, member), true)

// clang-format off
MESSAGE(Heartbeat, "HEARTBEAT", 50, F(custom_mode), F(type), F(autopilot), F(base_mode), F(system_status),
        F(mavlink_version))
MESSAGE(SystemTime, "SYSTEM_TIME", 137, F(time_unix_usec), F(time_boot_ms))
MESSAGE(SetMode, "SET_MODE", 89, F(custom_mode), F(target_system), F(base_mode))
MESSAGE(ParamRequestRead, "PARAM_REQUEST_READ", 214, F(param_index), F(target_system), F(target_component),
        F(param_id))
MESSAGE(ParamRequestList, "PARAM_REQUEST_LIST", 159, F(target_system), F(target_component))
MESSAGE(ParamValue, "PARAM_VALUE", 220, F(param_value), F(param_count), F(param_index), F(param_id),
        F(param_type))
MESSAGE(ParamSet, "PARAM_SET", 168, F(param_value), F(target_system), F(target_component), F(param_id),
        F(param_type))
MESSAGE(MissionItem, "MISSION_ITEM", 254, F(param1), F(param2), F(param3), F(param4), F(x), F(y), F(z),
        F(seq), F(command), F(target_system), F(target_component), F(frame), F(current), F(autocontinue),
        X(mission_type))
MESSAGE(MissionRequest, "MISSION_REQUEST", 230, F(seq), F(target_system), F(target_component),
        X(mission_type))
MESSAGE(MissionSetCurrent, "MISSION_SET_CURRENT", 28, F(seq), F(target_system), F(target_component))
MESSAGE(MissionCurrent, "MISSION_CURRENT", 28, F(seq), X(total), X(mission_state), X(mission_mode),
        X(mission_id), X(fence_id), X(rally_points_id))
MESSAGE(MissionRequestList, "MISSION_REQUEST_LIST", 132, F(target_system), F(target_component),
        X(mission_type))
MESSAGE(MissionCount, "MISSION_COUNT", 221, F(count), F(target_system), F(target_component),
        X(mission_type), X(opaque_id))
MESSAGE(MissionClearAll, "MISSION_CLEAR_ALL", 232, F(target_system), F(target_component), X(mission_type))
MESSAGE(MissionItemReached, "MISSION_ITEM_REACHED", 11, F(seq))
MESSAGE(MissionAck, "MISSION_ACK", 153, F(target_system), F(target_component), F(type), X(mission_type),
        X(opaque_id))
MESSAGE(ParamMapRc, "PARAM_MAP_RC", 78, F(param_value0), F(scale), F(param_value_min), F(param_value_max),
        F(param_index), F(target_system), F(target_component), F(param_id), F(parameter_rc_channel_index))
MESSAGE(MissionRequestInt, "MISSION_REQUEST_INT", 196, F(seq), F(target_system), F(target_component),
        X(mission_type))
MESSAGE(MissionItemInt, "MISSION_ITEM_INT", 38, F(param1), F(param2), F(param3), F(param4), F(x), F(y),
        F(z), F(seq), F(command), F(target_system), F(target_component), F(frame), F(current),
        F(autocontinue), X(mission_type))
MESSAGE(CommandLong, "COMMAND_LONG", 152, F(param1), F(param2), F(param3), F(param4), F(param5), F(param6),
        F(param7), F(command), F(target_system), F(target_component), F(confirmation))
MESSAGE(CommandAck, "COMMAND_ACK", 143, F(command), F(result), X(progress), X(result_param2),
        X(target_system), X(target_component))
MESSAGE(HilControls, "HIL_CONTROLS", 63, F(time_usec), F(roll_ailerons), F(pitch_elevator), F(yaw_rudder),
        F(throttle), F(aux1), F(aux2), F(aux3), F(aux4), F(mode), F(nav_mode))
MESSAGE(HilRcInputsRaw, "HIL_RC_INPUTS_RAW", 54, F(time_usec), F(chan1_raw), F(chan2_raw), F(chan3_raw),
        F(chan4_raw), F(chan5_raw), F(chan6_raw), F(chan7_raw), F(chan8_raw), F(chan9_raw), F(chan10_raw),
        F(chan11_raw), F(chan12_raw), F(rssi))
MESSAGE(HilActuatorControls, "HIL_ACTUATOR_CONTROLS", 47, F(time_usec), F(flags), F(controls), F(mode))
MESSAGE(HilSensor, "HIL_SENSOR", 108, F(time_usec), F(xacc), F(yacc), F(zacc), F(xgyro), F(ygyro), F(zgyro),
        F(xmag), F(ymag), F(zmag), F(abs_pressure), F(diff_pressure), F(pressure_alt), F(temperature),
        F(fields_updated), X_AS(sensor_id, "id"))
MESSAGE(Timesync, "TIMESYNC", 34, F(tc1), F(ts1), X(target_system), X(target_component))
MESSAGE(HilGps, "HIL_GPS", 124, F(time_usec), F(lat), F(lon), F(alt), F(eph), F(epv), F(vel), F(vn), F(ve),
        F(vd), F(cog), F(fix_type), F(satellites_visible), X_AS(receiver_id, "id"), X(yaw))
MESSAGE(HilStateQuaternion, "HIL_STATE_QUATERNION", 4, F(time_usec), F(attitude_quaternion), F(rollspeed),
        F(pitchspeed), F(yawspeed), F(lat), F(lon), F(alt), F(vx), F(vy), F(vz), F(ind_airspeed),
        F(true_airspeed), F(xacc), F(yacc), F(zacc))
MESSAGE(StatusText, "STATUSTEXT", 83, F(severity), F(text), X_AS(text_id, "id"), X(chunk_seq))
MESSAGE(ParamExtRequestRead, "PARAM_EXT_REQUEST_READ", 243, F(param_index), F(target_system),
        F(target_component), F(param_id))
MESSAGE(ParamExtRequestList, "PARAM_EXT_REQUEST_LIST", 88, F(target_system), F(target_component))
MESSAGE(ParamExtValue, "PARAM_EXT_VALUE", 243, F(param_count), F(param_index), F(param_id), F(param_value),
        F(param_type))
MESSAGE(ParamExtSet, "PARAM_EXT_SET", 78, F(target_system), F(target_component), F(param_id),
        F(param_value), F(param_type))
MESSAGE(ParamExtAck, "PARAM_EXT_ACK", 132, F(param_id), F(param_value), F(param_type), F(param_result))
// clang-format on

#undef MESSAGE
#undef F
#undef X
#undef X_AS

template <class... Messages>
constexpr std::array<MessageInfo, sizeof...(Messages)> table_of() {
    return {describe<Messages>(Fields<Messages>::name, Fields<Messages>::list)...};
}

// By rising id.
constexpr auto table =
    table_of<Heartbeat, SystemTime, SetMode, ParamRequestRead, ParamRequestList, ParamValue, ParamSet,
             MissionItem, MissionRequest, MissionSetCurrent, MissionCurrent, MissionRequestList, MissionCount,
             MissionClearAll, MissionItemReached, MissionAck, ParamMapRc, MissionRequestInt, MissionItemInt,
             CommandLong, CommandAck, HilControls, HilRcInputsRaw, HilActuatorControls, HilSensor, Timesync,
             HilGps, HilStateQuaternion, StatusText, ParamExtRequestRead, ParamExtRequestList, ParamExtValue,
             ParamExtSet, ParamExtAck>();

constexpr bool sorted() {
    for (std::size_t i = 1; i < table.size(); ++i) {
        if (table[i - 1].id >= table[i].id) return false;
    }
    return true;
}
static_assert(sorted());

// ---- bytes

bool little_endian() noexcept {
    const std::uint16_t one = 1;
    unsigned char first = 0;
    std::memcpy(&first, &one, 1);
    return first == 1;
}

/// Copies one field between a struct and the wire; the machine may be of either byte order.
void copy_field(const FieldInfo& field, const unsigned char* from, unsigned char* to) noexcept {
    const std::size_t element = size_of(field.type);
    if (little_endian() || element == 1) {
        std::memcpy(to, from, field.size());
        return;
    }
    for (std::size_t i = 0; i < field.size(); i += element)
        std::reverse_copy(from + i, from + i + element, to + i);
}

}  // namespace

MessageTable all_messages() noexcept { return {table.data(), table.data() + table.size()}; }

const MessageInfo* find_message(std::uint32_t id) noexcept {
    const MessageInfo* const end = table.data() + table.size();
    const MessageInfo* const found =
        std::lower_bound(table.data(), end, id,
                         [](const MessageInfo& info, std::uint32_t wanted) { return info.id < wanted; });
    return found != end && found->id == id ? found : nullptr;
}

const MessageInfo* find_message(std::string_view name) noexcept {
    for (const MessageInfo& info : table) {
        if (info.name == name) return &info;
    }
    return nullptr;
}

void write_payload(const MessageInfo& info, const void* message, unsigned char* payload) noexcept {
    const auto* const from = static_cast<const unsigned char*>(message);
    for (const FieldInfo& field : info) {
        copy_field(field, from + field.member, payload);
        payload += field.size();
    }
}

void read_payload(const MessageInfo& info, const unsigned char* payload, std::size_t size,
                  void* message) noexcept {
    unsigned char whole[max_payload] = {};
    std::memcpy(whole, payload, std::min<std::size_t>(size, info.full_size));
    auto* const to = static_cast<unsigned char*>(message);
    const unsigned char* from = whole;
    for (const FieldInfo& field : info) {
        copy_field(field, from, to + field.member);
        from += field.size();
    }
}

std::uint16_t crc16(const void* data, std::size_t size, std::uint16_t crc) noexcept {
    const auto* const bytes = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < size; ++i) crc = crc16_byte(crc, bytes[i]);
    return crc;
}

}  // namespace px4_hil
