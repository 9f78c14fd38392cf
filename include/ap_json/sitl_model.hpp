// sitl_model.hpp - how ArduPilot SITL behaves on this link, without a socket and without a clock: which
// packet it sends, what a datagram does to it, and a rover's pilot who arms and moves the sticks. For tests
// and tools; part of the target ap_json::sitl_stand_in.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ap_json/export.hpp"
#include "ap_json/servo_packet.hpp"
#include "ap_json/sitl_reader.hpp"

namespace ap_json {

/// The autopilot of a rover: RC 1 is steering, RC 3 is throttle.
///
/// Differs from the real one: no EKF, so it arms at once; RC 1100 to 1900 reaches the servos unchanged
/// (ArduPilot's rover.parm makes it 1110 to 1890); it knows only the modes MANUAL and HOLD.
class AP_JSON_API SitlModel {
  public:
    /// s of simulated time during which all PWM are 0.
    static constexpr double start_time = 1.887;

    // ---- the link

    /// Writes the servo packet that SITL sends now.
    /// @return its size: 40, or 72 with 32 channels
    std::size_t write_packet(unsigned char (&buffer)[servo_packet_size_32]) const noexcept;

    /// Takes one datagram. SITL sends its packet again at once after `accepted`, `rejected` and `incomplete`;
    /// it waits after `full`; after `fatal` it is dead.
    SitlVerdict receive(const char* data, std::size_t size);

    /// How it has read the newest datagram.
    [[nodiscard]] const SitlReader& reader() const noexcept { return reader_; }

    /// What SITL's console says since the call before; empties it.
    std::vector<std::string> take_console();

    /// What SITL has ended with; empty while it lives.
    [[nodiscard]] const std::string& death() const noexcept { return death_; }

    /// Of the next packet: how many lines were accepted.
    [[nodiscard]] std::uint32_t frame_count() const noexcept { return frame_count_; }

    /// s since SITL's start, in simulated time.
    [[nodiscard]] double clock() const noexcept { return static_cast<double>(clock_us_) / 1e6; }

    /// s: the newest step of the backend; 0 when its time stood still or went back.
    [[nodiscard]] double newest_step() const noexcept { return newest_step_; }

    /// Whether packets have 32 channels.
    [[nodiscard]] bool has_32_channels() const noexcept { return channels_ == 32; }
    /// The parameter SERVO_32_ENABLE; may change at any time.
    void set_32_channels(bool on) noexcept { channels_ = on ? 32 : 16; }

    /// The parameter SIM_RATE_HZ, 1200 by default: where the frame rate in the packets moves to.
    void set_sim_rate(float hertz) noexcept { sim_rate_ = hertz; }

    /// Sets the count of the next packet, to test how a backend copes with large ones.
    void set_frame_count(std::uint32_t count) noexcept { frame_count_ = count; }

    // ---- the pilot

    /// @return empty when done, otherwise why not
    std::string arm();
    /// Always works.
    void disarm() noexcept { armed_ = false; }
    /// Whether it is armed.
    [[nodiscard]] bool armed() const noexcept { return armed_; }

    /// MANUAL or HOLD, in any case. @return empty when done, otherwise why not
    std::string set_mode(std::string_view mode);
    /// "MANUAL" or "HOLD".
    [[nodiscard]] const char* mode() const noexcept { return hold_ ? "HOLD" : "MANUAL"; }

    /// @param channel 1 to 12  @param pwm 0 to 2200 us; 0 = release the channel to what the backend sends as
    /// RC input
    /// @return empty when done, otherwise why not
    std::string set_rc(int channel, int pwm);

    /// Output of a servo in microseconds, by ArduPilot's number.
    [[nodiscard]] std::uint16_t servo(int number) const noexcept;

    /// Sets a servo's output, whatever the pilot does: for vehicles that are no rovers.
    /// @param number 1 to 32  @param pwm 0 to 65535 us; nothing = release it to the pilot
    /// @return empty when done, otherwise why not
    std::string set_servo(int number, std::optional<int> pwm);

  private:
    void accept();
    [[nodiscard]] int rc_input(int channel) const noexcept;

    SitlReader reader_;
    std::vector<std::string> console_;
    std::string death_;
    std::uint32_t frame_count_ = 0;
    int channels_ = 16;
    float sim_rate_ = 1200;    // Hz
    float frame_rate_ = 1200;  // Hz, in the next packet
    double last_timestamp_ = 0;
    double newest_step_ = 0;
    std::int64_t clock_us_ = 0;
    bool clock_frozen_ = false;
    bool no_time_sync_ = false;
    bool no_lockstep_ = false;
    bool armed_ = false;
    bool hold_ = false;
    std::array<int, 12> overrides_{};                                               // 0 = none
    std::array<std::optional<std::uint16_t>, ServoPacket::max_channels> servos_{};  // set directly
};

}  // namespace ap_json
