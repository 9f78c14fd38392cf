// model_flight.hpp - for the tests of the vehicle models: a model stepped like Lockstep does it, with the doctor
// watching, where it is built.
#pragma once

#include <gmock/gmock.h>

#include <ap_json/servo_packet.hpp>
#include <ap_json/state.hpp>
#include <ap_json/state_json.hpp>
#include <cstdint>
#include <initializer_list>
#include <string>

#if __has_include(<doctor.hpp>)
#include <doctor.hpp>
#define AP_JSON_TEST_HAS_DOCTOR 1
#endif

namespace model_flight {

/// Servo outputs 1, 2, ... in us.
inline ap_json::ServoPacket outputs(std::initializer_list<double> pwm) {
    ap_json::ServoPacket servos;
    std::size_t i = 0;
    for (const double each : pwm) servos.pwm[i++] = static_cast<std::uint16_t>(each + 0.5);
    return servos;
}

template <class Model>
class Flight {
  public:
    Flight(Model& model, double dt) : model_(model), dt_(dt) { model_.reset(state_); }

    void step(ap_json::ServoPacket servos) {
        servos.channels = 16;
        servos.frame_count = static_cast<std::uint32_t>(steps_++);
        model_.step(servos, dt_, state_);
        state_.timestamp = time();
        show_to_doctor(servos);
    }

    [[nodiscard]] double time() const { return static_cast<double>(steps_) * dt_; }  // s
    [[nodiscard]] const ap_json::State& state() const { return state_; }

    /// No mistake of convention, clock or consistency in all of it.
    void expect_healthy() const {
#ifdef AP_JSON_TEST_HAS_DOCTOR
        for (const Finding& finding : doctor_.conclude())
            ADD_FAILURE() << finding.title << " " << finding.seen;
#endif
    }

  private:
    void show_to_doctor([[maybe_unused]] const ap_json::ServoPacket& servos) {
        char line[ap_json::max_state_line];
        std::size_t length = 0;
        ASSERT_FALSE(ap_json::encode(state_, line, sizeof line, length)) << "not what may be sent";
#ifdef AP_JSON_TEST_HAS_DOCTOR
        doctor_.packet(servos);
        doctor_.line(std::string(line, length), static_cast<std::int64_t>(time() * 1e9));
#endif
    }

    Model& model_;
    double dt_;
    ap_json::State state_;
    std::int64_t steps_ = 0;
#ifdef AP_JSON_TEST_HAS_DOCTOR
    Doctor doctor_;
#endif
};

}  // namespace model_flight
