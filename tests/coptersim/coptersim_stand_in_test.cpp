// coptersim_stand_in_test.cpp - the stand-in: what requests make of its state, and what it ignores.
#include <thread>

#include "world.hpp"

namespace {

using namespace std::chrono_literals;
using coptersim::Address;
using coptersim::ErrorCode;
using coptersim::loopback;
using coptersim::StandIn;
using coptersim::StandInState;
using testing::HasSubstr;

constexpr Address sender{0xC0A80114};

// ---- what requests make of a state

TEST(Apply, AStreamGoesToWhoAsked) {
    StandInState state;
    apply(coptersim::stream_request(1, false), sender, state);
    EXPECT_EQ(state.stream_target, sender);
    apply(coptersim::stream_request(1, true), sender, state);
    EXPECT_EQ(state.stream_target, loopback);
    apply(coptersim::xy_display_request(1), sender, state);
    EXPECT_EQ(state.stream_target, loopback) << "not asked";
}

TEST(Apply, OnTheGroundAfterInTheAir) {
    StandInState state;
    apply(coptersim::place_request(1, coptersim::AirPose{1, 2, -3, 4, 5, 6}), sender, state);
    EXPECT_FALSE(state.on_terrain);
    apply(coptersim::place_request(1, coptersim::GroundPose{7, 8, 9}), sender, state);
    EXPECT_TRUE(state.on_terrain);
    EXPECT_EQ(state.pose.north_m, 7);
    EXPECT_EQ(state.pose.down_m, 0);
    EXPECT_EQ(state.pose.roll_deg, 0);
    EXPECT_EQ(state.deployments, 2U);
}

TEST(Apply, ValuesBelowZeroMeanNothing) {
    StandInState state;
    coptersim::InitialiseRequest request;
    request.stream = static_cast<coptersim::Stream>(-128);
    request.deployment = static_cast<coptersim::Deployment>(-1);
    request.attitude = static_cast<coptersim::Attitude>(-1);
    request.udp_mode = static_cast<coptersim::UdpMode>(-2);
    apply(request, sender, state);
    request.deployment = static_cast<coptersim::Deployment>(6);
    apply(request, sender, state);
    EXPECT_FALSE(state.stream_target);
    EXPECT_EQ(state.deployments, 0U);
    EXPECT_EQ(state.udp_mode, coptersim::UdpMode::mavlink_full);
    apply(coptersim::SelectRequest{1, static_cast<coptersim::Selection>(-1), 3, "x"}, state);
    EXPECT_EQ(state.model + state.map, "");
}

TEST(Apply, AnIndexWinsOverAName) {
    StandInState state;
    apply(coptersim::SelectRequest{1, coptersim::Selection::model, 0, "name"}, state);
    EXPECT_EQ(state.model, "#0");
    EXPECT_EQ(state.map, "");
}

// ---- on the wire

class CoptersimStandIn : public World {
  protected:
    CoptersimStandIn() {
        const auto error = socket_.open({0x7F000001, 0});
        EXPECT_FALSE(error) << error.message();
    }

    template <class Bytes>
    void send(std::uint16_t port, const Bytes& bytes) {
        EXPECT_EQ(socket_.send({0x7F000001, port}, reinterpret_cast<const char*>(bytes.data()), bytes.size()),
                  0);
    }

    [[nodiscard]] std::uint16_t port_of(std::int32_t id) const {
        return *coptersim::vehicle_port(ports_.ports(), id);
    }

    ap_json::UdpSocket socket_;
};

TEST_F(CoptersimStandIn, IgnoresWhatIsNotForIt) {
    StandIn& vehicle = start(2);
    send(port_of(2), encode(coptersim::xy_display_request(1)));
    send(port_of(2), encode(coptersim::xy_display_request(-1)));
    send(port_of(2), std::string("noise"));
    send(port_of(2), std::string(48, 'x'));
    send(port_of(2), std::string(64, 'x'));
    send(port_of(2), std::string());
    auto not_a_number = coptersim::place_request(2, coptersim::GroundPose{});
    not_a_number.position[0] = std::numeric_limits<double>::quiet_NaN();
    send(port_of(2), encode(not_a_number));
    send(ports_.ports().request,
         encode(coptersim::Wake::same_subnet));  // only the vehicle's own port says whom
    send(port_of(2), encode(coptersim::gps_display_request(2)));
    ASSERT_TRUE(vehicle.wait_until([](const auto& s) { return s.shows_gps; }, patience));
    const auto traffic = vehicle.traffic();
    EXPECT_EQ(traffic.applied, 1U);
    EXPECT_EQ(traffic.others, 2U);
    EXPECT_EQ(traffic.wakes, 0U);
    EXPECT_GE(traffic.rejected, 5U);
}

TEST_F(CoptersimStandIn, AWakeRequestBringsHeartbeatsToItsSender) {
    ap_json::UdpSocket listener;
    ASSERT_FALSE(listener.open({0x7F000001, ports_.ports().heartbeat}, ap_json::Sharing::shared));
    auto options = stand_in_options(3);
    options.multicast = false;
    start(options);
    EXPECT_FALSE(listener.wait(300ms)) << "silent until it is woken";
    send(port_of(3), encode(coptersim::Wake::other_subnet));
    for (std::int64_t count = 0; count < 3; ++count) {
        ASSERT_TRUE(listener.wait(patience));
        char buffer[100];
        ap_json::Endpoint from;
        const auto size = listener.receive_one(buffer, sizeof buffer, from);
        coptersim::Heartbeat heartbeat;
        ASSERT_EQ(decode(buffer, static_cast<std::size_t>(size), heartbeat), ErrorCode::ok);
        EXPECT_EQ(heartbeat.id, 3);
        EXPECT_GE(heartbeat.current_time_ms, heartbeat.start_time_ms);
        EXPECT_EQ(from.port, port_of(3));
    }
}

TEST_F(CoptersimStandIn, AVehicleIsThereOnce) {
    start(1);
    StandIn second;
    const auto error = second.start(stand_in_options(1));
    EXPECT_EQ(error.code(), ErrorCode::bind_in_use);
    EXPECT_FALSE(second.wait_until([](const auto&) { return true; }, 1h)) << "it has not started";
}

TEST_F(CoptersimStandIn, OptionsThatCannotBeMeant) {
    StandIn vehicle;
    auto options = stand_in_options(0);
    EXPECT_EQ(vehicle.start(options).code(), ErrorCode::bad_id);
    options = stand_in_options(1);
    options.own_address = "here";
    EXPECT_THAT(vehicle.start(options).message(), HasSubstr("\"here\""));
    options = stand_in_options(1);
    options.own_address = "192.0.2.77";
    EXPECT_EQ(vehicle.start(options).code(), ErrorCode::bad_option);
    options = stand_in_options(1);
    options.interface_address = "lo";
    EXPECT_THAT(vehicle.start(options).message(), HasSubstr("\"lo\""));
    options.interface_address = "192.0.2.77";
    EXPECT_EQ(vehicle.start(options).code(), ErrorCode::multicast_unavailable);
    options = stand_in_options(1);
    options.group = "10.0.0.1";
    EXPECT_THAT(vehicle.start(options).message(), HasSubstr("\"10.0.0.1\""));
    options = stand_in_options(1);
    options.beat_interval = 0ms;
    EXPECT_THAT(vehicle.start(options).message(), HasSubstr("beat_interval"));
    EXPECT_FALSE(vehicle.start(stand_in_options(1)));
}

TEST_F(CoptersimStandIn, ARestartForgets) {
    StandIn& vehicle = start(1);
    send(port_of(1), encode(coptersim::place_request(1, coptersim::GroundPose{5, 0, 0})));
    ASSERT_TRUE(vehicle.wait_until([](const auto& s) { return s.deployments == 1; }, patience));
    ASSERT_FALSE(vehicle.restart());
    EXPECT_EQ(vehicle.state().deployments, 0U);
    EXPECT_EQ(vehicle.traffic().applied, 0U);
    vehicle.stop();
    vehicle.stop();
    EXPECT_FALSE(vehicle.wait_until([](const auto&) { return true; }, 1h)) << "it has ended";
}

TEST_F(CoptersimStandIn, SaysWhatArrives) {
    std::vector<std::string> lines;
    auto options = stand_in_options(1);
    options.log = [&lines](std::string_view line) { lines.emplace_back(line); };
    StandIn& vehicle = start(options);
    send(port_of(1), std::string("noise"));
    send(port_of(1), encode(coptersim::Wake::same_subnet));
    send(port_of(1), encode(coptersim::udp_mode_request(1, coptersim::UdpMode::udp_full)));
    ASSERT_TRUE(vehicle.wait_until([](const auto& s) { return s.udp_mode == coptersim::UdpMode::udp_full; },
                                   patience));
    vehicle.stop();
    EXPECT_THAT(lines,
                testing::ElementsAre(HasSubstr("5 bytes that are no request"),
                                     HasSubstr("send your heartbeat"), HasSubstr("UDP mode udp_full")));
}

}  // namespace
