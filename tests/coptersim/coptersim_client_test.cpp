// coptersim_client_test.cpp - clients and stand-ins over real sockets: who is found, where requests go, what is told.
#include <algorithm>
#include <atomic>
#include <coptersim/interfaces.hpp>
#include <cstring>
#include <mutex>
#include <thread>

#include "world.hpp"

namespace {

using namespace std::chrono_literals;
using coptersim::all_vehicles;
using coptersim::Client;
using coptersim::ClientOptions;
using coptersim::Delivery;
using coptersim::Endpoint;
using coptersim::ErrorCode;
using coptersim::Event;
using coptersim::EventKind;
using coptersim::GroundPose;
using coptersim::loopback;
using coptersim::multicast_group;
using coptersim::Presence;
using coptersim::Receipt;
using coptersim::StandIn;
using coptersim::StandInState;
using coptersim::Vehicle;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class CoptersimClient : public World {
  protected:
    [[nodiscard]] Endpoint to_group() const { return {multicast_group, ports_.ports().request}; }
    [[nodiscard]] Endpoint to_all_at(coptersim::Address address) const {
        return {address, ports_.ports().request};
    }
    [[nodiscard]] Endpoint to_vehicle_at(coptersim::Address address, std::int32_t id) const {
        return {address, *coptersim::vehicle_port(ports_.ports(), id)};
    }

    static std::vector<Endpoint> endpoints(const Receipt& receipt) {
        EXPECT_FALSE(receipt) << receipt.error.message();
        std::vector<Endpoint> result;
        for (const auto& sent : receipt.sent) result.push_back(sent.to);
        return result;
    }

    static bool at_north(StandIn& stand_in, double north) {
        return stand_in.wait_until([north](const StandInState& state) { return state.pose.north_m == north; },
                                   patience);
    }
};

// ---- who is there

TEST_F(CoptersimClient, FindsSeveralByTheirHeartbeats) {
    for (const std::int32_t id : {3, 1, 7}) start(id);
    const auto before = std::chrono::steady_clock::now();
    open();
    ASSERT_TRUE(wait_for_vehicles(3));
    std::vector<std::int32_t> ids;
    for (const Vehicle& vehicle : client_.vehicles()) {
        ids.push_back(vehicle.id);
        EXPECT_TRUE(vehicle.local);
        EXPECT_EQ(vehicle.address, loopback);
        EXPECT_TRUE(vehicle.last_multicast);
        EXPECT_GE(vehicle.first_seen, before);
        EXPECT_FALSE(vehicle.rival);
    }
    EXPECT_THAT(ids, ElementsAre(1, 3, 7));
    EXPECT_EQ(client_.presence(7), Presence::known);
    EXPECT_EQ(client_.presence(2), Presence::unknown);
    EXPECT_FALSE(client_.find(2));
    const auto statistics = client_.statistics();
    EXPECT_EQ(statistics.arrivals, 3U);
    EXPECT_EQ(statistics.sent + statistics.wakes, 0U) << "nobody asked it to send anything";
}

TEST_F(CoptersimClient, WaitForIsTheNextHeartbeat) {
    start(1);
    open();
    ASSERT_TRUE(client_.wait_for(1, patience));
    const auto first = client_.find(1);
    const auto next = client_.wait_for(1, patience);
    ASSERT_TRUE(first && next);
    EXPECT_GT(next->heartbeat.count, first->heartbeat.count);
    EXPECT_GT(next->last_seen, first->last_seen);
}

TEST_F(CoptersimClient, WaitsAreBoundedAndEndWithTheClient) {
    open();
    const auto before = std::chrono::steady_clock::now();
    EXPECT_FALSE(client_.wait_for(1, 30ms));
    EXPECT_FALSE(client_.wait_until([](const auto&) { return false; }, 30ms));
    EXPECT_FALSE(client_.wait_for(1, -1s));
    EXPECT_GE(std::chrono::steady_clock::now() - before, 60ms);
    EXPECT_EQ(client_.presence(1), Presence::pending) << "who is waited for is looked for";
    std::thread closer([this] { client_.close(); });
    EXPECT_FALSE(client_.wait_for(1, 1h));
    closer.join();
    EXPECT_FALSE(client_.wait_until([](const auto&) { return true; }, 1h)) << "closed";
}

TEST_F(CoptersimClient, AMachineThatGoesAwayAndComesBack) {
    std::mutex mutex;
    std::vector<EventKind> events;
    auto options = client_options();
    options.expiry = 1000ms;
    options.on_event = [&](const Event& event) {
        const std::lock_guard<std::mutex> lock(mutex);
        events.push_back(event.kind);
        static_cast<void>(client_.vehicles());  // allowed here
    };
    StandIn& vehicle = start(1);
    open(options);
    ASSERT_TRUE(wait_for_vehicles(1));
    vehicle.pause();
    ASSERT_TRUE(wait_for_vehicles(0));
    vehicle.resume();
    ASSERT_TRUE(wait_for_vehicles(1));
    ASSERT_FALSE(vehicle.restart());
    EXPECT_TRUE(client_.wait_until([](const auto& all) { return all.size() == 1 && all[0].restarts == 1; },
                                   patience));
    vehicle.stop();
    ASSERT_TRUE(wait_for_vehicles(0));
    const auto statistics = client_.statistics();
    client_.close();
    EXPECT_THAT(events, ElementsAre(EventKind::arrived, EventKind::departed, EventKind::arrived,
                                    EventKind::restarted, EventKind::departed));
    EXPECT_EQ(statistics.arrivals, 2U);
    EXPECT_EQ(statistics.departures, 2U);
    EXPECT_EQ(statistics.restarts, 1U);
}

TEST_F(CoptersimClient, TwoClientsOfOneComputerHearTheSame) {
    Client second;
    open();
    ASSERT_FALSE(second.open(client_options()));
    start(1);
    EXPECT_TRUE(client_.wait_for(1, patience));
    EXPECT_TRUE(second.wait_for(1, patience));
}

// ---- multicast works: requests go to the group

TEST_F(CoptersimClient, EveryOperationOfOneVehicle) {
    StandIn& one = start(1);
    StandIn& two = start(2);
    open();
    ASSERT_TRUE(wait_for_vehicles(2));
    const auto seen = [&one](auto condition) { return one.wait_until(condition, patience); };

    EXPECT_THAT(endpoints(client_.place(1, GroundPose{10.5, -20.25, 90})), ElementsAre(to_group()));
    EXPECT_TRUE(seen([](const auto& s) {
        return s.pose.north_m == 10.5 && s.pose.east_m == -20.25 && s.pose.yaw_deg == 90 && s.on_terrain;
    }));
    EXPECT_THAT(endpoints(client_.place(1, coptersim::AirPose{100, 200, -15, 1.5, -2.5, 45})),
                ElementsAre(to_group()));
    EXPECT_TRUE(seen([](const auto& s) {
        return s.pose.down_m == -15 && s.pose.roll_deg == 1.5 && s.pose.pitch_deg == -2.5 && !s.on_terrain;
    }));
    endpoints(client_.set_gps_origin(1, {39.9042, 116.4074, 43.5}));
    EXPECT_TRUE(seen([](const auto& s) {
        return s.gps_origin.latitude_deg == 39.9042 && s.gps_origin.longitude_deg == 116.4074 &&
               s.gps_origin.altitude_m == 43.5;
    }));
    endpoints(client_.place(1, coptersim::GpsPose{40.154, 116.259, 180}));
    EXPECT_TRUE(seen([](const auto& s) { return s.gps_pose && s.gps_pose->latitude_deg == 40.154; }));
    endpoints(client_.show_gps(1));
    EXPECT_TRUE(seen([](const auto& s) { return s.shows_gps; }));
    endpoints(client_.show_xy(1));
    EXPECT_TRUE(seen([](const auto& s) { return !s.shows_gps; }));
    endpoints(client_.set_udp_mode(1, coptersim::UdpMode::udp_simple));
    EXPECT_TRUE(seen([](const auto& s) { return s.udp_mode == coptersim::UdpMode::udp_simple; }));
    endpoints(client_.request_stream(1));
    EXPECT_TRUE(seen([](const auto& s) {
        return s.stream_target == loopback && s.last_initialise.stream == coptersim::Stream::same_computer;
    }));
    endpoints(client_.select_model(1, "MulticopterNoCtrl"));
    EXPECT_TRUE(seen([](const auto& s) { return s.model == "MulticopterNoCtrl"; }));
    endpoints(client_.select_model(1, 3));
    EXPECT_TRUE(seen([](const auto& s) { return s.model == "#3"; }));
    endpoints(client_.select_map(1, 0));
    EXPECT_TRUE(seen([](const auto& s) { return s.map == "#0"; }));
    endpoints(client_.select_map(1, "\xE8\x8D\x89\xE5\x9C\xB0"));
    EXPECT_TRUE(seen([](const auto& s) { return s.map == "\xE8\x8D\x89\xE5\x9C\xB0"; }));

    EXPECT_EQ(one.traffic().applied, 12U);
    EXPECT_EQ(two.traffic().applied, 0U) << "not asked";
    EXPECT_EQ(client_.statistics().sent, 12U);
}

TEST_F(CoptersimClient, TheReceiptSaysWhatWasSentToWhom) {
    start(1);
    open();
    ASSERT_TRUE(wait_for_vehicles(1));
    const Receipt receipt = client_.place(1, GroundPose{1, 2, 3});
    ASSERT_EQ(receipt.sent.size(), 1U);
    EXPECT_EQ(receipt.sent[0].id, 1);
    EXPECT_EQ(receipt.sent[0].size, 48U);
    EXPECT_FALSE(receipt.in_hope);
    EXPECT_EQ(describe(receipt),
              "vehicle 1: put at 1 m north, 2 m east, yaw 3 degrees: 48 bytes to 224.0.0.10:" +
                  std::to_string(ports_.ports().request) + "\n");
    EXPECT_THAT(describe(client_.place(0, GroundPose{})), HasSubstr("no vehicle has the id 0"));
}

TEST_F(CoptersimClient, EverythingToAll) {
    StandIn& one = start(1);
    StandIn& two = start(2);
    open();
    ASSERT_TRUE(wait_for_vehicles(2));
    EXPECT_THAT(endpoints(client_.place(all_vehicles, GroundPose{5, 0, 0})),
                ElementsAre(to_group(), to_group()))
        << "one message for each";
    EXPECT_TRUE(at_north(one, 5));
    EXPECT_TRUE(at_north(two, 5));
    EXPECT_THAT(endpoints(client_.select_map(all_vehicles, "MatchScene")), ElementsAre(to_group()))
        << "one message for all";
    for (StandIn* each : {&one, &two})
        EXPECT_TRUE(each->wait_until([](const auto& s) { return s.map == "MatchScene"; }, patience));
    EXPECT_EQ(client_.statistics().wakes, 0U) << "all is not a vehicle to look for";
}

TEST_F(CoptersimClient, ToAllWhenNobodyIsThere) {
    open();
    const Receipt receipt = client_.place(all_vehicles, GroundPose{});
    EXPECT_EQ(receipt.error.code(), ErrorCode::no_route);
    EXPECT_EQ(client_.place(all_vehicles, GroundPose{1e300, 0, 1e300}).error.code(), ErrorCode::not_finite)
        << "what is wrong is told at once";
    EXPECT_THAT(endpoints(client_.select_model(all_vehicles, 1)), ElementsAre(to_group()));
}

// ---- multicast does not work

TEST_F(CoptersimClient, WithoutMulticastAVehicleIsWokenAndThenReachedDirectly) {
    auto silent = stand_in_options(4);
    silent.multicast = false;
    StandIn& vehicle = start(silent);
    open();
    const Receipt first = client_.place(4, GroundPose{1, 0, 0});
    EXPECT_THAT(endpoints(first), ElementsAre(to_group())) << "nothing is known yet";
    EXPECT_TRUE(first.in_hope);
    EXPECT_EQ(client_.presence(4), Presence::pending) << "it is looked for without being waited for";
    ASSERT_TRUE(client_.wait_for(4, patience));
    EXPECT_FALSE(client_.find(4)->last_multicast);
    EXPECT_THAT(endpoints(client_.place(4, GroundPose{2, 0, 0})),
                ElementsAre(to_all_at(loopback), to_vehicle_at(loopback, 4)));
    EXPECT_TRUE(at_north(vehicle, 2));
    EXPECT_THAT(endpoints(client_.select_map(all_vehicles, 2)),
                ElementsAre(to_group(), to_all_at(loopback), to_vehicle_at(loopback, 4)));
    EXPECT_TRUE(vehicle.wait_until([](const auto& s) { return s.map == "#2"; }, patience));
}

TEST_F(CoptersimClient, OneVehicleWithoutMulticastDoesNotCostTheOthersTheirs) {
    start(1);
    auto silent = stand_in_options(2);
    silent.multicast = false;
    start(silent);
    open();
    endpoints(client_.discover(2));
    ASSERT_TRUE(wait_for_vehicles(2));
    EXPECT_THAT(endpoints(client_.show_gps(1)), ElementsAre(to_group()));
    EXPECT_THAT(endpoints(client_.show_gps(2)), ElementsAre(to_all_at(loopback), to_vehicle_at(loopback, 2)));
    static_cast<void>(client_.show_gps(3));  // nobody
    EXPECT_THAT(endpoints(client_.show_gps(1)), ElementsAre(to_group())) << "nor does one who is not there";
}

TEST_F(CoptersimClient, MulticastIsUsedAgainAsSoonAsItWorks) {
    auto options = stand_in_options(1);
    options.multicast = false;
    StandIn& vehicle = start(options);
    open();
    ASSERT_TRUE(client_.wait_for(1, patience));
    EXPECT_THAT(endpoints(client_.show_gps(1)), ElementsAre(to_all_at(loopback), to_vehicle_at(loopback, 1)));
    options.multicast = true;
    ASSERT_FALSE(vehicle.start(options));
    ASSERT_TRUE(client_.wait_until(
        [](const auto& all) { return all.size() == 1 && all[0].last_multicast.has_value(); }, patience));
    EXPECT_THAT(endpoints(client_.show_gps(1)), ElementsAre(to_group()));
}

TEST_F(CoptersimClient, AVehicleThatIsHeardDirectlyOnlyIsKeptAwake) {
    auto options = stand_in_options(1);
    options.multicast = false;
    options.wake_lasts = false;
    StandIn& vehicle = start(options);
    auto impatient = client_options();
    impatient.expiry = 2000ms;
    open(impatient);
    ASSERT_TRUE(client_.wait_for(1, patience));
    const auto until = std::chrono::steady_clock::now() + 2 * impatient.expiry;
    while (std::chrono::steady_clock::now() < until) ASSERT_TRUE(client_.wait_for(1, patience));
    EXPECT_EQ(client_.statistics().departures, 0U);
    EXPECT_GE(vehicle.traffic().wakes, 3U);
}

TEST_F(CoptersimClient, ASearchEnds) {
    open();
    EXPECT_THAT(endpoints(client_.discover(5)), ElementsAre(to_vehicle_at(loopback, 5)))
        << "on the loopback interface there is nobody else to ask";
    EXPECT_EQ(client_.presence(5), Presence::pending);
    while (client_.presence(5) == Presence::pending)
        client_.wait_until([](const auto&) { return false; }, 50ms);
    EXPECT_EQ(client_.presence(5), Presence::unknown);
    EXPECT_EQ(client_.statistics().wakes, 4U) << "at 0, 1, 2 and 3 s of 3.5 s";
}

TEST_F(CoptersimClient, TheSubnetIsSweptOnlyWhenAsked) {
    StandIn& vehicle = start(stand_in_options(6));
    open();
    const auto swept = endpoints(client_.sweep_subnet(6, *coptersim::parse_address("127.0.0.77")));
    ASSERT_EQ(swept.size(), 254U);
    EXPECT_EQ(swept.front(), to_vehicle_at(*coptersim::parse_address("127.0.0.2"), 6));
    EXPECT_EQ(swept.back(), to_vehicle_at(*coptersim::parse_address("127.0.0.255"), 6));
    ASSERT_TRUE(client_.wait_for(6, patience));
    EXPECT_GT(vehicle.traffic().wakes, 0U);
}

TEST_F(CoptersimClient, NoRoute) {
    auto options = client_options();
    options.delivery = Delivery::unicast;
    open(options);
    const Receipt receipt = client_.show_gps(1);
    EXPECT_EQ(receipt.error.code(), ErrorCode::no_route);
    EXPECT_THAT(receipt.error.message(), HasSubstr("vehicle 1"));
    EXPECT_THAT(receipt.sent, IsEmpty());
    EXPECT_TRUE(receipt.in_hope) << "it is looked for all the same";
    EXPECT_EQ(client_.select_map(all_vehicles, 1).error.code(), ErrorCode::no_route);
    EXPECT_EQ(client_.statistics().refused, 2U);
}

TEST_F(CoptersimClient, DeliveryCanBeChosen) {
    start(1);
    auto options = client_options();
    options.delivery = Delivery::unicast;
    open(options);
    ASSERT_TRUE(wait_for_vehicles(1));
    EXPECT_THAT(endpoints(client_.show_gps(1)), ElementsAre(to_all_at(loopback), to_vehicle_at(loopback, 1)));
    EXPECT_THAT(endpoints(client_.select_map(all_vehicles, 1)),
                ElementsAre(to_all_at(loopback), to_vehicle_at(loopback, 1)));
    options.delivery = Delivery::multicast;
    options.hosts = {"127.0.0.1"};
    open(options);
    EXPECT_THAT(endpoints(client_.show_gps(9)), ElementsAre(to_group()));
    EXPECT_THAT(endpoints(client_.select_map(all_vehicles, 1)), ElementsAre(to_group()));
}

// ---- two computers; needs that each address of 127/8 is one of this computer, as on Linux

#if defined(__linux__)

TEST_F(CoptersimClient, TwoComputersWithMulticast) {
    StandIn& one = start(elsewhere(1, "127.0.0.2"));
    StandIn& two = start(elsewhere(2, "127.0.0.3"));
    open();
    ASSERT_TRUE(wait_for_vehicles(2));
    EXPECT_EQ(to_string(client_.find(1)->address), "127.0.0.2");
    EXPECT_EQ(to_string(client_.find(2)->address), "127.0.0.3");
    EXPECT_FALSE(client_.find(1)->local);
    endpoints(client_.request_stream(1));
    EXPECT_TRUE(one.wait_until(
        [](const auto& s) { return s.last_initialise.stream == coptersim::Stream::to_sender; }, patience));
    endpoints(client_.place(all_vehicles, GroundPose{5, 0, 0}));
    EXPECT_TRUE(at_north(one, 5));
    EXPECT_TRUE(at_north(two, 5));
}

TEST_F(CoptersimClient, TwoComputersWithoutMulticastOrBroadcastNamedAsHosts) {
    std::vector<StandIn*> vehicles;
    for (const std::int32_t id : {1, 2}) {
        for (const char* computer : {"127.0.0.2", "127.0.0.3"}) {
            auto options = elsewhere(id + (computer[8] == '3' ? 2 : 0), computer);
            options.multicast = false;
            vehicles.push_back(&start(options));
        }
    }
    auto options = client_options();
    options.hosts = {"127.0.0.2", "127.0.0.3"};
    open(options);
    const auto second = *coptersim::parse_address("127.0.0.2");
    const auto third = *coptersim::parse_address("127.0.0.3");
    EXPECT_THAT(endpoints(client_.show_gps(4)),
                ElementsAre(to_group(), to_all_at(second), to_vehicle_at(second, 4), to_all_at(third),
                            to_vehicle_at(third, 4)));
    for (std::int32_t id = 1; id <= 4; ++id) endpoints(client_.discover(id));
    ASSERT_TRUE(wait_for_vehicles(4));
    EXPECT_EQ(client_.find(1)->address, second);
    EXPECT_EQ(client_.find(4)->address, third);
    EXPECT_THAT(endpoints(client_.place(3, GroundPose{7, 0, 0})),
                ElementsAre(to_all_at(third), to_vehicle_at(third, 3)));
    EXPECT_TRUE(at_north(*vehicles[1], 7)) << "although the port of all may be read by the other one there";
    endpoints(client_.select_model(all_vehicles, "A320"));
    for (StandIn* each : vehicles)
        EXPECT_TRUE(each->wait_until([](const auto& s) { return s.model == "A320"; }, patience));
}

TEST_F(CoptersimClient, TheSameIdOnTwoComputers) {
    std::atomic<int> told{0};
    auto options = client_options();
    options.on_event = [&](const Event& event) { told += event.kind == EventKind::duplicated ? 1 : 0; };
    open(options);
    start(elsewhere(1, "127.0.0.2"));
    ASSERT_TRUE(wait_for_vehicles(1));
    start(elsewhere(1, "127.0.0.3"));
    ASSERT_TRUE(client_.wait_until([](const auto& all) { return all[0].rival.has_value(); }, patience));
    EXPECT_EQ(to_string(client_.find(1)->address), "127.0.0.2") << "the first stays";
    EXPECT_EQ(to_string(*client_.find(1)->rival), "127.0.0.3");
    EXPECT_GE(client_.statistics().rivals, 1U);
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(client_.wait_for(1, patience));
    client_.close();
    EXPECT_EQ(told, 1) << "told once";
}

TEST_F(CoptersimClient, ALocalOneReplacesOneElsewhere) {
    open();
    start(elsewhere(1, "127.0.0.2"));
    ASSERT_TRUE(wait_for_vehicles(1));
    start(elsewhere(1, "127.0.0.1"));
    ASSERT_TRUE(
        client_.wait_until([](const auto& all) { return all.size() == 1 && all[0].local; }, patience));
    EXPECT_EQ(client_.find(1)->address, loopback);
}

#endif

// ---- what else arrives

class CoptersimNoise : public CoptersimClient {
  protected:
    CoptersimNoise() {
        const auto error = socket_.open({0x7F000001, 0});
        EXPECT_FALSE(error) << error.message();
    }

    void send(const void* data, std::size_t size) {
        static_cast<void>(socket_.send({0x7F000001, client_.port()}, static_cast<const char*>(data), size));
    }

    void send(const coptersim::Heartbeat& heartbeat) {
        const auto bytes = encode(heartbeat);
        send(bytes.data(), bytes.size());
    }

    ap_json::UdpSocket socket_;
};

TEST_F(CoptersimNoise, ForeignDatagramsChangeNothingButCounters) {
    open();
    send("", 0);
    send("hello", 5);
    const std::string longest(60000, 'x');
    send(longest.data(), longest.size());
    auto bytes = encode(coptersim::Heartbeat{1, 1, 2, 3});
    send(bytes.data(), 31);
    bytes[0] ^= 1U;
    send(bytes.data(), bytes.size());
    const std::string thirty_two(32, '\0');
    send(thirty_two.data(), thirty_two.size());
    send({0, 1, 2, 3});
    send({-1, 1, 2, 3});
    send({7, 1, 2, 3});
    ASSERT_TRUE(client_.wait_until([](const auto& all) { return !all.empty(); }, patience));
    const auto statistics = client_.statistics();
    EXPECT_EQ(statistics.datagrams, 9U);
    EXPECT_EQ(statistics.rejected_length, 4U);
    EXPECT_EQ(statistics.rejected_checksum, 2U);
    EXPECT_EQ(statistics.rejected_id, 2U);
    EXPECT_EQ(statistics.heartbeats, 1U);
    EXPECT_EQ(client_.vehicles().size(), 1U);
}

TEST_F(CoptersimNoise, ImplausibleTimesAreCountedAndTaken) {
    open();
    send({1, -1, 5, 0});
    send({2, 10, 5, 0});
    send({3, 1, 5, -7});
    send({4, 5, 5, 1});
    ASSERT_TRUE(wait_for_vehicles(4));
    EXPECT_EQ(client_.statistics().implausible_times, 3U);
}

TEST_F(CoptersimNoise, AFloodDoesNotHideAVehicle) {
    start(1);
    auto options = client_options();
    options.expiry = 3000ms;
    open(options);
    ASSERT_TRUE(client_.wait_for(1, patience));
    std::atomic<bool> flooding{true};
    std::thread flood([&] {
        for (std::int32_t i = 0; flooding; ++i) {
            send("noise", 5);
            if (i % 4 == 0) send({100 + i % 50, 1, 2, i});
        }
    });
    const auto until = std::chrono::steady_clock::now() + 1s;
    int beats = 0;
    while (std::chrono::steady_clock::now() < until && client_.wait_for(1, patience)) ++beats;
    const auto flooded = client_.statistics();
    flooding = false;
    flood.join();
    EXPECT_GE(beats, 2);
    EXPECT_GT(flooded.rejected_length, 1000U);
    EXPECT_FALSE(client_.show_gps(1));
}

// ---- opening

TEST_F(CoptersimClient, ClosedUntilItIsOpened) {
    EXPECT_FALSE(client_.is_open());
    EXPECT_EQ(client_.port(), 0);
    for (const Receipt& receipt :
         {client_.show_gps(1), client_.select_map(1, 1), client_.discover(1),
          client_.send(coptersim::InitialiseRequest{}), client_.send(coptersim::SelectRequest{}),
          client_.sweep_subnet(1, loopback)}) {
        EXPECT_EQ(receipt.error.code(), ErrorCode::closed);
        EXPECT_THAT(receipt.error.message(), HasSubstr("open()"));
    }
    EXPECT_FALSE(client_.wait_for(1, 1h)) << "does not wait for what cannot come";
    EXPECT_THAT(client_.vehicles(), IsEmpty());
    open();
    EXPECT_TRUE(client_.is_open());
    client_.close();
    client_.close();
    EXPECT_FALSE(client_.is_open());
    open();
    open();
    EXPECT_EQ(client_.statistics().datagrams, 0U);
}

TEST_F(CoptersimClient, AHeartbeatPortOfItsOwn) {
    auto options = client_options();
    options.ports.heartbeat = 0;
    open(options);
    EXPECT_NE(client_.port(), 0);
    EXPECT_NE(client_.port(), ports_.ports().heartbeat);
}

TEST_F(CoptersimClient, OptionsThatCannotBeMeant) {
    const auto refused = [this](const ClientOptions& options, const char* words) {
        const auto error = client_.open(options);
        EXPECT_EQ(error.code(), ErrorCode::bad_option) << words;
        EXPECT_THAT(error.message(), HasSubstr(words));
        EXPECT_FALSE(client_.is_open());
    };
    auto options = client_options();
    options.interface_address = "eth0";
    refused(options, "\"eth0\"");
    options.interface_address = "192.0.2.77";
    refused(options, "address of this computer");
    options = client_options();
    options.group = "192.168.1.1";
    refused(options, "\"192.168.1.1\"");
    options = client_options();
    options.hosts = {"127.0.0.1", "simulator"};
    refused(options, "\"simulator\"");
    options = client_options();
    options.expiry = 0ms;
    refused(options, "expiry");
    options = client_options();
    options.ports.request = 0;
    refused(options, "port");
}

TEST_F(CoptersimClient, APortThatSomebodyHasForHimself) {
    ap_json::UdpSocket other;
    ASSERT_FALSE(other.open({0, 0}));
    auto options = client_options();
    options.ports.heartbeat = other.local().port;
    const auto error = client_.open(options);
    EXPECT_EQ(error.code(), ErrorCode::bind_in_use);
    EXPECT_THAT(error.message(), HasSubstr(std::to_string(options.ports.heartbeat)));
}

// ---- what is refused, and messages of one's own

TEST_F(CoptersimClient, WhatCannotBeMeantIsNotSent) {
    open();
    const auto infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(client_.place(1, GroundPose{infinity, 0, 0}).error.code(), ErrorCode::not_finite);
    EXPECT_EQ(client_.place(1, coptersim::GpsPose{91, 0, 0}).error.code(), ErrorCode::out_of_range);
    EXPECT_EQ(client_.set_gps_origin(1, {0, 181, 0}).error.code(), ErrorCode::out_of_range);
    EXPECT_EQ(client_.request_stream(0).error.code(), ErrorCode::bad_id);
    EXPECT_EQ(client_.request_stream(10001).error.code(), ErrorCode::bad_id);
    EXPECT_EQ(client_.set_udp_mode(1, coptersim::UdpMode::unchanged).error.code(), ErrorCode::out_of_range);
    EXPECT_EQ(client_.select_map(1, std::string(49, 'x')).error.code(), ErrorCode::name_too_long);
    EXPECT_EQ(client_.select_map(1, "\xFF").error.code(), ErrorCode::bad_name);
    EXPECT_EQ(client_.select_model(1, "").error.code(), ErrorCode::bad_name);
    EXPECT_EQ(client_.select_model(0, 1).error.code(), ErrorCode::bad_id);
    EXPECT_EQ(client_.discover(0).error.code(), ErrorCode::bad_id);
    EXPECT_EQ(client_.discover(all_vehicles).error.code(), ErrorCode::bad_id);
    EXPECT_EQ(client_.statistics().sent + client_.statistics().wakes, 0U);
    EXPECT_EQ(client_.statistics().refused, 12U);
}

TEST_F(CoptersimClient, MessagesOfOnesOwn) {
    StandIn& vehicle = start(1);
    open();
    ASSERT_TRUE(wait_for_vehicles(1));
    coptersim::InitialiseRequest request;
    request.stream = coptersim::Stream::to_sender;
    request.udp_mode = coptersim::UdpMode::mavlink_vision;
    request.reserved = {1, 2, 3, 255};
    endpoints(client_.send(request));
    EXPECT_TRUE(
        vehicle.wait_until([](const auto& s) { return s.last_initialise.reserved[3] == 255; }, patience));
    EXPECT_EQ(vehicle.state().udp_mode, coptersim::UdpMode::mavlink_vision);
    EXPECT_EQ(vehicle.state().last_initialise.stream, coptersim::Stream::same_computer)
        << "it is on this computer";
    endpoints(client_.send(coptersim::SelectRequest{1, coptersim::Selection::map, 5, "both"}));
    EXPECT_TRUE(vehicle.wait_until([](const auto& s) { return s.map == "#5"; }, patience));
    EXPECT_THAT(endpoints(client_.send(coptersim::SelectRequest{})), ElementsAre(to_group()))
        << "to nobody, without looking for him";
    request.yaw = std::numeric_limits<float>::infinity();
    EXPECT_EQ(client_.send(request).error.code(), ErrorCode::not_finite);
    request = {};
    request.id = std::numeric_limits<std::int32_t>::min();
    EXPECT_FALSE(client_.send(request)) << "any id";
    EXPECT_EQ(client_.statistics().wakes, 0U);
}

TEST_F(CoptersimClient, FromManyThreads) {
    StandIn& vehicle = start(1);
    open();
    ASSERT_TRUE(wait_for_vehicles(1));
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([this, i] {
            for (int n = 0; n < 50; ++n) {
                EXPECT_FALSE(client_.place(1, GroundPose{1.0 * i, 1.0 * n, 0}));
                static_cast<void>(client_.vehicles());
                static_cast<void>(client_.statistics());
            }
            EXPECT_TRUE(client_.wait_for(1, patience));
        });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(client_.statistics().sent, 200U);
    EXPECT_TRUE(vehicle.wait_until([](const auto& s) { return s.deployments > 0; }, patience));
}

TEST(ThisComputer, KnowsItsAddresses) {
    const Client client;
    EXPECT_TRUE(client.is_local(loopback));
    EXPECT_FALSE(client.is_local(*coptersim::parse_address("192.0.2.77")));
    EXPECT_THAT(client.local_addresses(), testing::Contains(loopback));
    EXPECT_TRUE(client.is_local(client.host_address()));
    const coptersim::Interface network{*coptersim::parse_address("10.1.2.3"),
                                       *coptersim::parse_address("255.255.252.0")};
    EXPECT_EQ(to_string(network.broadcast()), "10.1.3.255");
}

}  // namespace
