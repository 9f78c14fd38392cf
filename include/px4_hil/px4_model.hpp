// px4_model.hpp - how a PX4 behaves towards a ground station and a simulator, without a socket and without a clock: for
// tests and for the stand-in. Part of the target ap_json::px4_stand_in.
//
// Differs from the real one: no estimator (it believes what it is told), so it arms at once; a path follower of a few
// lines in place of PX4's navigator and controllers; it knows the parameter SYS_HITL only.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "px4_hil/export.hpp"
#include "px4_hil/frame.hpp"
#include "px4_hil/mission_upload.hpp"
#include "px4_hil/parser.hpp"
#include "px4_hil/station.hpp"

namespace px4_hil {

/// Releases differ in how HIL mode is entered, and in when controls are sent.
enum class Px4Release : std::uint8_t {
    v1_8,   ///< HIL by set-mode, with SYS_HITL = 1; controls while armed only; no checksum of the route
    v1_10,  ///< HIL by SYS_HITL at boot; controls while armed only; no checksum of the route
    v1_15,  ///< HIL by SYS_HITL at boot; controls always
};

struct Px4ModelOptions {
    Identity identity{1, component_id::autopilot};
    Px4Release release = Px4Release::v1_15;
    std::uint8_t type = mav_type::ground_rover;
    bool hardware = true;  ///< false: SITL in lockstep: its clock advances with HIL_SENSOR only
    int sys_hitl = 1;
    bool armed = false;                        ///< at the start
    double control_rate = 200;                 ///< Hz, of HIL_ACTUATOR_CONTROLS on hardware
    std::chrono::milliseconds boot_time{500};  ///< until its first heartbeat
    std::size_t capacity = 500;                ///< items of a route
    double speed = 3;                          ///< m/s, along the route
    double acceptance_radius = 2;              ///< m, of way points that have none of their own
    MavlinkVersion version = MavlinkVersion::v2;
};

class PX4_HIL_API Px4Model {
  public:
    using Time = std::chrono::steady_clock::time_point;

    /// @param writer  outlives the model
    Px4Model(const Px4ModelOptions& options, LineWriter& writer, Time now);

    void receive(Line line, const void* data, std::size_t size, Time now);
    void tick(Time now);
    /// SITL: its connection to the simulator is up.
    void simulator_connected(Time now);

    // ---- what happens to it

    void reboot(Time now);
    /// Says nothing and hears nothing from now on.
    void set_silent(bool silent) noexcept { silent_ = silent; }
    /// Says no controls from now on.
    void set_controls_off(bool off) noexcept { controls_off_ = off; }
    /// Refuses to arm and says why; empty = arms again.
    void refuse_arming(std::string why) { refusal_ = std::move(why); }
    /// As a remote control or a failsafe would.
    void set_mode(Px4Mode mode) noexcept { mode_ = mode; }
    void set_armed(bool armed) noexcept { armed_ = armed; }
    /// Becomes another autopilot.
    void set_system(std::uint8_t system) noexcept;

    // ---- what it is like

    [[nodiscard]] bool armed() const noexcept { return armed_; }
    [[nodiscard]] bool hil() const noexcept { return hil_; }
    [[nodiscard]] int sys_hitl() const noexcept { return options_.sys_hitl; }
    [[nodiscard]] Px4Mode mode() const noexcept { return mode_; }
    [[nodiscard]] const std::vector<MissionItemInt>& mission() const noexcept { return mission_; }
    [[nodiscard]] int reached() const noexcept { return reached_; }
    [[nodiscard]] bool complete() const noexcept { return complete_; }
    [[nodiscard]] std::uint64_t states_received() const noexcept { return states_; }
    /// The newest of them.
    [[nodiscard]] const std::optional<HilStateQuaternion>& vehicle() const noexcept { return state_; }
    [[nodiscard]] const ParserStatistics& parser_statistics() const noexcept {
        return parsers_[0].statistics();
    }

  private:
    class Outlet final : public MessageSink {
      public:
        Outlet(Px4Model& model, Line line) : model_(model), line_(line) {}
        void put(const MessageInfo& info, const void* message) override;

      private:
        Px4Model& model_;
        Line line_;
    };
    struct Transfer {  // of a route, from a station
        Identity partner;
        std::size_t count = 0;
        std::vector<MissionItemInt> items;
        Time last_heard, last_request;
        bool floats = false;
    };
    struct Place {
        double north, east;  // m
    };

    void handle(Line line, const Frame& frame, Time now);
    void handle_command(const CommandLong& command, Identity sender, Time now);
    std::uint8_t set_mode_by(int base, Px4Mode mode, Time now);
    std::uint8_t arm_by(bool arm, bool force);
    void handle_parameter_set(const ParamSet& set);
    void handle_count(const MissionCount& count, Identity sender, Time now);
    void handle_item(const MissionItemInt& item, Identity sender, Time now);
    void store(Identity partner);
    void request(Time now);
    void acknowledge(Identity partner, std::uint8_t result, std::uint32_t opaque_id = 0);
    void say(std::uint8_t severity, std::string_view text);
    void send_heartbeat(Outlet& outlet, bool full);
    void send_controls(std::uint64_t time);
    void send_current();
    void follow_path();
    [[nodiscard]] Place offset_to(const MissionItemInt& item) const;
    void reach(int sequence);
    void start(Time now);
    [[nodiscard]] std::uint8_t base_mode() const noexcept;
    [[nodiscard]] bool for_us(std::uint8_t system, std::uint8_t component) const noexcept;

    Px4ModelOptions options_;
    LineWriter& writer_;
    FrameEncoder encoders_[2];  // by line
    Outlet command_out_, simulator_out_;
    Parser parsers_[2];

    bool silent_ = false, controls_off_ = false;
    std::string refusal_;

    Time started_;
    Time next_heartbeat_, next_controls_, next_current_, next_reached_;
    bool running_ = false;  // has booted
    bool armed_ = false, hil_ = false;
    Px4Mode mode_ = px4_mode::hold;
    std::uint64_t sensor_time_ = 0;  // us, SITL's clock

    std::optional<Transfer> transfer_;
    std::optional<MissionItemInt> last_stored_;
    std::vector<MissionItemInt> mission_;
    std::uint32_t mission_id_ = 0;
    int current_ = 0, reached_ = -1, reached_repeats_ = 0;
    bool complete_ = false;

    std::optional<HilStateQuaternion> state_;  // or what sensors make of it
    std::uint64_t states_ = 0;
    double yaw_ = 0;        // rad
    double speed_sum_ = 0;  // of the speed controller
    float throttle_ = 0, steering_ = 0;
};

}  // namespace px4_hil
