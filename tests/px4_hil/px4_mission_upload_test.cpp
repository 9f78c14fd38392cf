// px4_mission_upload_test.cpp - the upload against the vectors' dialogue and against everything that can go wrong in one.
#include <gmock/gmock.h>

#include <px4_hil/mission_upload.hpp>

#include "vectors.hpp"

namespace px4_hil {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr Identity us{255, 190}, px4{1, 1};

class Upload : public testing::Test, public MessageSink {
  protected:
    void put(const MessageInfo& info, const void* message) override {
        sent.push_back(encoder.encode(info, message));
        names.emplace_back(info.name);
    }

    void begin(std::size_t points = 3, bool clear_first = false) {
        Route route(points);
        for (std::size_t i = 0; i < points; ++i) route[i].latitude = static_cast<double>(i);
        ASSERT_FALSE(upload.begin(route, us, px4, clear_first, now, *this));
    }

    template <class Message>
    void hear(const Message& message) {
        const EncodedFrame frame = FrameEncoder(px4).encode(message);
        Parser().parse(frame.data(), frame.size(), now,
                       [&](const Frame& each) { upload.handle(each, now, *this); });
    }
    template <class Request = MissionRequestInt>
    void ask(std::uint16_t sequence) {
        Request request;
        request.seq = sequence;
        request.target_system = us.system;
        request.target_component = us.component;
        hear(request);
    }
    void acknowledge(std::uint8_t type, std::uint32_t opaque_id = 0) {
        MissionAck ack;
        ack.target_system = us.system;
        ack.target_component = us.component;
        ack.type = type;
        ack.opaque_id = opaque_id;
        hear(ack);
    }
    void pass(std::chrono::milliseconds time) {
        now += time;
        upload.tick(now, *this);
    }

    FrameEncoder encoder{us};
    MissionUpload upload;
    MissionUpload::Time now = MissionUpload::Time() + 1h;
    std::vector<EncodedFrame> sent;
    std::vector<std::string> names;
};

TEST_F(Upload, IsTheDialogueOfTheVectorsByteForByte) {
    Route route;
    const Json& steps = vectors()["mission_dialogue"]["steps"];
    for (const Json& each : steps) {
        if (each["message"] != "MISSION_ITEM_INT") continue;
        const Json& fields = each["fields"];
        if (fields["seq"] != route.size()) continue;  // the repeated one
        Waypoint point;
        point.latitude = fields["x"].get<double>() / 1e7;
        point.longitude = fields["y"].get<double>() / 1e7;
        point.altitude = fields["z"];
        point.acceptance_radius = fields["param2"];
        route.push_back(point);
    }
    ASSERT_EQ(route.size(), 3U);
    ASSERT_FALSE(upload.begin(route, us, px4, false, now, *this));
    std::size_t next = 0;
    for (const Json& each : steps) {
        SCOPED_TRACE(each.dump());
        const Bytes bytes = from_hex(each["frame_hex"]);
        if (each["dir"] == "rx") {
            Parser().parse(bytes.data(), bytes.size(), now,
                           [&](const Frame& frame) { upload.handle(frame, now, *this); });
        } else {
            ASSERT_LT(next, sent.size());
            EXPECT_EQ(to_hex(sent[next].data(), sent[next].size()), each["frame_hex"]);
            ++next;
        }
    }
    EXPECT_EQ(next, sent.size());
    EXPECT_EQ(upload.stage(), MissionUpload::Stage::done);
    EXPECT_EQ(upload.opaque_id(), 16909060U);
    EXPECT_EQ(upload.items_sent(), 4U);
}

TEST_F(Upload, RepeatsTheCountFiveTimesThenGivesUp) {
    begin();
    for (int i = 1; i <= 5; ++i) {
        pass(1499ms);
        EXPECT_EQ(sent.size(), static_cast<std::size_t>(i));
        pass(1ms);
        EXPECT_EQ(sent.size(), static_cast<std::size_t>(i) + 1);
    }
    EXPECT_TRUE(upload.under_way());
    pass(1500ms);
    EXPECT_EQ(upload.error().code(), ErrorCode::mission_timeout);
    EXPECT_EQ(sent.size(), 6U);
}

TEST_F(Upload, LeavesRepeatingItemsToPx4AndWaitsFiveSeconds) {
    begin();
    ask(0);
    EXPECT_EQ(sent.size(), 2U);
    pass(4999ms);
    EXPECT_EQ(sent.size(), 2U);
    ask(0);
    EXPECT_EQ(sent.size(), 3U);
    pass(4999ms);
    EXPECT_TRUE(upload.under_way());
    pass(1ms);
    EXPECT_EQ(upload.error().code(), ErrorCode::mission_timeout);
    EXPECT_THAT(upload.error().message(), HasSubstr("1 of 3"));
}

TEST_F(Upload, AnswersOldRequestsWithTheNewItem) {
    begin();
    ask<MissionRequest>(0);
    EXPECT_EQ(names.back(), "MISSION_ITEM_INT");
}

TEST_F(Upload, RequestOutOfRangeEndsIt) {
    begin();
    ask(0);
    ask(3);
    EXPECT_EQ(names.back(), "MISSION_ACK");
    EXPECT_EQ(upload.error().code(), ErrorCode::mission_rejected);
}

TEST_F(Upload, SuccessBeforeTheLastPointIsNone) {
    begin();
    ask(0);
    ask(1);
    acknowledge(0);
    EXPECT_EQ(upload.error().code(), ErrorCode::mission_incomplete);
}

TEST_F(Upload, EveryRefusalIsNamed) {
    for (std::uint8_t type = 1; type <= 15; ++type) {
        begin();
        ask(0);
        acknowledge(type);
        EXPECT_EQ(upload.error().code(), ErrorCode::mission_rejected);
        EXPECT_THAT(upload.error().message(), HasSubstr(mission_result_text(type)));
    }
}

TEST_F(Upload, TriesOnceMoreWhenAnotherStationIsUploading) {
    begin();
    acknowledge(1);
    EXPECT_TRUE(upload.under_way());
    pass(999ms);
    EXPECT_EQ(sent.size(), 1U);
    pass(1ms);
    EXPECT_EQ(sent.size(), 2U);
    acknowledge(1);
    EXPECT_EQ(upload.error().code(), ErrorCode::mission_rejected);
}

TEST_F(Upload, IgnoresWhatIsForOthers) {
    begin(1);
    MissionRequestInt request;
    request.target_system = 254;
    request.target_component = us.component;
    hear(request);
    request.target_system = us.system;
    request.target_component = 191;
    hear(request);
    request.target_component = us.component;
    request.mission_type = 1;  // a fence
    hear(request);
    MissionAck ack;
    ack.target_system = us.system;
    ack.target_component = us.component;
    ack.mission_type = 2;
    ack.type = 4;
    hear(ack);
    EXPECT_EQ(sent.size(), 1U);
    EXPECT_TRUE(upload.under_way());
    ask(0);
    acknowledge(0);
    EXPECT_EQ(upload.stage(), MissionUpload::Stage::done);
    ask(0);  // too late
    EXPECT_EQ(sent.size(), 2U);
}

TEST_F(Upload, ClearsFirstWhenAskedTo) {
    begin(1, true);
    EXPECT_EQ(names.back(), "MISSION_CLEAR_ALL");
    pass(1500ms);
    EXPECT_EQ(names.back(), "MISSION_CLEAR_ALL");
    acknowledge(0);
    EXPECT_EQ(names.back(), "MISSION_COUNT");
    acknowledge(0);  // the one for the first clearing, late
    EXPECT_TRUE(upload.under_way());
    ask(0);
    acknowledge(0);
    EXPECT_EQ(upload.stage(), MissionUpload::Stage::done);
}

TEST_F(Upload, CancelTellsPx4) {
    upload.cancel(*this);
    EXPECT_TRUE(sent.empty());
    begin();
    ask(0);
    upload.cancel(*this);
    EXPECT_EQ(names.back(), "MISSION_ACK");
    EXPECT_EQ(upload.error().code(), ErrorCode::cancelled);
    ask(1);
    EXPECT_EQ(names.back(), "MISSION_ACK");  // no item any more
}

TEST_F(Upload, RefusesRoutesThatAreTooLongForMavlink) {
    EXPECT_EQ(upload.begin(Route(65535), us, px4, false, now, *this).code(), ErrorCode::bad_option);
    EXPECT_TRUE(sent.empty());
    EXPECT_FALSE(upload.begin(Route(65534), us, px4, false, now, *this));
}

}  // namespace
}  // namespace px4_hil
