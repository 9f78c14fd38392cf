// negotiator_test.cpp - a mode's side: the recorded dialogues, and everything that can go wrong between them. The clock is
// the test's own.
#include <gmock/gmock.h>

#include <limits>
#include <random>

#include "vectors.hpp"

namespace px4_setpoint {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr auto trajectory = SetpointType::trajectory;
constexpr auto rates = SetpointType::rates;
constexpr auto attitude = SetpointType::attitude;

SetpointConfigReply reply_to(const SetpointConfig& request, Result result = Result::success,
                             Requirements needs = {}) {
    return {1,
            request.type,
            request.source_id,
            result,
            needs.angular_velocity,
            needs.attitude,
            needs.local_altitude,
            needs.local_position};
}

// One mode, its clock, and short words for what tests do with it.
struct Mode {
    explicit Mode(std::vector<SetpointType> types, std::uint8_t source_id = 23)
        : Mode(options(std::move(types), source_id)) {}
    explicit Mode(NegotiatorOptions with, Turn* turn = nullptr) : negotiator(std::move(with), turn) {}

    static NegotiatorOptions options(std::vector<SetpointType> types, std::uint8_t source_id = 23) {
        NegotiatorOptions result;
        result.source_id = source_id;
        result.types = std::move(types);
        return result;
    }

    void begin() {
        negotiator.matched(true);
        ASSERT_FALSE(negotiator.check(now));
    }

    // Checks all types with success; the mode is active afterwards.
    void fly() {
        begin();
        while (const auto request = negotiator.poll(now)) negotiator.receive(reply_to(*request), now);
        ASSERT_EQ(negotiator.state(), State::checked);
        pass(300);  // no reply to a check is on its way any more
        ASSERT_FALSE(negotiator.activate(now));
    }

    // A setpoint that has to be good, and the request that comes with it, if any.
    std::optional<SetpointConfig> setpoint(SetpointType type) {
        const auto error = negotiator.setpoint(type, now);
        EXPECT_FALSE(error) << error.message();
        return negotiator.poll(now);
    }

    void pass(int ms) { now += milliseconds(ms); }

    Time now = Time(milliseconds(1000000));
    Negotiator negotiator;
};

// ---- the dialogues of the specification

void expect_end(const nlohmann::json& expected, const Negotiator& negotiator) {
    const std::pair<const char*, State> states[] = {{"ACTIVE", State::active}, {"CHECKED", State::checked}};
    for (const auto& [name, state] : states) {
        if (expected.value("state", "") == name) {
            EXPECT_EQ(negotiator.state(), state);
        }
    }
    const std::pair<const char*, ErrorCode> errors[] = {{"NO_REPLY", ErrorCode::no_reply},
                                                        {"UNSUPPORTED", ErrorCode::unsupported}};
    for (const auto& [name, code] : errors) {
        if (expected.value("error", "") == name) {
            EXPECT_EQ(negotiator.error().code(), code);
        }
    }
    if (expected.contains("requirements")) {
        const auto& needs = expected.at("requirements");
        EXPECT_EQ(negotiator.requirements(),
                  (Requirements{needs.at("angular_velocity"), needs.at("attitude"), needs.at("local_alt"),
                                needs.at("local_position")}));
    }
}

TEST(Negotiator, TheDialoguesOfTheSpecification) {
    ASSERT_EQ(vectors().at("dialogues").size(), 4U);
    for (const auto& dialogue : vectors().at("dialogues")) {
        SCOPED_TRACE(dialogue.at("id").get<std::string>());
        const auto& steps = dialogue.at("steps");
        SetpointConfig first;
        const auto first_bytes = from_hex(steps.at(0).at("tx"));
        ASSERT_FALSE(decode(first_bytes.data(), first_bytes.size(), first));
        Mode mode({first.type}, first.source_id);
        const auto begin = mode.now;
        mode.begin();
        for (const auto& step : steps) {
            SCOPED_TRACE(step.dump());
            if (step.contains("at_ms")) mode.now = begin + milliseconds(step.at("at_ms").get<int>());
            if (step.contains("wait_ms")) {
                EXPECT_FALSE(mode.negotiator.poll(mode.now)) << "nothing before the time is over";
                mode.pass(step.at("wait_ms"));
            } else if (step.contains("rx")) {
                const auto bytes = from_hex(step.at("rx"));
                EXPECT_FALSE(mode.negotiator.receive(bytes.data(), bytes.size(), mode.now));
            } else {
                if (mode.negotiator.state() == State::checked) {
                    mode.pass(300);
                    ASSERT_FALSE(mode.negotiator.activate(mode.now));
                    ASSERT_FALSE(mode.negotiator.setpoint(first.type, mode.now));
                }
                const auto request = mode.negotiator.poll(mode.now);
                ASSERT_TRUE(request);
                EXPECT_EQ(to_hex(encode(*request)), step.at("tx"));
            }
        }
        const auto& expected = dialogue.at("expect");
        if (expected.contains("at_ms")) {
            const auto end = begin + milliseconds(expected.at("at_ms").get<int>());
            EXPECT_FALSE(mode.negotiator.poll(end - Duration(1)));
            EXPECT_EQ(mode.negotiator.state(), State::checking) << "not before its time";
            EXPECT_EQ(mode.negotiator.next(), end);
            EXPECT_FALSE(mode.negotiator.poll(end));
        }
        expect_end(expected, mode.negotiator);
    }
}

// ---- what cannot be meant

TEST(Negotiator, RefusesOptionsThatCannotBeMeant) {
    struct Case {
        const char* about;
        ErrorCode code;
        void (*spoil)(NegotiatorOptions&);
    };
    const Case cases[] = {
        {"22", ErrorCode::not_registered, [](NegotiatorOptions& o) { o.source_id = 22; }},
        {"31", ErrorCode::not_registered, [](NegotiatorOptions& o) { o.source_id = 31; }},
        {"types is empty", ErrorCode::bad_option, [](NegotiatorOptions& o) { o.types.clear(); }},
        {"type 0", ErrorCode::bad_type, [](NegotiatorOptions& o) { o.types = {SetpointType::invalid}; }},
        {"type 17", ErrorCode::bad_type,
         [](NegotiatorOptions& o) { o.types = {static_cast<SetpointType>(17)}; }},
        {"twice", ErrorCode::bad_option,
         [](NegotiatorOptions& o) {
             o.types = {rates, trajectory, rates};
         }},
        {"tries", ErrorCode::bad_option, [](NegotiatorOptions& o) { o.tries = 0; }},
        {"discovery", ErrorCode::bad_option, [](NegotiatorOptions& o) { o.discovery = Duration(-1); }},
        {"reply_timeout", ErrorCode::bad_option,
         [](NegotiatorOptions& o) { o.reply_timeout = Duration::max(); }},
        {"repeat", ErrorCode::bad_option, [](NegotiatorOptions& o) { o.repeat = Duration::min(); }},
    };
    for (const auto& one : cases) {
        auto options = Mode::options({trajectory});
        one.spoil(options);
        Negotiator negotiator(options);
        const auto error = negotiator.check(Time());
        EXPECT_EQ(error.code(), one.code) << one.about;
        EXPECT_THAT(error.message(), HasSubstr(one.about));
        EXPECT_EQ(negotiator.state(), State::idle);
        EXPECT_FALSE(negotiator.poll(Time()));
    }
    for (const auto id : {first_external_mode, last_external_mode}) {
        EXPECT_FALSE(Negotiator(Mode::options({trajectory}, id)).check(Time()));
    }
}

TEST(Negotiator, AsksForUnknownTypesOnlyWhenToldTo) {
    auto options = Mode::options({static_cast<SetpointType>(40)});
    options.unknown_types = true;
    Mode mode(options);
    mode.begin();
    const auto request = mode.negotiator.poll(mode.now);
    ASSERT_TRUE(request);
    EXPECT_EQ(static_cast<unsigned>(request->type), 40U);
    options.types = {SetpointType::invalid};
    EXPECT_EQ(Negotiator(options).check(Time()).code(), ErrorCode::bad_type) << "0 is never a type";
}

TEST(Negotiator, CallsOutOfOrderAreRefusedInWords) {
    Mode mode({trajectory});
    EXPECT_EQ(mode.negotiator.activate(mode.now).code(), ErrorCode::wrong_state);
    EXPECT_EQ(mode.negotiator.setpoint(trajectory, mode.now).code(), ErrorCode::wrong_state);
    mode.negotiator.deactivate();
    EXPECT_EQ(mode.negotiator.state(), State::idle);
    EXPECT_EQ(mode.negotiator.next(), Time::max());
    mode.fly();
    const auto error = mode.negotiator.check(mode.now);
    EXPECT_EQ(error.code(), ErrorCode::wrong_state);
    EXPECT_THAT(error.message(), HasSubstr("checked"));
    const auto rates_are_not_declared = mode.negotiator.setpoint(rates, mode.now);
    EXPECT_EQ(rates_are_not_declared.code(), ErrorCode::bad_type);
}

// ---- discovery

TEST(Negotiator, WaitsForPx4sSideAndThenAsksAllTheSame) {
    Mode mode({trajectory});
    ASSERT_FALSE(mode.negotiator.check(mode.now));
    EXPECT_EQ(mode.negotiator.next(), mode.now + milliseconds(3000));
    mode.pass(2999);
    EXPECT_FALSE(mode.negotiator.poll(mode.now));
    EXPECT_EQ(mode.negotiator.state(), State::discovering);
    EXPECT_FALSE(mode.negotiator.warning(mode.now));
    mode.pass(1);
    EXPECT_TRUE(mode.negotiator.poll(mode.now));
    EXPECT_THAT(mode.negotiator.warning(mode.now).message(), HasSubstr("not found within 3000 ms"));
}

TEST(Negotiator, AsksAtOnceWhenPx4sSideIsThere) {
    Mode mode({trajectory});
    ASSERT_FALSE(mode.negotiator.check(mode.now));
    EXPECT_FALSE(mode.negotiator.poll(mode.now));
    mode.negotiator.matched(true);
    EXPECT_LE(mode.negotiator.next(), mode.now);
    EXPECT_TRUE(mode.negotiator.poll(mode.now));
    EXPECT_FALSE(mode.negotiator.warning(mode.now));
}

// ---- checking

TEST(Negotiator, ChecksAllTypesInOrderAndJoinsTheirNeeds) {
    Mode mode({rates, attitude});
    mode.begin();
    auto request = mode.negotiator.poll(mode.now);
    ASSERT_TRUE(request);
    EXPECT_EQ(request->type, rates);
    EXPECT_FALSE(request->should_apply);
    mode.negotiator.receive(reply_to(*request, Result::success, {true, false, false, false}), mode.now);
    EXPECT_EQ(mode.negotiator.state(), State::checking);
    request = mode.negotiator.poll(mode.now);
    ASSERT_TRUE(request);
    EXPECT_EQ(request->type, attitude);
    mode.negotiator.receive(reply_to(*request, Result::success, {false, true, false, false}), mode.now);
    EXPECT_EQ(mode.negotiator.state(), State::checked);
    EXPECT_EQ(mode.negotiator.requirements(), (Requirements{true, true, false, false}));
    EXPECT_EQ(mode.negotiator.next(), Time::max());
}

TEST(Negotiator, EachFailureIsToldApartWithItsOwnAdvice) {
    const std::tuple<Result, ErrorCode, const char*> cases[] = {
        {Result::failure_other, ErrorCode::failure_other, "register the mode"},
        {Result::unsupported, ErrorCode::unsupported, "kind of vehicle"},
        {Result::unknown_setpoint_type, ErrorCode::unknown_setpoint_type, "Update PX4"},
        {static_cast<Result>(9), ErrorCode::bad_result, "(9)"},
        {static_cast<Result>(255), ErrorCode::bad_result, "(255)"},
    };
    for (const auto& [result, code, advice] : cases) {
        Mode mode({trajectory, rates});
        mode.begin();
        const auto request = mode.negotiator.poll(mode.now);
        ASSERT_TRUE(request);
        mode.negotiator.receive(reply_to(*request, result), mode.now);
        EXPECT_EQ(mode.negotiator.state(), State::failed);
        EXPECT_EQ(mode.negotiator.error().code(), code);
        EXPECT_THAT(mode.negotiator.error().message(), HasSubstr(advice));
        EXPECT_FALSE(mode.negotiator.poll(mode.now)) << "the next type is not asked for";
        EXPECT_EQ(mode.negotiator.activate(mode.now).code(), code);
        mode.begin();  // another try
        EXPECT_TRUE(mode.negotiator.poll(mode.now));
        EXPECT_FALSE(mode.negotiator.error());
    }
}

TEST(Negotiator, ALateReplyToATimedOutCheckCounts) {
    Mode mode({trajectory});
    mode.begin();
    const auto request = mode.negotiator.poll(mode.now);
    mode.pass(350);
    ASSERT_TRUE(mode.negotiator.poll(mode.now));
    mode.negotiator.receive(reply_to(*request), mode.now);
    EXPECT_EQ(mode.negotiator.state(), State::checked);
    EXPECT_EQ(mode.negotiator.statistics().timeouts, 1U);
}

TEST(Negotiator, RepliesToNobodyChangeNothingAndAreCounted) {
    Mode mode({trajectory, rates});
    const SetpointConfigReply own{1, trajectory, 23, Result::unsupported, false, false, false, false};
    mode.negotiator.receive(own, mode.now);  // idle
    mode.begin();
    mode.negotiator.receive(own, mode.now);  // before anything was asked
    ASSERT_TRUE(mode.negotiator.poll(mode.now));
    auto other = own;
    other.source_id = 24;
    mode.negotiator.receive(other, mode.now);
    other = own;
    other.type = rates;  // not yet
    mode.negotiator.receive(other, mode.now);
    EXPECT_EQ(mode.negotiator.receive("123", 3, mode.now).code(), ErrorCode::too_short);
    EXPECT_EQ(mode.negotiator.state(), State::checking);
    const auto& counted = mode.negotiator.statistics();
    EXPECT_EQ(counted.received, 5U);
    EXPECT_EQ(counted.unexpected, 3U);
    EXPECT_EQ(counted.foreign, 1U);
    EXPECT_EQ(counted.undecodable, 1U);
    EXPECT_EQ(counted.answers, 0U);
}

// ---- applying

TEST(Negotiator, AppliesWithTheFirstSetpointAndThenOnly) {
    Mode mode({trajectory, rates});
    mode.fly();
    EXPECT_FALSE(mode.negotiator.poll(mode.now)) << "active, but no setpoint yet";
    EXPECT_FALSE(mode.negotiator.type());
    const auto request = mode.setpoint(rates);
    ASSERT_TRUE(request);
    EXPECT_TRUE(request->should_apply);
    EXPECT_EQ(request->type, rates);
    EXPECT_EQ(mode.negotiator.state(), State::applying);
    mode.negotiator.receive(reply_to(*request), mode.now);
    EXPECT_EQ(mode.negotiator.state(), State::active);
    EXPECT_EQ(mode.negotiator.type(), rates);
    EXPECT_FALSE(mode.setpoint(rates)) << "applied already";
}

TEST(Negotiator, RepeatsWithSetpointsButNotFasterThanTheLimit) {
    Mode mode({trajectory});
    mode.fly();
    ASSERT_TRUE(mode.setpoint(trajectory));
    mode.pass(100);
    EXPECT_FALSE(mode.negotiator.poll(mode.now)) << "no setpoint, no request";
    ASSERT_TRUE(mode.setpoint(trajectory));
    mode.pass(19);
    EXPECT_FALSE(mode.setpoint(trajectory));
    EXPECT_EQ(mode.negotiator.next(), mode.now + milliseconds(1));
    mode.pass(1);
    EXPECT_TRUE(mode.negotiator.poll(mode.now));
}

TEST(Negotiator, GoesOnAskingAndWarnsWhenPx4IsSilent) {
    Mode mode({trajectory});
    mode.fly();
    SetpointConfig request;
    for (int ms = 0; ms < 1500; ms += 10) {
        if (const auto asked = mode.setpoint(trajectory)) request = *asked;
        EXPECT_FALSE(mode.negotiator.warning(mode.now)) << ms;
        mode.pass(10);
    }
    EXPECT_EQ(mode.negotiator.warning(mode.now).code(), ErrorCode::no_reply);
    EXPECT_TRUE(mode.setpoint(trajectory)) << "setpoints flow, requests too";
    mode.negotiator.receive(reply_to(request), mode.now);
    EXPECT_EQ(mode.negotiator.state(), State::active);
    EXPECT_FALSE(mode.negotiator.warning(mode.now));
}

TEST(Negotiator, ARefusalWhileFlyingStopsTheSetpoints) {
    Mode mode({trajectory});
    mode.fly();
    const auto request = mode.setpoint(trajectory);
    mode.negotiator.receive(reply_to(*request, Result::unsupported), mode.now);
    EXPECT_EQ(mode.negotiator.state(), State::failed);
    EXPECT_EQ(mode.negotiator.setpoint(trajectory, mode.now).code(), ErrorCode::unsupported);
    mode.negotiator.deactivate();
    EXPECT_EQ(mode.negotiator.state(), State::checked) << "the next activation may try again";
    EXPECT_FALSE(mode.negotiator.activate(mode.now));
}

TEST(Negotiator, EveryActivationAppliesAgain) {
    Mode mode({trajectory});
    mode.fly();
    for (int i = 0; i < 3; ++i) {
        const auto request = mode.setpoint(trajectory);
        ASSERT_TRUE(request);
        mode.negotiator.receive(reply_to(*request), mode.now);
        EXPECT_EQ(mode.negotiator.state(), State::active);
        mode.negotiator.deactivate();
        EXPECT_EQ(mode.negotiator.state(), State::checked);
        EXPECT_EQ(mode.negotiator.setpoint(trajectory, mode.now).code(), ErrorCode::wrong_state);
        mode.negotiator.receive(reply_to(*request), mode.now);
        EXPECT_EQ(mode.negotiator.state(), State::checked) << "a doubled reply";
        ASSERT_FALSE(mode.negotiator.activate(mode.now));
        mode.pass(1000);
    }
}

TEST(Negotiator, AnotherTypeIsAppliedAtOnceAndTheOldReplyDoesNotCount) {
    Mode mode({trajectory, rates});
    mode.fly();
    const auto first = mode.setpoint(trajectory);
    const auto second = mode.setpoint(rates);
    ASSERT_TRUE(second) << "without waiting for the first, or its 20 ms";
    mode.negotiator.receive(reply_to(*first), mode.now);
    EXPECT_EQ(mode.negotiator.state(), State::applying);
    mode.negotiator.receive(reply_to(*second), mode.now);
    EXPECT_EQ(mode.negotiator.type(), rates);
}

// Check and apply replies look the same: one that may belong to an earlier round must not be taken for the answer to
// the new one, whose own request may be lost.
TEST(Negotiator, AReplyThatMayBelongToAnEarlierRoundIsNoAnswer) {
    Mode mode({trajectory, rates});
    mode.fly();
    const auto request = mode.setpoint(trajectory);
    mode.negotiator.receive(reply_to(*request), mode.now);
    const auto other = mode.setpoint(rates);
    mode.negotiator.receive(reply_to(*other), mode.now);
    ASSERT_EQ(mode.negotiator.type(), rates);
    ASSERT_TRUE(mode.setpoint(trajectory));
    mode.pass(299);
    mode.negotiator.receive(reply_to(*request), mode.now);
    EXPECT_EQ(mode.negotiator.state(), State::applying);
    ASSERT_TRUE(mode.setpoint(trajectory)) << "asked again";
    mode.pass(1);
    mode.negotiator.receive(reply_to(*request), mode.now);
    EXPECT_EQ(mode.negotiator.type(), trajectory);
}

TEST(Negotiator, ADoubledReplyToTheCheckIsNoAnswerToApply) {
    Mode mode({trajectory});
    mode.begin();
    const auto request = mode.negotiator.poll(mode.now);
    mode.negotiator.receive(reply_to(*request), mode.now);
    ASSERT_FALSE(mode.negotiator.activate(mode.now));
    ASSERT_TRUE(mode.setpoint(trajectory));
    mode.negotiator.receive(reply_to(*request), mode.now);
    EXPECT_EQ(mode.negotiator.state(), State::applying);
}

TEST(Negotiator, WatchesTheStreamOfSetpoints) {
    auto options = Mode::options({trajectory});
    options.timeout_ms = 500;
    Mode mode(options);
    mode.fly();
    mode.pass(500);
    EXPECT_FALSE(mode.negotiator.warning(mode.now));
    mode.pass(1);
    EXPECT_EQ(mode.negotiator.warning(mode.now).code(), ErrorCode::setpoints_missing)
        << "counted from the activation";
    const auto request = mode.setpoint(trajectory);
    ASSERT_TRUE(request);
    EXPECT_EQ(request->timeout_ms, 500);
    EXPECT_FALSE(mode.negotiator.warning(mode.now));
    mode.negotiator.receive(reply_to(*request), mode.now);
    mode.pass(501);
    EXPECT_THAT(mode.negotiator.warning(mode.now).message(), HasSubstr("501 ms"));
    mode.negotiator.deactivate();
    EXPECT_FALSE(mode.negotiator.warning(mode.now));
}

TEST(Negotiator, ATimeoutOfZeroWatchesNothing) {
    Mode mode({trajectory});
    mode.fly();
    mode.pass(1000000);
    EXPECT_FALSE(mode.negotiator.warning(mode.now));
}

// ---- several modes of one vehicle

TEST(Turn, OneRequestIsOpenAtATime) {
    Turn turn;
    Mode one(Mode::options({trajectory}, 23), &turn);
    Mode two(Mode::options({rates}, 24), &turn);
    one.begin();
    two.begin();
    const auto first = one.negotiator.poll(one.now);
    ASSERT_TRUE(first);
    EXPECT_FALSE(two.negotiator.poll(two.now));
    one.negotiator.receive(reply_to(*first), one.now);
    EXPECT_TRUE(two.negotiator.poll(two.now));
}

TEST(Turn, AModeThatGoesAwayGivesItUp) {
    Turn turn;
    Mode two(Mode::options({rates}, 24), &turn);
    two.begin();
    {
        Mode one(Mode::options({trajectory}, 23), &turn);
        one.begin();
        ASSERT_TRUE(one.negotiator.poll(one.now));
        EXPECT_FALSE(two.negotiator.poll(two.now));
    }
    EXPECT_TRUE(two.negotiator.poll(two.now));
}

TEST(Turn, AModeThatIsNotPolledAnyMoreHoldsNobodyUp) {
    Turn turn;
    Mode one(Mode::options({trajectory}, 23), &turn);
    Mode two(Mode::options({rates}, 24), &turn);
    one.begin();
    two.begin();
    ASSERT_TRUE(one.negotiator.poll(one.now));
    two.pass(299);
    EXPECT_FALSE(two.negotiator.poll(two.now));
    two.pass(1);
    EXPECT_TRUE(two.negotiator.poll(two.now));
}

// PX4 answers nobody: all get their tries, none starves.
TEST(Turn, IsShared) {
    Turn turn;
    Mode one(Mode::options({trajectory}, 23), &turn);
    Mode two(Mode::options({rates}, 24), &turn);
    one.begin();
    two.begin();
    Time last = Time::min();
    for (int ms = 0; ms < 4000; ++ms) {
        for (auto* mode : {&one, &two}) {
            if (mode->negotiator.poll(mode->now)) {
                EXPECT_TRUE(last == Time::min() || mode->now - last >= milliseconds(300))
                    << "two requests were open";
                last = mode->now;
            }
            mode->pass(1);
        }
    }
    for (auto* mode : {&one, &two}) {
        EXPECT_EQ(mode->negotiator.error().code(), ErrorCode::no_reply);
        EXPECT_EQ(mode->negotiator.statistics().sent, 5U);
    }
}

// ---- both sides together, over a road that loses, doubles and delays

TEST(Dialogue, ReachesItsEndOverABadRoad) {
    for (unsigned seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random(seed);
        const auto chance = [&](int percent) { return static_cast<int>(random() % 100) < percent; };
        Turn turn;
        auto patient = Mode::options({trajectory, rates}, 23);
        patient.tries = 50;
        Mode one(patient, &turn);
        patient.types = {attitude, SetpointType::rover_position};  // the second is refused
        patient.source_id = 24;
        Mode two(patient, &turn);
        one.begin();
        two.begin();
        Responder px4;
        std::vector<std::pair<Time, SetpointConfigReply>> road;
        std::uint64_t arrived = 0;
        for (auto now = one.now; now < one.now + std::chrono::seconds(60); now += milliseconds(5)) {
            for (auto* mode : {&one, &two}) {
                if (mode->negotiator.state() == State::checked) {
                    ASSERT_FALSE(mode->negotiator.activate(now));
                }
                if (mode->negotiator.state() >= State::checked && mode->negotiator.state() != State::failed) {
                    ASSERT_FALSE(mode->negotiator.setpoint(rates, now));
                }
                const auto request = mode->negotiator.poll(now);
                if (request && !chance(30)) px4.request(*request);
            }
            if (const auto reply = px4.cycle(0)) {
                for (int copies = chance(30) ? 0 : chance(20) ? 2 : 1; copies > 0; --copies) {
                    road.emplace_back(now + milliseconds(random() % 200), *reply);
                }
            }
            for (auto it = road.begin(); it != road.end();) {
                if (it->first > now) {
                    ++it;
                    continue;
                }
                ++arrived;
                for (auto* mode : {&one, &two}) mode->negotiator.receive(it->second, now);
                it = road.erase(it);
            }
            if (one.negotiator.state() == State::active && two.negotiator.state() == State::failed) break;
        }
        EXPECT_EQ(one.negotiator.type(), rates);
        EXPECT_EQ(px4.current(23), rates) << "active, though PX4 has not applied it";
        EXPECT_EQ(two.negotiator.error().code(), ErrorCode::unsupported);
        for (auto* mode : {&one, &two}) {
            const auto& counted = mode->negotiator.statistics();
            EXPECT_EQ(counted.received, arrived);
            EXPECT_EQ(counted.received,
                      counted.answers + counted.foreign + counted.unexpected + counted.undecodable);
        }
    }
}

}  // namespace
}  // namespace px4_setpoint
