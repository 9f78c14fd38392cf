// px4_frames.cpp - our side of the comparison with another MAVLink implementation, as lines of JSON:
//   px4_frames write   writes frames of every message with several sets of values
//   px4_frames read    reads such lines from the other side, and says which of them come out otherwise here
// Integers of 64 bits are texts: JavaScript's numbers do not hold them.
#include <cstdio>
#include <iostream>
#include <string>

#include "vectors.hpp"

namespace {

using namespace px4_hil;

enum class Set { zeros, counting, least, most };

template <class Number>
Json number_for(Set set, int i) {
    using Limits = std::numeric_limits<Number>;
    switch (set) {
        case Set::zeros:
            return Number{};
        case Set::counting:
            return static_cast<Number>(i + 1);
        case Set::least:
            return Limits::lowest();
        case Set::most:
            return Limits::max();
    }
    return nullptr;
}

Json value_for(const FieldInfo& field, Set set, int i) {
    switch (field.type) {
        case FieldType::u8:
            return number_for<std::uint8_t>(set, i);
        case FieldType::u16:
            return number_for<std::uint16_t>(set, i);
        case FieldType::i16:
            return number_for<std::int16_t>(set, i);
        case FieldType::u32:
            return number_for<std::uint32_t>(set, i);
        case FieldType::i32:
            return number_for<std::int32_t>(set, i);
        case FieldType::u64:
            return number_for<std::uint64_t>(set, i);
        case FieldType::i64:
            return number_for<std::int64_t>(set, i);
        case FieldType::f32:
            return set == Set::counting ? Json(-0.25 * (i + 1))
                   : set == Set::zeros  ? Json(0.0)
                                        : number_for<float>(set, i);
        case FieldType::text:
            break;
    }
    const std::size_t length = set == Set::zeros  ? 0
                               : set == Set::most ? field.count
                                                  : 3 + static_cast<std::size_t>(i) % 3;
    return std::string(length, static_cast<char>('A' + i % 26));
}

Json fields_for(const MessageInfo& info, Set set) {
    Json fields = Json::object();
    int i = 0;
    for (const FieldInfo& field : info) {
        Json& value = fields[std::string(field.name)];
        if (field.count == 0 || field.type == FieldType::text) {
            value = value_for(field, set, i++);
        } else {
            for (int k = 0; k < field.count; ++k) value.push_back(value_for(field, set, i++));
        }
    }
    return fields;
}

/// 64 bits as texts, and back.
Json for_javascript(const MessageInfo& info, Json fields) {
    for (const FieldInfo& field : info) {
        Json& value = fields[std::string(field.name)];
        if (field.type == FieldType::u64 || field.type == FieldType::i64) value = value.dump();
    }
    return fields;
}

Json from_javascript(const MessageInfo& info, Json fields) {
    for (const FieldInfo& field : info) {
        Json& value = fields[std::string(field.name)];
        if (field.type == FieldType::u64 || field.type == FieldType::i64)
            value = Json::parse(value.get<std::string>());
    }
    return fields;
}

SigningKey key() {
    SigningKey key{};
    for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<unsigned char>(i);
    return key;
}

void write() {
    for (const MessageInfo& info : all_messages()) {
        for (const Set set : {Set::zeros, Set::counting, Set::least, Set::most}) {
            for (int version = 1; version <= 3; ++version) {  // 3: version 2, signed
                FrameEncoder encoder({17, 18}, version == 1 ? MavlinkVersion::v1 : MavlinkVersion::v2);
                encoder.set_sequence(19);
                if (version == 3) encoder.sign(key(), 4, 18838586676582);
                const Json fields = fields_for(info, set);
                const AnyMessage message = message_from(info, fields);
                const EncodedFrame frame = encoder.encode(info, message.bytes);
                if (frame.size() == 0) continue;  // no such id in version 1
                std::cout << Json{{"name", info.name},
                                  {"id", info.id},
                                  {"version", version},
                                  {"hex", to_hex(frame.data(), frame.size())},
                                  {"fields", for_javascript(info, fields)}}
                          << '\n';
            }
        }
    }
}

int read() {
    int frames = 0, wrong = 0;
    for (std::string line; std::getline(std::cin, line); ++frames) {
        const Json given = Json::parse(line);
        Parser parser;
        if (given["version"] == 3) parser.require_signature(key(), 0);
        const Bytes bytes = from_hex(given["hex"]);
        const MessageInfo& info = *find_message(given["id"].get<std::uint32_t>());
        bool same = false;
        parser.parse(bytes.data(), bytes.size(), {}, [&](const Frame& frame) {
            AnyMessage got, expected = message_from(info, from_javascript(info, given["fields"]));
            read_payload(info, frame.payload.data(), frame.payload_size, got.bytes);
            for (const FieldInfo& field : info) {
                // Version 1 has no extensions; node-mavlink sends them all the same.
                if (given["version"] == 1 && field.extension)
                    std::memcpy(expected.bytes + field.member, got.bytes + field.member, field.size());
            }
            same = frame.info == &info && std::memcmp(got.bytes, expected.bytes, info.struct_size) == 0;
        });
        if (same) continue;
        ++wrong;
        std::cout << "reads otherwise here: " << line << '\n';
    }
    std::cout << frames << " frames read, " << wrong << " otherwise than meant\n";
    return frames > 0 && wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string mode = argc == 2 ? argv[1] : "";
    if (mode == "read") return read();
    if (mode != "write") return std::puts("usage: px4_frames write | read"), 2;
    write();
    return 0;
}
