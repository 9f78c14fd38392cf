// px4_component_test.cpp - the component with its thread and real lines, against the stand-in: over a pseudo-terminal, UDP
// and TCP, in real time.
#include <gmock/gmock.h>

#include <px4_hil/component.hpp>
#include <px4_hil/px4_stand_in.hpp>
#include <thread>

#if !defined(_WIN32)
#include <stdlib.h>
#include <unistd.h>
#endif

#include "little_rover.hpp"

namespace px4_hil {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;

/// Keeps what it is told.
class Framework final : public Host {
  public:
    void register_task(std::string_view name, Component&) override { tasks.emplace_back(name); }
    void bind_output(std::string_view name, const double& value) override {
        outputs.emplace_back(name, &value);
    }
    void report(const Event& event) override {
        kinds.push_back(event.kind), texts.emplace_back(event.text());
    }
    std::vector<std::string> tasks, texts;
    std::vector<EventKind> kinds;
    std::vector<std::pair<std::string, const double*>> outputs;

    [[nodiscard]] std::string story() const {
        std::string all;
        for (const std::string& text : texts) all += text + "\n";
        return all;
    }
};

/// Opens a line of the station's on a free port, and names the other end of it.
std::string open_line(const char* kind, TransportPtr& transport) {
    const auto error = open_link(std::string(kind) + ":0", transport);
    if (error) ADD_FAILURE() << error.message();
    const std::string_view name = transport->name();
    return std::string(kind) + ":" + std::string(name.substr(name.rfind(':') + 1));
}

/// Steps the rover in real time until it is done. @return whether it was in time
bool drive(Component& component, LittleRover& rover, const std::function<bool()>& done,
           std::chrono::seconds limit) {
    const auto end = std::chrono::steady_clock::now() + limit;
    for (auto next = std::chrono::steady_clock::now(); !done();) {
        if (std::chrono::steady_clock::now() > end) return false;
        const Update update = component.update(rover.state);
        rover.step(update.controls, 0.004);
        std::this_thread::sleep_until(next += 4ms);
    }
    return true;
}

struct Lines {
    const char* name;
    const char* command;    // "serial", "udp" or "tcp"
    const char* simulator;  // "" = one line for everything
};

class Px4Component : public testing::TestWithParam<Lines> {};

TEST_P(Px4Component, DrivesAlongARoute) {
    const bool sitl = *GetParam().simulator != '\0',
               serial = GetParam().command == std::string_view("serial");
    TransportPtr command, simulator;
    ComponentOptions options;
    Px4StandInOptions px4_options;
    if (!serial) px4_options.link = open_line(GetParam().command, command);
    if (sitl) px4_options.simulator_link = open_line(GetParam().simulator, simulator);
    px4_options.model.hardware = options.station.hardware = !sitl;
    if (sitl) options.station.feed = Feed::sensor_level;
    px4_options.model.acceptance_radius = 1;

    Px4StandIn px4;
    const auto started = px4.start(px4_options);
    ASSERT_FALSE(started) << started.message();
    Framework framework;
    Component component;
    options.link = "serial:" + px4.device();
    const auto error = serial ? component.init(options, &framework)
                              : component.init(options, std::move(command), std::move(simulator), &framework);
    ASSERT_FALSE(error) << error.message();
    EXPECT_EQ(component.state(), StationState::ready);
    EXPECT_THAT(framework.tasks, testing::ElementsAre("Move Along"));
    ASSERT_EQ(framework.outputs.size(), 3U);
    EXPECT_EQ(framework.outputs[0].first, "throttle");
    EXPECT_EQ(framework.outputs[1].first, "steering");
    EXPECT_EQ(framework.outputs[2].first, "brake");
    EXPECT_EQ(*framework.outputs[2].second, 1);

    LittleRover rover;
    ASSERT_FALSE(component.move_along(route_of({{6, 0}, {6, 4}})));
    ASSERT_TRUE(drive(
        component, rover, [&] { return !component.busy(); }, 60s))
        << framework.story();
    component.update(rover.state);
    EXPECT_THAT(framework.kinds, Contains(EventKind::task_done)) << framework.story();
    EXPECT_NEAR(rover.state.position.x, 6, 2);
    EXPECT_NEAR(rover.state.position.y, 4, 2);
    component.exit();
    EXPECT_EQ(*framework.outputs[0].second, 0);
    EXPECT_EQ(*framework.outputs[2].second, 1);
    EXPECT_TRUE(px4.wait_until([](const Px4Model& model) { return !model.armed(); }, 2s));
    EXPECT_EQ(component.state(), StationState::closed);
    component.exit();
}

INSTANTIATE_TEST_SUITE_P(Network, Px4Component,
                         testing::Values(Lines{"udp", "udp", ""}, Lines{"tcp", "tcp", ""},
                                         Lines{"sitl", "udp", "tcp"}),
                         [](const auto& test) { return test.param.name; });
#if !defined(_WIN32)
INSTANTIATE_TEST_SUITE_P(Serial, Px4Component, testing::Values(Lines{"pty", "serial", ""}),
                         [](const auto& test) { return test.param.name; });
#endif

TEST(Px4ComponentErrors, NameWhatIsWrong) {
    Component component;
    ComponentOptions options;
    for (const char* link : {"nonsense", "udp:", "udp:99999", "tcp:x", "serial:", "udp:1.2.3:5"}) {
        options.link = link;
        EXPECT_EQ(component.init(options).code(), ErrorCode::bad_option) << link;
    }
    EXPECT_EQ(component.update({}).error.code(), ErrorCode::wrong_state);
    EXPECT_EQ(component.move_along({}).code(), ErrorCode::wrong_state);
    EXPECT_EQ(component.set_mode(px4_mode::hold).code(), ErrorCode::wrong_state);
    EXPECT_EQ(component.init(options, nullptr, nullptr).code(), ErrorCode::bad_option);
    EXPECT_EQ(component.state(), StationState::closed);

    options.link = "udp:0";
    options.station.first_heartbeat_limit = 100ms;
    EXPECT_EQ(component.init(options).code(), ErrorCode::no_heartbeat);
    TransportPtr taken;
    options.link = open_line("udp", taken);
    EXPECT_EQ(component.init(options).code(), ErrorCode::port_open_failed);
}

TEST(Px4ComponentErrors, ExitFromAnotherThreadEndsInit) {
    for (int i = 0; i < 50; ++i) {
        Component component;
        ComponentOptions options;
        options.link = "udp:0";
        options.station.first_heartbeat_limit = 0ms;
        ErrorCode code = ErrorCode::ok;
        std::thread other([&] { code = component.init(options).code(); });
        while (component.state() != StationState::opening) std::this_thread::yield();
        component.exit();
        other.join();
        EXPECT_EQ(code, ErrorCode::cancelled);
    }
}

#if !defined(_WIN32)

TEST(Px4Discovery, FindsThePortWithThePx4AmongOthers) {
    // Two ports that match: one dead, one with a PX4.
    Px4StandIn dead, px4;
    Px4StandInOptions options;
    options.model.boot_time = 24h;
    ASSERT_FALSE(dead.start(options));
    options.model.boot_time = 500ms;
    ASSERT_FALSE(px4.start(options));
    std::string folder = testing::TempDir() + "px4_ports_XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    ASSERT_EQ(symlink(dead.device().c_str(), (folder + "/port1").c_str()), 0);
    ASSERT_EQ(symlink(px4.device().c_str(), (folder + "/port2").c_str()), 0);
    EXPECT_THAT(serial_candidates(folder + "/port*"), testing::Contains(folder + "/port2"));

    ComponentOptions component_options;
    component_options.serial_pattern = folder + "/port*";
    Component component;
    const auto error = component.init(component_options);
    EXPECT_FALSE(error) << error.message();
    EXPECT_EQ(component.link_name(), folder + "/port2");
    component.exit();

    px4.use([](Px4Model& model) { model.set_silent(true); });
    const auto nobody = component.init(component_options);
    EXPECT_EQ(nobody.code(), ErrorCode::port_not_found);
    EXPECT_THAT(nobody.message(), HasSubstr("port1"));
    unlink((folder + "/port1").c_str());
    unlink((folder + "/port2").c_str());
    rmdir(folder.c_str());
}

TEST(Px4Serial, SaysWhyAPortDoesNotOpen) {
    TransportPtr transport;
    EXPECT_EQ(open_serial({"/dev/no_such_port", 921600}, transport).code(), ErrorCode::port_open_failed);
    EXPECT_EQ(open_serial({"/dev/null", 921600}, transport).code(), ErrorCode::port_open_failed);
    EXPECT_EQ(open_serial({"/dev/null", 12345}, transport).code(), ErrorCode::bad_option);
    EXPECT_EQ(transport, nullptr);
}

TEST(Px4ComponentSerial, GoesOnWhenTheDeviceComesBack) {
    std::string folder = testing::TempDir() + "px4_unplugged_XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    const std::string port = folder + "/port";
    const auto px4 = std::make_unique<Px4StandIn>();
    ASSERT_FALSE(px4->start({}));
    ASSERT_EQ(symlink(px4->device().c_str(), port.c_str()), 0);
    ComponentOptions options;
    options.link = "serial:" + port;
    Framework framework;
    Component component;
    ASSERT_FALSE(component.init(options, &framework));
    LittleRover rover;

    px4->stop();  // pulled out
    ASSERT_TRUE(drive(
        component, rover, [&] { return component.state() == StationState::lost; }, 10s));
    unlink(port.c_str());
    ASSERT_FALSE(px4->start({}));  // and in again, perhaps under another name
    ASSERT_EQ(symlink(px4->device().c_str(), port.c_str()), 0);
    ASSERT_TRUE(drive(
        component, rover, [&] { return component.state() == StationState::ready; }, 20s))
        << framework.story();
    component.update(rover.state);  // hands over what happened since the last one
    EXPECT_THAT(framework.kinds, Contains(EventKind::link_lost));
    EXPECT_THAT(framework.kinds, Contains(EventKind::link_back));
    component.exit();
    unlink(port.c_str());
    rmdir(folder.c_str());
}

TEST(Px4ComponentSerial, LeadsPx4ThroughItsRebootIntoHilMode) {
    Px4StandIn px4;
    Px4StandInOptions options;
    options.model.sys_hitl = 0;
    ASSERT_FALSE(px4.start(options));
    ComponentOptions component_options;
    component_options.link = "serial:" + px4.device();
    component_options.station.may_set_sys_hitl = true;
    Component component;
    const auto error = component.init(component_options);
    EXPECT_FALSE(error) << error.message();
    EXPECT_TRUE(component.autopilot()->hil());
}

#endif

}  // namespace
}  // namespace px4_hil
