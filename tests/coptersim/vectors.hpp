// vectors.hpp - the test vectors in data/vectors.json, for the tests that go through them.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

inline const nlohmann::json& vectors() {
    static const nlohmann::json document = [] {
        std::ifstream file(TEST_DATA "vectors.json");
        return nlohmann::json::parse(file, nullptr, false);
    }();
    return document;
}

/// The bytes that hexadecimal digits stand for.
inline std::string from_hex(const std::string& digits) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
        bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
    return bytes;
}

template <class Bytes>
std::string to_hex(const Bytes& bytes) {
    std::string digits;
    for (const auto byte : bytes) {
        const auto value = static_cast<unsigned char>(byte);
        digits += "0123456789abcdef"[value >> 4];
        digits += "0123456789abcdef"[value & 15];
    }
    return digits;
}
