// coptersim_registry_test.cpp - who is alive, where, since when; under a clock of the test's own.
#include <gmock/gmock.h>

#include <coptersim/registry.hpp>
#include <random>

#include "vectors.hpp"

namespace {

using namespace std::chrono_literals;
using coptersim::Acceptance;
using coptersim::Address;
using coptersim::Event;
using coptersim::EventKind;
using coptersim::Heartbeat;
using coptersim::Registry;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr Address here{0xC0A80105};       // 192.168.1.5
constexpr Address there{0xC0A80114};      // 192.168.1.20
constexpr Address elsewhere{0xC0A80115};  // 192.168.1.21

/// A registry, a clock that stands until it is moved, and one CopterSim's beat after the other.
class RegistryTest : public testing::Test {
  protected:
    RegistryTest() { registry_.set_local_addresses({here}); }

    Acceptance beat(std::int32_t id, Address from, std::int64_t start = 1000, std::int64_t count = -1,
                    bool multicast = true) {
        events_.clear();
        const Heartbeat heartbeat{id, start, start + 1, count < 0 ? ++count_ : count};
        return registry_.accept(heartbeat, {from, multicast, now_}, events_);
    }

    void pass(std::chrono::milliseconds time) {
        now_ += time;
        events_.clear();
        registry_.expire(now_, events_);
    }

    [[nodiscard]] std::vector<EventKind> events() const {
        std::vector<EventKind> kinds;
        for (const Event& event : events_) kinds.push_back(event.kind);
        return kinds;
    }

    Registry registry_;
    coptersim::TimePoint now_ = coptersim::TimePoint(100h);
    std::int64_t count_ = 0;
    std::vector<Event> events_;
};

TEST(Registry, AsTheVectorsSay) {
    EXPECT_EQ(vectors()["registry"].size(), 4U);
    for (const auto& vector : vectors()["registry"]) {
        Registry registry;
        std::vector<Address> local;
        for (const auto& address : vector["local_addresses"])
            local.push_back(*coptersim::parse_address(address.get<std::string>()));
        registry.set_local_addresses(local);
        std::vector<Event> events;
        coptersim::TimePoint now{};
        for (const auto& beat : vector["beats"]) {
            for (const auto& candidate : vectors()["heartbeats"]) {
                if (candidate["id"] != beat[1]) continue;
                const std::string bytes = from_hex(candidate["hex"]);
                Heartbeat heartbeat;
                if (decode(bytes.data(), bytes.size(), heartbeat) != coptersim::ErrorCode::ok) continue;
                registry.accept(heartbeat,
                                {*coptersim::parse_address(beat[0].get<std::string>()), true, now += 1s},
                                events);
            }
        }
        nlohmann::json found = nlohmann::json::array();
        for (const auto& vehicle : registry.vehicles())
            found.push_back({vehicle.id, to_string(vehicle.address)});
        EXPECT_EQ(found, vector["expect"]) << vector["id"];
    }
}

TEST_F(RegistryTest, AVehicleArrivesStaysAndDeparts) {
    EXPECT_EQ(registry_.find(1), nullptr);
    EXPECT_EQ(beat(1, there), Acceptance::accepted);
    EXPECT_THAT(events(), ElementsAre(EventKind::arrived));
    EXPECT_EQ(describe(events_[0]), "vehicle 1 arrived, at 192.168.1.20");
    const auto arrived = now_;
    pass(4999ms);
    EXPECT_EQ(beat(1, there), Acceptance::accepted);
    EXPECT_THAT(events(), IsEmpty());
    pass(4999ms);
    ASSERT_NE(registry_.find(1), nullptr);
    EXPECT_EQ(registry_.find(1)->first_seen, arrived);
    EXPECT_EQ(registry_.find(1)->last_seen, now_ - 4999ms);
    EXPECT_EQ(registry_.find(1)->beats, 2U);
    EXPECT_FALSE(registry_.find(1)->local);
    pass(1ms);
    EXPECT_THAT(events(), ElementsAre(EventKind::departed));
    EXPECT_EQ(events_[0].vehicle.address, there) << "the event still says where it was";
    EXPECT_EQ(registry_.find(1), nullptr);
}

TEST_F(RegistryTest, ABeatAfterTheExpiryIsANewArrivalEvenIfNobodyLookedMeanwhile) {
    beat(1, there);
    now_ += 1h;
    EXPECT_EQ(beat(1, elsewhere), Acceptance::accepted);
    EXPECT_THAT(events(), ElementsAre(EventKind::departed, EventKind::arrived));
    EXPECT_EQ(registry_.find(1)->address, elsewhere);
    EXPECT_EQ(registry_.find(1)->first_seen, now_);
}

TEST_F(RegistryTest, OwnAddressesAreLocal) {
    for (const Address address : {here, coptersim::loopback}) {
        Registry registry;
        registry.set_local_addresses({here});
        registry.accept({1, 0, 0, 1}, {address, true, now_}, events_);
        EXPECT_TRUE(registry.find(1)->local);
        EXPECT_EQ(registry.find(1)->address, coptersim::loopback);
    }
    EXPECT_FALSE(registry_.is_local(there));
}

TEST_F(RegistryTest, ALocalOneReplacesOneElsewhereAndIgnoresIt) {
    beat(1, there);
    EXPECT_EQ(beat(1, here), Acceptance::accepted);
    EXPECT_THAT(events(), ElementsAre(EventKind::moved));
    EXPECT_EQ(registry_.find(1)->address, coptersim::loopback);
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(beat(1, there), Acceptance::rival);
        EXPECT_EQ(events(), i == 0 ? std::vector{EventKind::duplicated} : std::vector<EventKind>{});
        EXPECT_EQ(registry_.find(1)->rival, there);
        pass(900ms);
    }
    EXPECT_EQ(registry_.find(1)->beats, 2U);
    pass(500ms);
    EXPECT_THAT(events(), ElementsAre(EventKind::departed)) << "the one elsewhere does not keep it alive";
    beat(1, there);
    EXPECT_THAT(events(), ElementsAre(EventKind::arrived));
    EXPECT_FALSE(registry_.find(1)->local);
}

TEST_F(RegistryTest, TheSameIdTwiceElsewhereTheFirstAddressStaysWhileItBeats) {
    beat(1, there);
    for (int i = 0; i < 20; ++i) {
        pass(1s);
        EXPECT_EQ(beat(1, elsewhere, 2000), Acceptance::rival);
        EXPECT_EQ(events(), i == 0 ? std::vector{EventKind::duplicated} : std::vector<EventKind>{});
        EXPECT_EQ(registry_.find(1)->heartbeat.start_time_ms, 2000) << "times follow the newest";
        EXPECT_EQ(beat(1, there), Acceptance::accepted);
        EXPECT_THAT(events(), IsEmpty());
        EXPECT_EQ(registry_.find(1)->address, there);
    }
    EXPECT_EQ(registry_.find(1)->restarts, 0U) << "two CopterSims are no restart";
}

TEST_F(RegistryTest, TheRivalTakesOverWhenTheFirstFallsSilent) {
    beat(1, there);
    for (int i = 0; i < 4; ++i) {
        pass(1s);
        EXPECT_EQ(beat(1, elsewhere), Acceptance::rival);
    }
    pass(1s);
    EXPECT_EQ(beat(1, elsewhere), Acceptance::accepted);
    EXPECT_THAT(events(), ElementsAre(EventKind::moved));
    EXPECT_EQ(registry_.find(1)->address, elsewhere);
    EXPECT_FALSE(registry_.find(1)->rival);
}

TEST_F(RegistryTest, ARestartIsALaterStartOrACountThatFalls) {
    beat(1, there, 1000, 50);
    beat(1, there, 1000, 51);
    EXPECT_THAT(events(), IsEmpty());
    beat(1, there, 1000, 51);
    EXPECT_THAT(events(), IsEmpty()) << "the same beat on two ways";
    beat(1, there, 5000, 60);
    EXPECT_THAT(events(), ElementsAre(EventKind::restarted));
    beat(1, there, 5000, 1);
    EXPECT_THAT(events(), ElementsAre(EventKind::restarted));
    EXPECT_EQ(registry_.find(1)->restarts, 2U);
    EXPECT_EQ(registry_.find(1)->beats, 5U);
}

TEST_F(RegistryTest, TheSameIdTwiceOnOneComputerIsToldByTheirStarts) {
    beat(1, here, 1000);
    beat(1, here, 9000);
    EXPECT_THAT(events(), ElementsAre(EventKind::restarted)) << "this one looks like a restart";
    EXPECT_EQ(beat(1, here, 1000), Acceptance::rival);
    EXPECT_THAT(events(), ElementsAre(EventKind::duplicated));
    for (int i = 0; i < 10; ++i) {
        pass(500ms);
        EXPECT_EQ(beat(1, here, 9000), Acceptance::accepted);
        EXPECT_EQ(beat(1, here, 1000), Acceptance::rival);
        EXPECT_THAT(events(), IsEmpty());
    }
    EXPECT_EQ(registry_.find(1)->restarts, 1U);
}

TEST_F(RegistryTest, AClockSetBackBeforeARestartIsGotOver) {
    beat(1, there, 9000);
    for (int i = 0; i < 4; ++i) {
        pass(1s);
        EXPECT_EQ(beat(1, there, 1000), Acceptance::rival);
    }
    pass(1s);
    EXPECT_EQ(beat(1, there, 1000), Acceptance::accepted);
    EXPECT_THAT(events(), ElementsAre(EventKind::restarted));
}

TEST_F(RegistryTest, SaysWhetherMulticastWorks) {
    beat(1, there, 1000, 1, false);
    EXPECT_FALSE(registry_.find(1)->last_multicast);
    pass(1s);
    beat(1, there, 1000, 2, true);
    EXPECT_EQ(registry_.find(1)->last_multicast, now_);
    pass(1s);
    beat(1, there, 1000, 3, false);
    EXPECT_EQ(registry_.find(1)->last_multicast, now_ - 1s);
    beat(1, here, 1000, 4, false);
    EXPECT_FALSE(registry_.find(1)->last_multicast) << "it moved";
    beat(1, there, 1000, 4, true);
    EXPECT_FALSE(registry_.find(1)->last_multicast) << "a rival's beat says nothing";
}

TEST_F(RegistryTest, IdsBeginWithOne) {
    for (const std::int32_t id : {0, -1, std::numeric_limits<std::int32_t>::min()})
        EXPECT_EQ(beat(id, there), Acceptance::bad_id);
    EXPECT_EQ(beat(std::numeric_limits<std::int32_t>::max(), there), Acceptance::accepted);
    EXPECT_EQ(registry_.size(), 1U);
}

TEST_F(RegistryTest, VehiclesInTheOrderOfTheirIds) {
    for (const std::int32_t id : {7, 1, 12, 3}) beat(id, there);
    std::vector<std::int32_t> ids;
    for (const auto& vehicle : registry_.vehicles()) ids.push_back(vehicle.id);
    EXPECT_THAT(ids, ElementsAre(1, 3, 7, 12));
}

TEST_F(RegistryTest, AFloodOfIdsFillsItUpToTheLimitOnly) {
    registry_ = Registry({5s, 100});
    for (int id = 1; id <= 100000; ++id)
        EXPECT_EQ(beat(id, there), id <= 100 ? Acceptance::accepted : Acceptance::full);
    EXPECT_EQ(registry_.size(), 100U);
    EXPECT_EQ(beat(50, there), Acceptance::accepted) << "who is known goes on";
    pass(5s);
    EXPECT_EQ(events_.size(), 100U);
    EXPECT_EQ(beat(200, there), Acceptance::accepted);
}

/// Whatever comes: each arrival has its departure, in turn, and what is alive has been heard within the expiry.
TEST_F(RegistryTest, ArrivalsAndDeparturesAddUpWhateverComes) {
    std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same in each run
    const auto any = [&random](int count) {
        return static_cast<int>(random() % static_cast<unsigned>(count));
    };
    std::map<std::int32_t, bool> alive;
    for (int i = 0; i < 20000; ++i) {
        const Address from =
            std::array{here, there, elsewhere, coptersim::loopback}[static_cast<std::size_t>(any(4))];
        if (any(3) == 0) {
            pass(std::chrono::milliseconds(any(4000)));
        } else {
            beat(1 + any(5), from, any(3) * 1000, any(100), any(2) == 0);
        }
        for (const Event& event : events_) {
            bool& is_alive = alive[event.vehicle.id];
            ASSERT_EQ(is_alive, event.kind != EventKind::arrived) << describe(event);
            is_alive = event.kind != EventKind::departed;
        }
        for (const auto& vehicle : registry_.vehicles()) {
            ASSERT_TRUE(alive[vehicle.id]);
            ASSERT_LT(now_ - vehicle.last_seen, 5s + 4s);
            ASSERT_EQ(vehicle.local, vehicle.address == coptersim::loopback);
        }
    }
}

TEST(Events, HaveNames) {
    EXPECT_STREQ(to_string(EventKind::duplicated), "duplicated");
    EXPECT_STREQ(to_string(static_cast<EventKind>(99)), "unknown");
    coptersim::Vehicle vehicle;
    vehicle.id = 2;
    vehicle.address = there;
    vehicle.rival = elsewhere;
    EXPECT_EQ(coptersim::describe({EventKind::duplicated, vehicle}),
              "vehicle 2 duplicated, at 192.168.1.20 and at 192.168.1.21");
}

}  // namespace
