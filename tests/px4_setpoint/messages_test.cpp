// messages_test.cpp - the bytes, the names and the table, against the test vectors.
#include <gmock/gmock.h>

#include <set>

#include "vectors.hpp"

namespace px4_setpoint {
namespace {

using testing::HasSubstr;
using testing::StrNe;

template <class Message>
void expect_both_ways(const nlohmann::json& vector, const Message& message) {
    SCOPED_TRACE(vector.at("id").get<std::string>());
    EXPECT_EQ(to_hex(encode(message, order_of(vector))), vector.at("cdr_hex"));
    const auto bytes = from_hex(vector.at("cdr_hex"));
    Message read;
    ASSERT_FALSE(decode(bytes.data(), bytes.size(), read));
    EXPECT_EQ(encode(read), encode(message));
}

TEST(Cdr, RequestsBothWays) {
    for (const auto& vector : vectors().at("requests"))
        expect_both_ways(vector, request_of(vector.at("fields")));
}

TEST(Cdr, RepliesBothWays) {
    for (const auto& vector : vectors().at("replies"))
        expect_both_ways(vector, reply_of(vector.at("fields")));
}

TEST(Cdr, MalformedBytes) {
    for (const auto& vector : vectors().at("malformed")) {
        SCOPED_TRACE(vector.at("why").get<std::string>());
        const auto bytes = from_hex(vector.at("cdr_hex"));
        SetpointConfig request;
        SetpointConfigReply reply;
        const auto error = vector.at("kind") == "reply" ? decode(bytes.data(), bytes.size(), reply)
                                                        : decode(bytes.data(), bytes.size(), request);
        EXPECT_EQ(!error, vector.value("accept", false)) << error.message();
    }
}

TEST(Cdr, EveryCutIsTooShort) {
    const auto bytes = encode(SetpointConfigReply{});
    const auto short_bytes = encode(SetpointConfig{});
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        SetpointConfigReply reply;
        reply.source_id = 99;
        EXPECT_EQ(decode(bytes.data(), size, reply).code(), ErrorCode::too_short) << size;
        EXPECT_EQ(reply.source_id, 99) << "changed by an error";
    }
    for (std::size_t size = 0; size < short_bytes.size(); ++size) {
        SetpointConfig request;
        EXPECT_EQ(decode(short_bytes.data(), size, request).code(), ErrorCode::too_short) << size;
    }
}

TEST(Cdr, EveryEncapsulationButTwoIsRefused) {
    auto bytes = encode(SetpointConfigReply{});
    for (unsigned first = 0; first < 256; ++first) {
        for (unsigned second = 0; second < 256; ++second) {
            bytes[0] = static_cast<std::uint8_t>(first);
            bytes[1] = static_cast<std::uint8_t>(second);
            SetpointConfigReply reply;
            const auto expected =
                first == 0 && second <= 1 ? ErrorCode::ok : ErrorCode::unknown_encapsulation;
            ASSERT_EQ(decode(bytes.data(), bytes.size(), reply).code(), expected) << first << " " << second;
        }
    }
}

TEST(Cdr, TheOptionsOfTheHeaderAreIgnored) {
    auto bytes = encode(SetpointConfig{0, SetpointType::rates, 23, true, 7});
    bytes[2] = bytes[3] = 0xff;
    SetpointConfig read;
    ASSERT_FALSE(decode(bytes.data(), bytes.size(), read));
    EXPECT_EQ(read.timeout_ms, 7);
}

TEST(Cdr, EveryBooleanIsCheckedAndNamed) {
    const std::pair<std::size_t, const char*> flags[] = {{16, "mode_req_angular_velocity"},
                                                         {17, "mode_req_attitude"},
                                                         {18, "mode_req_local_alt"},
                                                         {19, "mode_req_local_position"}};
    for (const auto& [at, name] : flags) {
        auto bytes = encode(SetpointConfigReply{});
        bytes[at] = 2;
        SetpointConfigReply reply;
        const auto error = decode(bytes.data(), bytes.size(), reply);
        EXPECT_EQ(error.code(), ErrorCode::bad_boolean);
        EXPECT_THAT(error.message(), HasSubstr(name));
    }
    auto bytes = encode(SetpointConfig{});
    bytes[15] = 255;
    SetpointConfig request;
    EXPECT_THAT(decode(bytes.data(), bytes.size(), request).message(),
                HasSubstr("should_apply has to be 0 or 1, not 255"));
}

TEST(SetpointTypes, TheTableIsPx4s) {
    ASSERT_EQ(vectors().at("result_table").size(), 120U);
    for (const auto& row : vectors().at("result_table")) {
        SCOPED_TRACE(row.dump());
        const auto type = static_cast<SetpointType>(row.at("type").get<unsigned>());
        const Vehicle vehicle{static_cast<VehicleType>(row.at("vehicle_type").get<unsigned>()),
                              row.at("is_vtol")};
        const auto result = static_cast<Result>(row.at("result").get<unsigned>());
        EXPECT_EQ(result_for(type, vehicle), result);
        EXPECT_EQ(result_for(type, vehicle, VtolRule::in_form_only),
                  static_cast<Result>(row.at("result_before_pr28510").get<unsigned>()));
        const auto* name = to_string(type);
        if (find(type) != nullptr) {
            EXPECT_EQ(name, row.at("name"));
        }
        const auto reply = answer({0, type, 23, false, 0}, {vehicle, VtolRule::in_any_form, 1}, 0);
        const auto& needs = row.at("mode_req");
        EXPECT_EQ(requirements_of(reply),
                  (Requirements{needs[0] == 1, needs[1] == 1, needs[2] == 1, needs[3] == 1}));
    }
}

TEST(SetpointTypes, NumbersOutsideOfTheTableAreUnknown) {
    for (const unsigned number : {0U, 17U, 18U, 256U, 257U, 65535U}) {
        const auto type = static_cast<SetpointType>(number);
        EXPECT_EQ(find(type), nullptr) << number;
        EXPECT_EQ(result_for(type, {}), Result::unknown_setpoint_type) << number;
    }
    for (const unsigned number : {4U, 255U}) {
        EXPECT_EQ(result_for(SetpointType::multicopter_goto, {static_cast<VehicleType>(number), false}),
                  Result::unsupported);
        EXPECT_STREQ(to_string(static_cast<VehicleType>(number)), "unknown");
    }
    EXPECT_STREQ(to_string(SetpointType::invalid), "INVALID");
    EXPECT_STREQ(to_string(static_cast<SetpointType>(17)), "unknown");
}

TEST(SetpointTypes, AreFoundByName) {
    for (unsigned number = 1; number <= 16; ++number) {
        const auto* row = find(static_cast<SetpointType>(number));
        ASSERT_NE(row, nullptr);
        EXPECT_EQ(static_cast<unsigned>(row->type), number);
        EXPECT_EQ(find(row->name), row);
    }
    EXPECT_EQ(find("rover-speed-steering")->type, SetpointType::rover_speed_steering);
    for (const auto* name : {"", "TRAJ", "TRAJECTORYS", "INVALID", "17"})
        EXPECT_EQ(find(name), nullptr) << name;
}

TEST(SetpointTypes, RequirementsFollowFromTheControllers) {
    ControlFlags flags;
    EXPECT_EQ(requirements_of(flags), Requirements{});
    flags.climb_rate = true;
    EXPECT_TRUE(requirements_of(flags).local_altitude);
    flags = {};
    flags.velocity = true;
    EXPECT_TRUE(requirements_of(flags).local_position);
    const Requirements one{true, false, false, false};
    const Requirements other{false, false, true, false};
    EXPECT_EQ(one | other, (Requirements{true, false, true, false}));
    EXPECT_NE(one, other);
}

TEST(Texts, EachResultAndErrorHasItsOwn) {
    std::set<std::string> advices;
    for (unsigned number = 0; number <= 4; ++number) advices.insert(advice(static_cast<Result>(number)));
    EXPECT_EQ(advices.size(), 5U) << "each result has other advice, and so have unknown ones";
    EXPECT_STREQ(to_string(static_cast<Result>(2)), "UNSUPPORTED");
    EXPECT_STREQ(to_string(static_cast<Result>(9)), "unknown");
    std::set<std::string> names;
    for (unsigned number = 0; number <= static_cast<unsigned>(ErrorCode::transport); ++number) {
        names.insert(to_string(static_cast<ErrorCode>(number)));
    }
    EXPECT_EQ(names.size(), static_cast<unsigned>(ErrorCode::transport) + 1);
    EXPECT_EQ(names.count("unknown"), 0U);
    EXPECT_STREQ(to_string(static_cast<ErrorCode>(200)), "unknown");
}

TEST(Names, DdsTopics) {
    for (const auto& vector : vectors().at("topic_names")) {
        const auto topic_namespace =
            vector.at("namespace").is_null() ? "" : vector.at("namespace").get<std::string>();
        EXPECT_EQ(
            dds_topic(vector.at("topic").get<std::string>(), topic_namespace, vector.at("message_version")),
            vector.at("dds"));
    }
    EXPECT_EQ(dds_topic("/"), "rt/");
    EXPECT_EQ(dds_topic(""), "rt/");
}

TEST(Names, ZenohKeys) {
    const auto& zenoh = vectors().at("zenoh");
    EXPECT_EQ(zenoh_key(setpoint_config_topic, setpoint_config_type, setpoint_config_hash),
              zenoh.at("request_key"));
    EXPECT_EQ(zenoh_key(setpoint_config_reply_topic, setpoint_config_reply_type, setpoint_config_reply_hash),
              zenoh.at("reply_key"));
    EXPECT_EQ(zenoh_key(setpoint_config_topic, setpoint_config_type, ""), zenoh.at("request_key_nohash"));
    EXPECT_EQ(zenoh_key(setpoint_config_reply_topic, setpoint_config_reply_type, ""),
              zenoh.at("reply_key_nohash"));
    EXPECT_THAT(zenoh_key(setpoint_config_topic, setpoint_config_type, "", 42),
                testing::StartsWith("42/fmu"));
}

TEST(Names, ZenohAttachments) {
    for (const auto& vector : vectors().at("zenoh").at("attachment")) {
        ZenohAttachment attachment;
        attachment.sequence_number = vector.at("sequence_number");
        attachment.time = vector.at("time");
        const auto gid = from_hex(vector.at("gid_hex"));
        std::copy(gid.begin(), gid.end(), attachment.gid.begin());
        const auto bytes = encode(attachment);
        EXPECT_EQ(to_hex(bytes), vector.at("hex"));
        ZenohAttachment read;
        ASSERT_TRUE(decode(bytes.data(), bytes.size(), read));
        EXPECT_EQ(encode(read), bytes);
        EXPECT_FALSE(decode(bytes.data(), bytes.size() - 1, read));
        auto other = bytes;
        other[16] = 15;
        EXPECT_FALSE(decode(other.data(), other.size(), read));
    }
}

TEST(Names, Namespaces) {
    for (const std::string good : {"", "uav_3", "fleet/uav_3", "A9"})
        EXPECT_FALSE(check_namespace(good)) << good;
    for (const std::string bad : {"/uav", "uav/", "a//b", "a b", "a-b", "ä", "/"}) {
        EXPECT_EQ(check_namespace(bad).code(), ErrorCode::bad_option) << bad;
    }
    // The longer topic has to have at most 127 characters.
    const auto room = topic_name_limit - 1 - dds_topic(setpoint_config_reply_topic).size() - 1;
    EXPECT_FALSE(check_namespace(std::string(room, 'n')));
    EXPECT_THAT(check_namespace(std::string(room + 1, 'n')).message(), HasSubstr("128"));
}

}  // namespace
}  // namespace px4_setpoint
