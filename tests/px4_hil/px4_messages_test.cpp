// px4_messages_test.cpp - the MAVLink layer against the test vectors: checksum, table, and every frame both ways.
#include <gmock/gmock.h>

#include <set>

#include "vectors.hpp"

namespace px4_hil {
namespace {

std::uint16_t hex_number(const Json& value) {
    return static_cast<std::uint16_t>(std::stoul(value.get<std::string>(), nullptr, 16));
}

TEST(Px4Messages, ChecksumsAreThoseOfTheVectors) {
    ASSERT_FALSE(vectors()["crc"].empty());
    for (const Json& each : vectors()["crc"]) {
        const Bytes input = from_hex(each["input_hex"]);
        EXPECT_EQ(crc16(input.data(), input.size()), hex_number(each["crc"])) << each;
    }
}

TEST(Px4Messages, TableIsThatOfTheVectors) {
    std::set<std::uint32_t> ids;
    for (const Json& each : vectors()["crc_extra"]) {
        SCOPED_TRACE(each.dump());
        const MessageInfo* const info = find_message(each["msgid"].get<std::uint32_t>());
        ASSERT_NE(info, nullptr);
        ids.insert(info->id);
        EXPECT_EQ(info, find_message(std::string_view(each["message"].get_ref<const std::string&>())));
        EXPECT_EQ(info->crc_extra, each["crc_extra"]);
        EXPECT_EQ(info->base_size, each["min_len"]);
        EXPECT_EQ(info->full_size, each["max_len"]);
    }
    for (const MessageInfo& info : all_messages()) EXPECT_EQ(ids.count(info.id), 1U) << info.name;
    EXPECT_EQ(find_message(12345U), nullptr);
    EXPECT_EQ(find_message("NO_SUCH_MESSAGE"), nullptr);
}

class Px4Frame : public testing::TestWithParam<Json> {
  protected:
    const Json& vector() const { return GetParam(); }
    const MessageInfo& info() const { return *find_message(vector()["msgid"].get<std::uint32_t>()); }
};

TEST_P(Px4Frame, IsEncodedByteForByte) {
    const AnyMessage message = message_from(info(), vector()["fields"]);
    FrameEncoder encoder({vector()["sysid"], vector()["compid"]},
                         vector()["protocol"] == 1 ? MavlinkVersion::v1 : MavlinkVersion::v2);
    encoder.set_sequence(vector()["seq"]);
    if (vector().contains("signing")) {
        const Json& signing = vector()["signing"];
        const Bytes bytes = from_hex(signing["secret_key_hex"]);
        SigningKey key{};
        std::copy(bytes.begin(), bytes.end(), key.begin());
        encoder.sign(key, signing["link_id"], signing["timestamp_10us"]);
    }
    const EncodedFrame frame = encoder.encode(info(), message.bytes);
    EXPECT_EQ(to_hex(frame.data(), frame.size()), vector()["frame_hex"]);
}

TEST_P(Px4Frame, IsDecodedFieldByField) {
    Parser parser;
    if (vector().contains("signing")) {
        const Bytes bytes = from_hex(vector()["signing"]["secret_key_hex"]);
        SigningKey key{};
        std::copy(bytes.begin(), bytes.end(), key.begin());
        parser.require_signature(key, 0);
    }
    const Bytes bytes = from_hex(vector()["frame_hex"]);
    int frames = 0;
    parser.parse(bytes.data(), bytes.size(), {}, [&](const Frame& frame) {
        ++frames;
        EXPECT_EQ(frame.info, &info());
        EXPECT_EQ(frame.version == MavlinkVersion::v1 ? 1 : 2, vector()["protocol"]);
        EXPECT_EQ(frame.sequence, vector()["seq"]);
        EXPECT_EQ(frame.sender.system, vector()["sysid"]);
        EXPECT_EQ(frame.sender.component, vector()["compid"]);
        EXPECT_EQ(frame.payload_size, vector()["payload_len"]);
        AnyMessage decoded;
        read_payload(info(), frame.payload.data(), frame.payload_size, decoded.bytes);
        const AnyMessage expected = message_from(info(), vector()["fields"]);
        EXPECT_EQ(to_hex(decoded.bytes, info().struct_size), to_hex(expected.bytes, info().struct_size))
            << fields_of(info(), decoded.bytes);
    });
    EXPECT_EQ(frames, 1);
}

INSTANTIATE_TEST_SUITE_P(Vectors, Px4Frame, testing::ValuesIn(vectors()["frames"].get<std::vector<Json>>()),
                         [](const auto& test) { return test.param["id"].template get<std::string>(); });

TEST(Px4Messages, EveryMessageComesBackAsItWas) {
    // Bytes that no two fields share, so that a field exchanged with another shows.
    for (const MessageInfo& info : all_messages()) {
        for (const auto version : {MavlinkVersion::v1, MavlinkVersion::v2}) {
            SCOPED_TRACE(info.name);
            unsigned char payload[max_payload];
            for (std::size_t i = 0; i < info.full_size; ++i) payload[i] = static_cast<unsigned char>(i + 1);
            AnyMessage message;
            read_payload(info, payload, info.full_size, message.bytes);
            const EncodedFrame frame = FrameEncoder({7, 8}, version).encode(info, message.bytes);
            if (version == MavlinkVersion::v1 && info.id > 255) {
                EXPECT_EQ(frame.size(), 0U);
                continue;
            }
            Parser parser;
            std::string got;
            parser.parse(frame.data(), frame.size(), {},
                         [&](const Frame& each) { got = to_hex(each.payload.data(), each.payload_size); });
            EXPECT_EQ(got, to_hex(payload, version == MavlinkVersion::v1 ? info.base_size : info.full_size));
        }
    }
}

TEST(Px4Messages, TypedAccessAsksForTheRightMessage) {
    FrameEncoder encoder({1, 1});
    StatusText text;
    text.text = "a text of just fifty characters, without an end 50";
    text.severity = 4;
    const EncodedFrame frame = encoder.encode(text);
    Parser parser;
    int frames = 0;
    parser.parse(frame.data(), frame.size(), {}, [&](const Frame& each) {
        ++frames;
        EXPECT_FALSE(each.as<Heartbeat>());
        ASSERT_TRUE(each.as<StatusText>());
        EXPECT_EQ(each.as<StatusText>()->text.view(), text.text.view());
        EXPECT_EQ(each.as<StatusText>()->text.view().size(), 50U);
    });
    EXPECT_EQ(frames, 1);
    EXPECT_FALSE(Frame().as<Heartbeat>());
}

TEST(Px4Messages, IntegerParametersKeepTheirBytes) {
    for (const std::int32_t value : {0, 1, -1, 2000000000, -2000000000})
        EXPECT_EQ(integer_parameter(integer_parameter(value)), value);
    // A NaN on the way must keep its bits.
    ParamValue value;
    value.param_value = integer_parameter(0x7f800001);
    const EncodedFrame frame = FrameEncoder({1, 1}).encode(value);
    Parser parser;
    std::int32_t got = 0;
    parser.parse(frame.data(), frame.size(), {}, [&](const Frame& each) {
        ParamValue back;
        read_payload(*each.info, each.payload.data(), each.payload_size, &back);
        got = integer_parameter(back.param_value);
    });
    EXPECT_EQ(got, 0x7f800001);
}

}  // namespace
}  // namespace px4_hil
