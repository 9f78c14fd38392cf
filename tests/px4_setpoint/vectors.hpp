// vectors.hpp - the test vectors of the dialogue, read from data/vectors.json.
#pragma once

#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "px4_setpoint/px4_setpoint.hpp"

namespace px4_setpoint {

inline const nlohmann::json& vectors() {
    static const auto all = nlohmann::json::parse(std::ifstream(TEST_DATA "vectors.json"));
    return all;
}

inline std::vector<std::uint8_t> from_hex(const std::string& text) {
    std::vector<std::uint8_t> bytes;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
        bytes.push_back(static_cast<std::uint8_t>(std::stoul(text.substr(i, 2), nullptr, 16)));
    }
    return bytes;
}

template <class Bytes>
std::string to_hex(const Bytes& bytes) {
    std::string text;
    for (const unsigned byte : bytes) {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

inline SetpointConfig request_of(const nlohmann::json& fields) {
    SetpointConfig message;
    message.timestamp = fields.at("timestamp");
    message.type = static_cast<SetpointType>(fields.at("type").get<unsigned>());
    message.source_id = fields.at("source_id");
    message.should_apply = fields.at("should_apply");
    message.timeout_ms = fields.at("timeout_ms");
    return message;
}

inline SetpointConfigReply reply_of(const nlohmann::json& fields) {
    SetpointConfigReply message;
    message.timestamp = fields.at("timestamp");
    message.type = static_cast<SetpointType>(fields.at("type").get<unsigned>());
    message.source_id = fields.at("source_id");
    message.result = static_cast<Result>(fields.at("result").get<unsigned>());
    message.mode_req_angular_velocity = fields.at("mode_req_angular_velocity");
    message.mode_req_attitude = fields.at("mode_req_attitude");
    message.mode_req_local_alt = fields.at("mode_req_local_alt");
    message.mode_req_local_position = fields.at("mode_req_local_position");
    return message;
}

inline ByteOrder order_of(const nlohmann::json& vector) {
    return vector.at("endian") == "little" ? ByteOrder::little : ByteOrder::big;
}

}  // namespace px4_setpoint
