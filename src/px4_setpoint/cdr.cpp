// cdr.cpp - plain CDR, both ways from one list of fields for each message.
//
// Numbers would have to be aligned to their size from the start of the body; with these fields in this order they are.
#include "px4_setpoint/cdr.hpp"

#include <string>
#include <type_traits>

namespace px4_setpoint {
namespace {

constexpr std::size_t header_size = 4;

// The fields in the order of PX4's message definitions, which is that of the bytes.
template <class Message, class Visitor>
std::enable_if_t<std::is_same_v<std::remove_const_t<Message>, SetpointConfig>> fields(Message& message,
                                                                                      Visitor&& visit) {
    visit(message.timestamp, "timestamp");
    visit(message.type, "type");
    visit(message.source_id, "source_id");
    visit(message.should_apply, "should_apply");
    visit(message.timeout_ms, "timeout_ms");
}

template <class Message, class Visitor>
std::enable_if_t<std::is_same_v<std::remove_const_t<Message>, SetpointConfigReply>> fields(Message& message,
                                                                                           Visitor&& visit) {
    visit(message.timestamp, "timestamp");
    visit(message.type, "type");
    visit(message.source_id, "source_id");
    visit(message.result, "result");
    visit(message.mode_req_angular_velocity, "mode_req_angular_velocity");
    visit(message.mode_req_attitude, "mode_req_attitude");
    visit(message.mode_req_local_alt, "mode_req_local_alt");
    visit(message.mode_req_local_position, "mode_req_local_position");
}

// Where byte number `index` of a number of `size` bytes goes, counted from its lowest.
constexpr std::size_t place(std::size_t index, std::size_t size, ByteOrder order) {
    return order == ByteOrder::little ? index : size - 1 - index;
}

template <std::size_t size, class Message>
std::array<std::uint8_t, size> encode_message(const Message& message, ByteOrder order) noexcept {
    std::array<std::uint8_t, size> bytes{0, static_cast<std::uint8_t>(order), 0, 0};
    std::size_t at = header_size;
    fields(message, [&](const auto& field, const char*) {
        const auto value = static_cast<std::uint64_t>(field);
        for (std::size_t i = 0; i < sizeof field; ++i) {
            bytes[at + place(i, sizeof field, order)] = static_cast<std::uint8_t>(value >> (8 * i));
        }
        at += sizeof field;
    });
    return bytes;
}

Error too_short(std::size_t size, std::size_t least, const char* name) {
    return {ErrorCode::too_short, std::string("a ") + name + " has " + std::to_string(least) +
                                      " bytes, this has " + std::to_string(size) +
                                      ": something else is sent on the topic, or it was cut"};
}

template <class Message>
Error decode_message(const void* data, std::size_t size, std::size_t least, const char* name,
                     Message& message) {
    const auto* bytes = static_cast<const std::uint8_t*>(data);
    if (size < header_size) return too_short(size, least, name);
    if (bytes[0] != 0 || bytes[1] > 1) {
        return {ErrorCode::unknown_encapsulation,
                std::string("a ") + name + " begins with the bytes 0 and 0 or 1 (plain CDR), this with " +
                    std::to_string(bytes[0]) + " and " + std::to_string(bytes[1]) +
                    ": the sender's type has to be final, without parameter lists"};
    }
    if (size < least) return too_short(size, least, name);
    const auto order = static_cast<ByteOrder>(bytes[1]);
    Message read;
    Error error;
    std::size_t at = header_size;
    fields(read, [&](auto& field, const char* field_name) {
        using Field = std::remove_reference_t<decltype(field)>;
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < sizeof field; ++i) {
            value |= std::uint64_t{bytes[at + place(i, sizeof field, order)]} << (8 * i);
        }
        at += sizeof field;
        if (std::is_same_v<Field, bool> && value > 1 && !error) {
            error = {ErrorCode::bad_boolean,
                     std::string(field_name) + " has to be 0 or 1, not " + std::to_string(value)};
        }
        field = static_cast<Field>(value);
    });
    if (!error) message = read;
    return error;
}

}  // namespace

std::array<std::uint8_t, setpoint_config_size> encode(const SetpointConfig& message,
                                                      ByteOrder order) noexcept {
    return encode_message<setpoint_config_size>(message, order);
}

std::array<std::uint8_t, setpoint_config_reply_size> encode(const SetpointConfigReply& message,
                                                            ByteOrder order) noexcept {
    return encode_message<setpoint_config_reply_size>(message, order);
}

Error decode(const void* data, std::size_t size, SetpointConfig& message) {
    return decode_message(data, size, setpoint_config_size, "SetpointConfig", message);
}

Error decode(const void* data, std::size_t size, SetpointConfigReply& message) {
    return decode_message(data, size, setpoint_config_reply_size, "SetpointConfigReply", message);
}

}  // namespace px4_setpoint
