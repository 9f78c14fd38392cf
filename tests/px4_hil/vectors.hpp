// vectors.hpp - reads the test vectors in data/vectors.json, and turns the fields they list into messages and back.
#pragma once

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <px4_hil/frame.hpp>
#include <px4_hil/parser.hpp>
#include <string>
#include <vector>

using Json = nlohmann::json;
using Bytes = std::vector<unsigned char>;

inline const Json& vectors() {
    static const Json all = Json::parse(std::ifstream(TEST_DATA "vectors.json"));
    return all;
}

inline Bytes from_hex(const std::string& hex) {
    Bytes bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        bytes.push_back(static_cast<unsigned char>(std::stoul(hex.substr(i, 2), nullptr, 16)));
    return bytes;
}

inline std::string to_hex(const unsigned char* data, std::size_t size) {
    std::string hex;
    for (std::size_t i = 0; i < size; ++i) {
        constexpr const char* digits = "0123456789abcdef";
        hex += digits[data[i] >> 4];
        hex += digits[data[i] & 15];
    }
    return hex;
}

/// Storage for any of the structs of messages.hpp.
struct AnyMessage {
    alignas(8) unsigned char bytes[512] = {};
};

/// A float of the vectors: a number, "nan", or "bits:0x...".
inline float to_float(const Json& value) {
    if (value.is_number()) return value.get<float>();
    std::uint32_t bits = 0x7fc00000;
    const std::string text = value.get<std::string>();
    if (text.rfind("bits:", 0) == 0)
        bits = static_cast<std::uint32_t>(std::stoul(text.substr(5), nullptr, 16));
    float result = 0;
    std::memcpy(&result, &bits, sizeof result);
    return result;
}

template <class Number>
void put_number(unsigned char* to, Number number) {
    std::memcpy(to, &number, sizeof number);
}

template <class Number>
Number get_number(const unsigned char* from) {
    Number number;
    std::memcpy(&number, from, sizeof number);
    return number;
}

inline void put_element(px4_hil::FieldType type, const Json& value, unsigned char* to) {
    using px4_hil::FieldType;
    switch (type) {
        case FieldType::u8:
            return put_number(to, value.get<std::uint8_t>());
        case FieldType::u16:
            return put_number(to, value.get<std::uint16_t>());
        case FieldType::i16:
            return put_number(to, value.get<std::int16_t>());
        case FieldType::u32:
            return put_number(to, value.get<std::uint32_t>());
        case FieldType::i32:
            return put_number(to, value.get<std::int32_t>());
        case FieldType::u64:
            return put_number(to, value.get<std::uint64_t>());
        case FieldType::i64:
            return put_number(to, value.get<std::int64_t>());
        case FieldType::f32:
            return put_number(to, to_float(value));
        case FieldType::text:
            break;
    }
}

inline Json get_element(px4_hil::FieldType type, const unsigned char* from) {
    using px4_hil::FieldType;
    switch (type) {
        case FieldType::u8:
            return *from;
        case FieldType::u16:
            return get_number<std::uint16_t>(from);
        case FieldType::i16:
            return get_number<std::int16_t>(from);
        case FieldType::u32:
            return get_number<std::uint32_t>(from);
        case FieldType::i32:
            return get_number<std::int32_t>(from);
        case FieldType::u64:
            return get_number<std::uint64_t>(from);
        case FieldType::i64:
            return get_number<std::int64_t>(from);
        case FieldType::f32:
            return get_number<float>(from);
        case FieldType::text:
            break;
    }
    return nullptr;
}

/// Fields that are not listed are 0.
inline AnyMessage message_from(const px4_hil::MessageInfo& info, const Json& fields) {
    AnyMessage message;
    for (const px4_hil::FieldInfo& field : info) {
        if (!fields.contains(field.name)) continue;
        const Json& value = fields[std::string(field.name)];
        unsigned char* const to = message.bytes + field.member;
        if (field.type == px4_hil::FieldType::text) {
            const std::string text = value.get<std::string>();
            std::memcpy(to, text.data(), std::min<std::size_t>(text.size(), field.count));
        } else if (field.count == 0) {
            put_element(field.type, value, to);
        } else {
            for (std::size_t i = 0; i < field.count; ++i)
                put_element(field.type, value.at(i), to + i * px4_hil::size_of(field.type));
        }
    }
    return message;
}

/// What message_from() takes; floats that are not finite come as their bits.
inline Json fields_of(const px4_hil::MessageInfo& info, const void* message) {
    Json fields = Json::object();
    for (const px4_hil::FieldInfo& field : info) {
        const auto* const from = static_cast<const unsigned char*>(message) + field.member;
        Json& value = fields[std::string(field.name)];
        if (field.type == px4_hil::FieldType::text) {
            const char* const text = reinterpret_cast<const char*>(from);
            value = std::string(text, strnlen(text, field.count));
        } else if (field.count == 0) {
            value = get_element(field.type, from);
        } else {
            for (std::size_t i = 0; i < field.count; ++i)
                value.push_back(get_element(field.type, from + i * px4_hil::size_of(field.type)));
        }
    }
    return fields;
}
