// libAP_JSON.h - drop-in for programs written for the class libAP_JSON of ArduPilot's C++ example: same
// class, same functions, built on ap_json::Client. Put the folder of this file on the include path (CMake:
// link ap_json::libAP_JSON) and rebuild; nothing else changes. New programs are better off with
// ap_json/ap_json.hpp.
//
// What is different, all to the better: all 16 channels arrive (32 in an array of 32); only servo packets
// count; a restarted or moved SITL is followed; repeated frames are answered; values that would end SITL are
// not sent, and said once; timestamps may start anywhere, SITL sees the first one as 0; a clock that ticks seldom,
// goes back or jumps does no harm. The functions may be called from two threads.
#pragma once

#include <algorithm>
#include <ap_json/client.hpp>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <string>
#include <type_traits>
#if !defined(_WIN32)
#include <unistd.h>
#endif

/// As in ArduPilot's header, for programs that declare their array with it.
#ifndef MAX_SERVO_CHANNELS
#define MAX_SERVO_CHANNELS 16
#endif

/// The class of ArduPilot's example, on top of ap_json::Client. What goes wrong is said on the console, as there; at
/// most one line a second.
class libAP_JSON {
  public:
    /// True while ArduPilot is there: set by ReceiveServoPacket, and to be read in its thread.
    bool ap_online = false;

    /// Listens on an IPv4 address and UDP port of this machine. @return whether that worked; if not, the
    /// reason is on the console
    bool InitSockets(const char* fdm_address, const uint16_t fdm_port_in) {
        const std::lock_guard<std::mutex> lock(mutex_);
        ap_json::ClientOptions options;
        options.address = fdm_address == nullptr ? "" : fdm_address;
        options.port = fdm_port_in;
        options.relative_timestamps = true;
        ap_online = false;
        const auto error = client_.open(options);
        if (error) {
            say(error.message());
        } else {
            say("waiting for ArduPilot on " + options.address + ":" + std::to_string(client_.port()));
        }
        return !error;
    }

    /// Waits for a servo packet: 1 ms while ArduPilot is not there, 10 ms while it is. It counts as gone
    /// after more than ten waits in a row without one.
    /// @param servo_out  microseconds; an array of N gets N channels (channels beyond those of the packet are
    /// 0)
    /// @return whether one came; servo_out is untouched otherwise
    template <std::size_t N>
    bool ReceiveServoPacket(uint16_t (&servo_out)[N]) {
        return receive(servo_out, N);
    }

    /// The same for a pointer, which has to point to at least 16 elements.
    template <class Pointer, class = std::enable_if_t<std::is_convertible_v<Pointer, uint16_t*> &&
                                                      !std::is_array_v<std::remove_reference_t<Pointer>>>>
    bool ReceiveServoPacket(const Pointer& servo_out) {
        return receive(servo_out, 16);
    }

    /// Answers the newest servo packet. A second call for the same packet does nothing: SITL would read it a
    /// frame late.
    void SendState(double timestamp,                                // s
                   double gyro_x, double gyro_y, double gyro_z,     // rad/s, body: forward, right, down
                   double accel_x, double accel_y, double accel_z,  // m/s2, body; at rest (0, 0, -9.81)
                   double pos_x, double pos_y, double pos_z,        // m, north, east, down from home
                   double phi, double theta, double psi,            // rad: roll, pitch, yaw
                   double V_x, double V_y, double V_z) {            // m/s, north, east, down
        const std::lock_guard<std::mutex> lock(mutex_);
        state_.timestamp = risen(timestamp);
        state_.gyro = {gyro_x, gyro_y, gyro_z};
        state_.specific_force = {accel_x, accel_y, accel_z};
        state_.position = {pos_x, pos_y, pos_z};
        state_.attitude = {phi, theta, psi};
        state_.velocity = {V_x, V_y, V_z};
        auto error = client_.send(state_);
        using ap_json::ErrorCode;
        if (error.code() == ErrorCode::time_went_back || error.code() == ErrorCode::time_jumped) {
            say_once(time_told_, error.code() == ErrorCode::time_jumped
                                     ? "time jumped: for SITL it goes on from where it was"
                                     : "time went back: for SITL it goes on from where it was");
            client_.allow_time_reset();
            error = client_.send(state_);
        }
        if (!error) {
            last_timestamp_ = timestamp;
            last_sent_ = state_.timestamp;
        }
        report(error);
    }

    /// m/s; in every state from now on.
    void setAirspeed(double airspeed) {
        const std::lock_guard<std::mutex> lock(mutex_);
        state_.airspeed = airspeed;
    }

    /// Apparent wind: rad clockwise from the nose, m/s; in every state from now on.
    void setWindvane(double direction, double speed) {
        const std::lock_guard<std::mutex> lock(mutex_);
        state_.wind_vane = ap_json::WindVane{direction, speed};
    }

    /// m; in every state from now on. At most six.
    void setRangefinder(double* rangefinder, uint8_t n) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (n > state_.range_finders.size()) {
            say_once(ranges_told_, "there are six range finders at most: the others are left out");
            n = static_cast<uint8_t>(state_.range_finders.size());
        }
        for (std::size_t i = 0; i < n; ++i) state_.range_finders[i] = rangefinder[i];
    }

  private:
    void say(const std::string& text) {
        if (limit_.allows(std::chrono::steady_clock::now())) {
            std::cout << "[libAP_JSON] " << text << std::endl;
        }
    }

    void say_once(bool& told, const std::string& text) {
        if (!told) say(text);
        told = true;
    }

    /// Between two ticks of a coarse clock the program gives one timestamp for many frames. SITL's clock would
    /// stand still, so it gets a microsecond, which is the least that moves it.
    double risen(double timestamp) const noexcept {
        const bool stands_still = timestamp >= last_timestamp_ && timestamp <= last_sent_;
        return stands_still ? last_sent_ + 1e-6 : timestamp;
    }

    /// Waits outside of the lock, so that another thread can send meanwhile. What is not a servo packet does not
    /// end the wait.
    std::optional<ap_json::Frame> wait_for_frame(std::chrono::milliseconds timeout) {
        const auto deadline = std::chrono::steady_clock::now() + timeout;
        for (;;) {
            client_.wait(deadline - std::chrono::steady_clock::now());
            const std::lock_guard<std::mutex> lock(mutex_);
            auto frame = client_.receive(std::chrono::milliseconds(0));
            if (frame || std::chrono::steady_clock::now() >= deadline) return frame;
        }
    }

    bool receive(uint16_t* servo_out, std::size_t count) {
        const auto frame = wait_for_frame(std::chrono::milliseconds(ap_online ? 10 : 1));
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!frame) {
            if (ap_online && ++misses_ > 10) {
                ap_online = false;
                say("lost ArduPilot: nothing has come any more");
            }
            return false;
        }
        misses_ = 0;
        if (!ap_online) {
            ap_online = true;
            say("connected to ArduPilot at " + client_.autopilot());
        } else if (frame->restarted()) {
            say("ArduPilot was started again, now at " + client_.autopilot());
        }
        for (std::size_t i = 0; i < count; ++i) servo_out[i] = frame->servos.servo(static_cast<int>(i) + 1);
        return true;
    }

    /// Says each kind of trouble once, until sending works again.
    void report(const ap_json::Error& error) {
        using ap_json::ErrorCode;
        // These mean only that the program calls SendState more often than it is asked.
        if (error.code() == ErrorCode::already_answered || error.code() == ErrorCode::no_autopilot) return;
        if (error && error.code() != reported_) say(std::string("not sent: ") + error.message());
        reported_ = error.code();
    }

    std::mutex mutex_;  // guards all but the wait
    ap_json::Client client_;
    ap_json::State state_;
    int misses_ = 0;
    double last_timestamp_ = std::nan("");  // of the newest answer, as given
    double last_sent_ = std::nan("");       // and as handed to the client
    ap_json::LogLimit limit_;
    ap_json::ErrorCode reported_ = ap_json::ErrorCode::ok;
    bool time_told_ = false;
    bool ranges_told_ = false;
};
