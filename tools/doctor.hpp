// doctor.hpp - examines what passes between SITL and a backend: the wire, the clock and the physics. Pure: fed by
// `ap_json check` from a socket and by `ap_json report` from a recording.
#pragma once

#include <ap_json/frame_tracker.hpp>
#include <ap_json/servo_packet.hpp>
#include <ap_json/sitl_reader.hpp>
#include <string>
#include <vector>

#include "clock_check.hpp"
#include "physics_check.hpp"
#include "wire_check.hpp"

class Doctor {
  public:
    /// @param least_rate  Hz; see ClockCheck
    explicit Doctor(double least_rate = 90) : clock_(least_rate) {}

    /// A servo packet that SITL sent.
    void packet(const ap_json::ServoPacket& packet);

    /// A datagram that the backend sent.
    void line(const std::string& datagram, std::int64_t time_ns);

    /// What is wrong, the wire first.
    [[nodiscard]] std::vector<Finding> conclude() const;

    /// What could not be examined, in words.
    [[nodiscard]] std::vector<std::string> not_examined() const { return physics_.not_examined(); }

    [[nodiscard]] std::uint64_t packets() const { return packets_; }
    [[nodiscard]] std::uint64_t lines() const { return lines_; }
    [[nodiscard]] const ClockCheck& clock() const { return clock_; }

  private:
    void several_answers(const std::string& datagram, std::int64_t time_ns);

    ap_json::SitlReader reader_;
    ap_json::FrameTracker frames_;
    WireCheck wire_;
    ClockCheck clock_;
    PhysicsCheck physics_;
    Findings exchange_;
    bool repeated_ = false;      // the newest packet
    int answers_ = 0;            // to the newest packet
    std::uint64_t several_ = 0;  // packets with more than one answer
    std::uint64_t packets_ = 0;
    std::uint64_t lines_ = 0;
};
