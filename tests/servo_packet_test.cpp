// servo_packet_test.cpp - decode(): every byte has its place, and nothing but a servo packet is taken for
// one.
#include <gmock/gmock.h>

#include <ap_json/servo_packet.hpp>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace {

using ap_json::decode;
using ap_json::ErrorCode;
using ap_json::ServoPacket;

std::vector<unsigned char> bytes_of(unsigned magic, unsigned rate, std::uint32_t count,
                                    std::size_t channels) {
    std::vector<unsigned char> bytes = {
        static_cast<unsigned char>(magic),       static_cast<unsigned char>(magic >> 8),
        static_cast<unsigned char>(rate),        static_cast<unsigned char>(rate >> 8),
        static_cast<unsigned char>(count),       static_cast<unsigned char>(count >> 8),
        static_cast<unsigned char>(count >> 16), static_cast<unsigned char>(count >> 24)};
    for (std::size_t i = 0; i < channels; ++i) {
        const auto pwm = static_cast<unsigned>(1000 + 37 * i);
        bytes.push_back(static_cast<unsigned char>(pwm));
        bytes.push_back(static_cast<unsigned char>(pwm >> 8));
    }
    return bytes;
}

TEST(ServoPacket, DecodesSixteenChannels) {
    const auto bytes = bytes_of(18458, 1200, 0x89ABCDEF, 16);
    ServoPacket packet;
    ASSERT_EQ(decode(bytes.data(), bytes.size(), packet), ErrorCode::ok);
    EXPECT_EQ(packet.frame_rate, 1200);
    EXPECT_EQ(packet.frame_count, 0x89ABCDEFU);
    EXPECT_EQ(packet.channels, 16);
    for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(packet.pwm[i], 1000 + 37 * i);
    for (std::size_t i = 16; i < 32; ++i) EXPECT_EQ(packet.pwm[i], 0);
}

TEST(ServoPacket, DecodesThirtyTwoChannels) {
    const auto bytes = bytes_of(29569, 65535, 0xFFFFFFFF, 32);
    ServoPacket packet;
    ASSERT_EQ(decode(bytes.data(), bytes.size(), packet), ErrorCode::ok);
    EXPECT_EQ(packet.frame_rate, 65535);
    EXPECT_EQ(packet.frame_count, 0xFFFFFFFFU);
    EXPECT_EQ(packet.channels, 32);
    for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(packet.pwm[i], 1000 + 37 * i);
}

TEST(ServoPacket, FewerChannelsClearTheOnesBefore) {
    const auto many = bytes_of(29569, 1, 1, 32);
    const auto few = bytes_of(18458, 1, 2, 16);
    ServoPacket packet;
    ASSERT_EQ(decode(many.data(), many.size(), packet), ErrorCode::ok);
    ASSERT_EQ(decode(few.data(), few.size(), packet), ErrorCode::ok);
    EXPECT_EQ(packet.pwm[31], 0);
    EXPECT_EQ(packet.channels, 16);
}

TEST(ServoPacket, NeedsNoAlignment) {
    const auto bytes = bytes_of(29569, 400, 7, 32);
    std::vector<unsigned char> shifted(bytes.size() + 1);
    std::memcpy(shifted.data() + 1, bytes.data(), bytes.size());
    ServoPacket packet;
    ASSERT_EQ(decode(shifted.data() + 1, bytes.size(), packet), ErrorCode::ok);
    EXPECT_EQ(packet.pwm[31], 1000 + 37 * 31);
}

TEST(ServoPacket, NumbersServosAsArduPilotDoes) {
    const auto bytes = bytes_of(18458, 1, 1, 16);
    ServoPacket packet;
    ASSERT_EQ(decode(bytes.data(), bytes.size(), packet), ErrorCode::ok);
    EXPECT_EQ(packet.servo(1), packet.pwm[0]);
    EXPECT_EQ(packet.servo(16), packet.pwm[15]);
    EXPECT_EQ(packet.servo(17), 0);
    for (int outside : {0, -1, 33, 1000, -2147483647}) EXPECT_EQ(packet.servo(outside), 0) << outside;
}

/// For every length and both magics: right, or a named error that touches nothing.
TEST(ServoPacket, RefusesEveryOtherLength) {
    for (unsigned magic : {18458U, 29569U}) {
        for (std::size_t size = 0; size <= 200; ++size) {
            auto bytes = bytes_of(magic, 1, 1, 100);
            bytes.resize(size);
            const bool right = size == (magic == 18458 ? 40U : 72U);
            ServoPacket packet;
            packet.frame_count = 77;
            const ErrorCode code = decode(bytes.data(), size, packet);
            EXPECT_EQ(code, right ? ErrorCode::ok : ErrorCode::wrong_length) << magic << " " << size;
            EXPECT_EQ(packet.frame_count, right ? 1U : 77U);
        }
    }
    ServoPacket packet;
    EXPECT_EQ(decode(nullptr, 0, packet), ErrorCode::wrong_length);
}

TEST(ServoPacket, RefusesEveryOtherMagic) {
    for (std::size_t channels : {16U, 32U}) {
        for (unsigned magic = 0; magic < 65536; ++magic) {
            const auto bytes = bytes_of(magic, 1, 1, channels);
            ServoPacket packet;
            packet.frame_count = 77;
            const ErrorCode code = decode(bytes.data(), bytes.size(), packet);
            const bool servo_magic = magic == 18458 || magic == 29569;
            const bool right = magic == (channels == 16 ? 18458U : 29569U);
            ASSERT_EQ(code, right         ? ErrorCode::ok
                            : servo_magic ? ErrorCode::wrong_length
                                          : ErrorCode::wrong_magic)
                << magic << " " << channels;
            ASSERT_EQ(packet.frame_count, right ? 1U : 77U);
        }
    }
}

TEST(ServoPacket, RandomBytesNeverMatterBeyondTheirLength) {
    std::mt19937 random(1);
    for (int round = 0; round < 20000; ++round) {
        std::vector<unsigned char> bytes(random() %
                                         100);  // exactly sized, so that a sanitizer sees a read beyond
        for (auto& byte : bytes) byte = static_cast<unsigned char>(random());
        ServoPacket packet;
        const ErrorCode code = decode(bytes.data(), bytes.size(), packet);
        EXPECT_THAT(code, testing::AnyOf(ErrorCode::wrong_length, ErrorCode::wrong_magic));
    }
}

TEST(ErrorCodes, EachHasItsName) {
    // In the order of the enumeration.
    const char* names[] = {"ok",
                           "wrong_length",
                           "wrong_magic",
                           "not_finite",
                           "out_of_range",
                           "not_normalised",
                           "incomplete",
                           "buffer_too_small",
                           "bad_option",
                           "address_unavailable",
                           "port_busy",
                           "system_error",
                           "not_open",
                           "no_autopilot",
                           "already_answered",
                           "time_not_advanced",
                           "time_went_back",
                           "time_jumped",
                           "not_sent"};
    int code = 0;
    for (const char* name : names) EXPECT_STREQ(to_string(static_cast<ErrorCode>(code++)), name);
    EXPECT_EQ(code, static_cast<int>(ErrorCode::not_sent) + 1);
    EXPECT_STREQ(to_string(static_cast<ErrorCode>(200)), "unknown");
}

TEST(Errors, AreFalseWhenAllIsWellAndKeepTheirTextWhenCopied) {
    const ap_json::Error none;
    EXPECT_FALSE(none);
    EXPECT_STREQ(none.message(), "");
    ap_json::Error error(ErrorCode::port_busy, "busy");
    EXPECT_TRUE(error);
    const ap_json::Error copy = error;
    error = none;
    EXPECT_FALSE(error);
    EXPECT_STREQ(error.message(), "");
    EXPECT_STREQ(copy.message(), "busy");
    EXPECT_EQ(copy.code(), ErrorCode::port_busy);
}

TEST(Errors, CutALongText) {
    const std::size_t longest = ap_json::Error::capacity - 1;
    for (std::size_t length : {std::size_t{0}, longest - 1, longest, longest + 1, std::size_t{1000}}) {
        std::string text;
        for (std::size_t i = 0; i < length; ++i) text += static_cast<char>('a' + i % 26);
        const ap_json::Error error(ErrorCode::bad_option, text.c_str());
        EXPECT_EQ(error.message(), text.substr(0, longest)) << length;
    }
}

}  // namespace
