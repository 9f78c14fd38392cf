// coptersim_messages_test.cpp - the four datagrams, byte by byte.
#include <gmock/gmock.h>

#include <coptersim/messages.hpp>
#include <cstring>
#include <limits>
#include <random>

#include "vectors.hpp"

namespace {

using coptersim::ErrorCode;
using coptersim::Heartbeat;
using coptersim::InitialiseRequest;
using coptersim::SelectBytes;
using coptersim::SelectRequest;
using coptersim::Wake;

std::string encoded(const SelectRequest& request) {
    SelectBytes bytes{};
    const auto error = encode(request, bytes);
    EXPECT_FALSE(error) << error.message();
    return to_hex(bytes);
}

/// A message's own bytes, read and written again, are the same; with any other length or checksum it is refused.
template <class Message, class Encode>
void expect_reads_back(const std::string& hex, Encode encode_message) {
    const std::string bytes = from_hex(hex);
    Message message{};
    ASSERT_EQ(decode(bytes.data(), bytes.size(), message), ErrorCode::ok) << hex;
    EXPECT_EQ(encode_message(message), hex);
    std::string longer = bytes + '\0';
    for (std::size_t size = 0; size <= longer.size(); ++size) {
        if (size == bytes.size()) continue;
        EXPECT_EQ(decode(longer.data(), size, message), ErrorCode::wrong_length) << size;
    }
    EXPECT_EQ(decode(nullptr, 0, message), ErrorCode::wrong_length);
    for (std::size_t bit = 0; bit < 32; ++bit) {
        std::string wrong = bytes;
        wrong[bit / 8] = static_cast<char>(wrong[bit / 8] ^ 1 << bit % 8);
        EXPECT_EQ(decode(wrong.data(), wrong.size(), message), ErrorCode::wrong_checksum) << bit;
    }
    EXPECT_EQ(encode_message(message), hex) << "an error left something behind";
}

TEST(Messages, VectorsAreThere) {
    EXPECT_EQ(vectors()["init_messages"].size(), 13U);
    EXPECT_EQ(vectors()["command_messages"].size(), 8U);
    EXPECT_EQ(vectors()["heartbeats"].size(), 7U);
    EXPECT_EQ(vectors()["wake_requests"].size(), 3U);
}

TEST(Messages, InitialiseRequestsReadBack) {
    for (const auto& vector : vectors()["init_messages"])
        expect_reads_back<InitialiseRequest>(vector["hex"],
                                             [](const InitialiseRequest& m) { return to_hex(encode(m)); });
}

TEST(Messages, SelectRequestsReadBack) {
    for (const auto& vector : vectors()["command_messages"])
        expect_reads_back<SelectRequest>(vector["hex"], encoded);
}

TEST(Messages, WakeRequests) {
    for (const auto& vector : vectors()["wake_requests"]) {
        const Wake wake = vector["args"]["kind"] == "same_subnet" ? Wake::same_subnet : Wake::other_subnet;
        EXPECT_EQ(to_hex(encode(wake)), vector["hex"]);
        expect_reads_back<Wake>(vector["hex"], [](Wake m) { return to_hex(encode(m)); });
    }
}

TEST(Messages, Heartbeats) {
    int accepted = 0;
    for (const auto& vector : vectors()["heartbeats"]) {
        const std::string bytes = from_hex(vector["hex"]);
        Heartbeat beat;
        const ErrorCode code = decode(bytes.data(), bytes.size(), beat);
        ASSERT_EQ(code == ErrorCode::ok, vector["accept"].get<bool>()) << vector["id"];
        if (code != ErrorCode::ok) {
            EXPECT_EQ(code, bytes.size() == 32 ? ErrorCode::wrong_checksum : ErrorCode::wrong_length);
            EXPECT_EQ(beat.id, 0) << "an error left something behind";
            continue;
        }
        ++accepted;
        const auto& fields = vector["fields"];
        EXPECT_EQ(beat.id, fields["copter_id"]);
        EXPECT_EQ(beat.start_time_ms, fields["sys_start_ms"]);
        EXPECT_EQ(beat.current_time_ms, fields["sys_current_ms"]);
        EXPECT_EQ(beat.count, fields["heart_count"]);
        expect_reads_back<Heartbeat>(vector["hex"], [](const Heartbeat& m) { return to_hex(encode(m)); });
    }
    EXPECT_EQ(accepted, 2);
}

TEST(Messages, AnyBytesBehindTheChecksumReadBack) {
    std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same in each run
    for (int i = 0; i < 2000; ++i) {
        auto bytes = from_hex(vectors()["init_messages"][0]["hex"]);
        for (std::size_t at = 4; at < bytes.size(); ++at) bytes[at] = static_cast<char>(random());
        InitialiseRequest request;
        ASSERT_EQ(decode(bytes.data(), bytes.size(), request), ErrorCode::ok);
        ASSERT_EQ(to_hex(encode(request)), to_hex(bytes));
    }
}

TEST(Messages, DatagramsNeedNoAlignment) {
    const std::string bytes = from_hex(vectors()["heartbeats"][0]["hex"]);
    for (std::size_t shift = 0; shift < 8; ++shift) {
        const std::string shifted = std::string(shift, 'x') + bytes;
        Heartbeat beat;
        ASSERT_EQ(decode(shifted.data() + shift, bytes.size(), beat), ErrorCode::ok);
        EXPECT_EQ(beat.id, 1);
    }
}

TEST(Messages, ANameThatDoesNotFitIsRefusedNotCut) {
    SelectRequest request;
    request.name = std::string(49, 'x');
    SelectBytes bytes{};
    bytes.fill(7);
    const auto error = encode(request, bytes);
    EXPECT_EQ(error.code(), ErrorCode::name_too_long);
    EXPECT_THAT(error.message(),
                testing::AllOf(testing::HasSubstr("49 bytes"), testing::HasSubstr(request.name)));
    EXPECT_THAT(bytes, testing::Each(7)) << "left untouched";
}

TEST(Messages, WhatStandsBehindTheNamesZeroIsIgnored) {
    std::string bytes = from_hex(vectors()["command_messages"][0]["hex"]);
    bytes.back() = 'x';
    SelectRequest request;
    ASSERT_EQ(decode(bytes.data(), bytes.size(), request), ErrorCode::ok);
    EXPECT_EQ(request.name, "MulticopterNoCtrl");
}

TEST(Messages, EveryErrorHasAName) {
    for (int code = 0; code <= static_cast<int>(ErrorCode::closed); ++code)
        EXPECT_STRNE(to_string(static_cast<ErrorCode>(code)), "unknown") << code;
    EXPECT_STREQ(to_string(static_cast<ErrorCode>(200)), "unknown");
    EXPECT_FALSE(coptersim::Error());
}

}  // namespace
