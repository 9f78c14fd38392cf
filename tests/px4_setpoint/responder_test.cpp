// responder_test.cpp - PX4's side, against the test vectors and what is known of its commander.
#include <gmock/gmock.h>

#include "vectors.hpp"

namespace px4_setpoint {
namespace {

constexpr auto trajectory = SetpointType::trajectory;

SetpointConfig request(SetpointType type, std::uint8_t source_id, bool should_apply) {
    return {0, type, source_id, should_apply, 0};
}

TEST(Responder, AnswersAsTheVectors) {
    for (const auto& vector : vectors().at("replies")) {
        SCOPED_TRACE(vector.at("id").get<std::string>());
        const auto expected = reply_of(vector.at("fields"));
        const auto& vehicle = vector.at("vehicle");
        ResponderOptions options;
        options.vehicle = {static_cast<VehicleType>(vehicle.at("vehicle_type").get<unsigned>()),
                           vehicle.at("is_vtol")};
        options.registered = vehicle.at("source_registered") ? 0xff : 0;
        Responder responder(options);
        responder.request(request(expected.type, expected.source_id, false));
        const auto reply = responder.cycle(expected.timestamp);
        ASSERT_TRUE(reply);
        EXPECT_EQ(encode(*reply), encode(expected));
    }
}

TEST(Responder, OnlyRegisteredModesAreKnown) {
    ResponderOptions options;
    options.registered = 0x81;  // 23 and 30
    for (unsigned id = 0; id < 256; ++id) {
        const auto source_id = static_cast<std::uint8_t>(id);
        const auto expected = id == 23 || id == 30 ? Result::success : Result::failure_other;
        EXPECT_EQ(answer(request(trajectory, source_id, true), options, 0).result, expected) << id;
        EXPECT_EQ(Responder(options).current(source_id).has_value(), expected == Result::success) << id;
    }
}

TEST(Responder, AppliesOnlyWhenAskedToAndOnlyWhatItTakes) {
    Responder responder({{VehicleType::rover, false}, VtolRule::in_any_form, 0xff});
    EXPECT_EQ(responder.current(23), trajectory);
    const auto ask = [&](SetpointType type, bool apply) {
        responder.request(request(type, 23, apply));
        return responder.cycle(0)->result;
    };
    EXPECT_EQ(ask(SetpointType::rover_position, false), Result::success);
    EXPECT_EQ(responder.current(23), trajectory) << "only asked";
    EXPECT_EQ(ask(SetpointType::rover_position, true), Result::success);
    EXPECT_EQ(responder.current(23), SetpointType::rover_position);
    EXPECT_EQ(ask(SetpointType::multicopter_goto, true), Result::unsupported);
    EXPECT_EQ(responder.current(23), SetpointType::rover_position) << "a refused type changes nothing";
    EXPECT_EQ(responder.current(24), trajectory) << "another mode";
    responder.leave(23);
    EXPECT_EQ(responder.current(23), trajectory);
    responder.leave(99);
}

TEST(Responder, SeesOnlyTheNewestRequest) {
    Responder responder;
    EXPECT_FALSE(responder.cycle(0));
    responder.request(request(SetpointType::rates, 23, false));
    responder.request(request(SetpointType::attitude, 24, false));
    const auto reply = responder.cycle(5);
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->source_id, 24);
    EXPECT_EQ(reply->timestamp, 5U);
    EXPECT_FALSE(responder.cycle(6));
    EXPECT_EQ(responder.statistics().requests, 2U);
    EXPECT_EQ(responder.statistics().overwritten, 1U);
    EXPECT_EQ(responder.statistics().replies, 1U);
    EXPECT_EQ(responder.statistics().unregistered, 0U);
}

TEST(Responder, AVtolThatChangesItsForm) {
    Responder responder({{VehicleType::fixed_wing, true}, VtolRule::in_form_only, 0xff});
    const auto type = SetpointType::fixedwing_lateral_longitudinal;
    responder.request(request(type, 23, true));
    EXPECT_EQ(responder.cycle(0)->result, Result::success);
    responder.set_vehicle({VehicleType::rotary_wing, true});
    responder.request(request(type, 23, true));
    EXPECT_EQ(responder.cycle(0)->result, Result::unsupported);
}

}  // namespace
}  // namespace px4_setpoint
