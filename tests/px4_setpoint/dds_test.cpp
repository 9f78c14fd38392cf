// dds_test.cpp - the dialogue over real DDS on the loopback interface, with PX4's side in a process of its own: this program
// again, called with "respond", or one that uses another vendor's DDS (FAST_DDS_RESPONDER). Each test has topics of its
// own, so that tests that run at the same time do not meet.
#include "px4_setpoint/dds.hpp"

#include <gmock/gmock.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "px4_setpoint/px4_setpoint.hpp"

extern char** environ;

namespace px4_setpoint {
namespace {

using namespace std::chrono_literals;

const char* own_path = "";

Time now() { return std::chrono::steady_clock::now(); }

// DDS domain and namespace of one test.
struct Place {
    DdsOptions options;

    Place() {
        static int tests = 0;
        options.domain = static_cast<unsigned>(getpid()) % 100 + 1;
        options.topic_namespace = "test_" + std::to_string(getpid()) + "_" + std::to_string(++tests);
    }
};

// PX4's side, in a process of its own. Ends with the object.
class Px4Process {
  public:
    Px4Process(const char* program, const Place& place) {
        const auto domain = std::to_string(place.options.domain);
        const char* arguments[] = {program, "respond", domain.c_str(), place.options.topic_namespace.c_str(),
                                   nullptr};
        // posix_spawn does not change the texts
        if (posix_spawn(&pid_, program, nullptr, nullptr, const_cast<char**>(arguments), environ) != 0)
            pid_ = -1;
    }
    Px4Process(const Px4Process&) = delete;
    Px4Process& operator=(const Px4Process&) = delete;
    ~Px4Process() { kill(SIGKILL); }

    [[nodiscard]] bool started() const { return pid_ > 0; }

    void kill(int signal) {
        if (pid_ <= 0) return;
        ::kill(pid_, signal);
        waitpid(pid_, nullptr, 0);
        pid_ = 0;
    }

  private:
    pid_t pid_ = 0;
};

NegotiatorOptions options_of(std::uint8_t source_id, std::vector<SetpointType> types) {
    NegotiatorOptions options;
    options.source_id = source_id;
    options.types = std::move(types);
    options.discovery = 30s;  // a loaded machine is slow to discover
    options.tries = 100;
    return options;
}

// Runs the modes' loop until it is as wished; false when it is not within a minute.
template <class Wish>
bool reaches(DdsClient& client, const std::vector<Negotiator*>& modes, Wish wish) {
    const auto end = now() + 60s;
    while (!wish()) {
        if (now() > end) return false;
        const auto error = exchange(client, modes, 10ms);
        EXPECT_FALSE(error) << error.message();
    }
    return true;
}

bool check(DdsClient& client, Negotiator& mode) {
    EXPECT_FALSE(mode.check(now()));
    return reaches(client, {&mode},
                   [&] { return mode.state() == State::checked || mode.state() == State::failed; });
}

// Sends setpoints all the time, as a flying mode does.
bool apply(DdsClient& client, Negotiator& mode, SetpointType type) {
    return reaches(client, {&mode}, [&] {
        EXPECT_FALSE(mode.setpoint(type, now()));
        return mode.state() == State::active;
    });
}

// Which programs play PX4 in the tests below.
class Dds : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        if (std::string(GetParam()) == "fast") {
#if defined(FAST_DDS_RESPONDER)
            program_ = FAST_DDS_RESPONDER;
#else
            GTEST_SKIP() << "Fast DDS is not installed (Debian: libfastrtps-dev)";
#endif
        }
        ASSERT_FALSE(client_.open(place_.options));
    }

    const char* program_ = own_path;
    Place place_;
    DdsClient client_;
};

TEST_P(Dds, ChecksAndApplies) {
    Px4Process px4(program_, place_);
    ASSERT_TRUE(px4.started());
    Negotiator mode(options_of(23, {SetpointType::trajectory, SetpointType::rates}));
    ASSERT_TRUE(check(client_, mode));
    ASSERT_EQ(mode.state(), State::checked) << mode.error().message();
    EXPECT_EQ(mode.requirements(), (Requirements{true, true, true, true}));
    ASSERT_FALSE(mode.activate(now()));
    EXPECT_TRUE(apply(client_, mode, SetpointType::rates));
    EXPECT_TRUE(apply(client_, mode, SetpointType::trajectory));
}

TEST_P(Dds, IsRefusedWhatTheVehicleDoesNotTake) {
    Px4Process px4(program_, place_);
    Negotiator mode(options_of(23, {SetpointType::rover_position}));
    ASSERT_TRUE(check(client_, mode));
    EXPECT_EQ(mode.error().code(), ErrorCode::unsupported);
    Negotiator stranger(options_of(30, {SetpointType::trajectory}));
    ASSERT_TRUE(check(client_, stranger));
    EXPECT_EQ(stranger.error().code(), ErrorCode::failure_other);
}

TEST_P(Dds, Px4MayComeLate) {
    Negotiator mode(options_of(23, {SetpointType::trajectory}));
    ASSERT_FALSE(mode.check(now()));
    for (int i = 0; i < 50; ++i) ASSERT_FALSE(exchange(client_, {&mode}, 10ms));
    EXPECT_EQ(mode.state(), State::discovering);
    Px4Process px4(program_, place_);
    EXPECT_TRUE(reaches(client_, {&mode}, [&] { return mode.state() == State::checked; }));
}

TEST_P(Dds, Px4MayBeRestarted) {
    Px4Process first(program_, place_);
    Negotiator mode(options_of(23, {SetpointType::trajectory, SetpointType::attitude}));
    ASSERT_TRUE(check(client_, mode));
    ASSERT_FALSE(mode.activate(now()));
    ASSERT_TRUE(apply(client_, mode, SetpointType::trajectory));
    first.kill(SIGKILL);
    ASSERT_FALSE(mode.setpoint(SetpointType::attitude, now()));
    for (int i = 0; i < 30; ++i) ASSERT_FALSE(exchange(client_, {&mode}, 10ms));
    EXPECT_EQ(mode.state(), State::applying) << "nobody answers";
    Px4Process second(program_, place_);
    EXPECT_TRUE(apply(client_, mode, SetpointType::attitude));
}

TEST_P(Dds, TwoModesAtOnce) {
    Px4Process px4(program_, place_);
    Turn turn;
    Negotiator one(options_of(23, {SetpointType::trajectory, SetpointType::rates}), &turn);
    Negotiator two(options_of(24, {SetpointType::attitude, SetpointType::thrust_and_torque}), &turn);
    ASSERT_FALSE(one.check(now()));
    ASSERT_FALSE(two.check(now()));
    ASSERT_TRUE(reaches(client_, {&one, &two},
                        [&] { return one.state() == State::checked && two.state() == State::checked; }));
    EXPECT_EQ(one.requirements(), (Requirements{true, true, true, true}));
    EXPECT_EQ(two.requirements(), (Requirements{true, true, false, false}));
    EXPECT_GE(one.statistics().foreign, 2U) << "each hears the other's replies";
}

INSTANTIATE_TEST_SUITE_P(Vendors, Dds, testing::Values("cyclone", "fast"),
                         [](const auto& vendor) { return std::string(vendor.param); });

TEST(DdsEnds, SayWhatIsWrongWithTheirOptions) {
    DdsClient client;
    EXPECT_EQ(client.open({233, ""}).code(), ErrorCode::bad_option);
    EXPECT_EQ(client.open({0, "/uav"}).code(), ErrorCode::bad_option);
    EXPECT_FALSE(client.matched());
    EXPECT_FALSE(client.receive(0ms));
    EXPECT_EQ(client.send({}).code(), ErrorCode::transport);
    DdsResponder responder;
    EXPECT_EQ(responder.open({1000, ""}).code(), ErrorCode::bad_option);
    EXPECT_EQ(responder.send({}).code(), ErrorCode::transport);
}

TEST(DdsEnds, KeepEveryField) {
    const Place place;
    DdsClient client;
    DdsResponder responder;
    ASSERT_FALSE(client.open(place.options));
    ASSERT_FALSE(responder.open(place.options));
    const auto end = now() + 60s;
    while (!(client.matched() && responder.matched()) && now() < end) static_cast<void>(client.receive(10ms));
    const SetpointConfig request{0x0102030405060708, static_cast<SetpointType>(0x1122), 30, true, 0x3344};
    ASSERT_FALSE(client.send(request));
    const auto read = responder.receive(60s);
    ASSERT_TRUE(read);
    EXPECT_EQ(encode(*read), encode(request));
    const SetpointConfigReply reply{0x1112131415161718,
                                    static_cast<SetpointType>(0x2233),
                                    29,
                                    static_cast<Result>(200),
                                    true,
                                    false,
                                    true,
                                    false};
    ASSERT_FALSE(responder.send(reply));
    const auto answer = client.receive(60s);
    ASSERT_TRUE(answer);
    EXPECT_EQ(encode(*answer), encode(reply));
    client.close();
    EXPECT_FALSE(client.matched());
}

int respond(const DdsOptions& options) {
    ResponderOptions px4;
    px4.registered = 0x03;  // 23 and 24
    Responder responder(px4);
    DdsResponder end;
    if (auto error = end.open(options)) return 1;
    for (;;) {
        const auto request = end.receive(10ms);
        if (!request) continue;
        responder.request(*request);
        if (const auto reply = responder.cycle(1)) static_cast<void>(end.send(*reply));
    }
}

}  // namespace
}  // namespace px4_setpoint

int main(int argc, char** argv) {
    setenv("CYCLONEDDS_URI",
           "<General><Interfaces><NetworkInterface "
           "name=\"lo\"/></Interfaces><AllowMulticast>false</AllowMulticast>"
           "</General><Discovery><ParticipantIndex>auto</ParticipantIndex>"
           "<MaxAutoParticipantIndex>20</MaxAutoParticipantIndex><Peers><Peer "
           "address=\"127.0.0.1\"/></Peers></Discovery>",
           1);
    if (argc == 4 && std::string(argv[1]) == "respond") {
        return px4_setpoint::respond({static_cast<unsigned>(std::atoi(argv[2])), argv[3]});
    }
    px4_setpoint::own_path = argv[0];
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
