// lockstep.hpp - the physics loop, written once. You bring a model; these classes decide when it steps.
//
// A model is any class with these two functions:
//
//     // Advances the vehicle by dt seconds under these servo outputs, and writes where it is then to state.
//     // The timestamp is not the model's business.
//     void step(const ap_json::ServoPacket& servos, double dt, ap_json::State& state);
//
//     // Puts the vehicle to where it starts. Called once before the first step, and again whenever
//     // ArduPilot has been started again. state is fresh: level, at rest, at home.
//     void reset(ap_json::State& state);
//
// Two loops, for two kinds of simulator:
//
// * Lockstep: ArduPilot's frames are the clock. Each new frame steps the physics by the same fixed amount,
//   so time is the physics' own, a run is repeatable, and it runs as fast as SITL's --speedup asks for.
// * EngineLink: the simulator has a clock of its own, such as a game engine's frame. Physics steps by elapsed
//   time; ArduPilot is answered when it has asked; the caller is never blocked (or for no longer than it says).
//
// Header-only; no exceptions, no allocation. A loop belongs to the thread of its Client.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "ap_json/client.hpp"
#include "ap_json/state_json.hpp"

namespace ap_json {

namespace detail {
inline Error not_open() noexcept {
    return {ErrorCode::not_open, "the client is not open: call open() and look at the error it returns"};
}
}  // namespace detail

/// Steps a model by a fixed amount of time and counts that time exactly, in whole microseconds.
template <class Model>
class PhysicsClock {
  public:
    /// @param model  outlives this object; reset at once
    /// @param step   more than 0 and less than 0.1 s (SITL does not pace itself with longer ones). ArduPilot
    ///               arms only if the rate is at least 1.8 times its loop's: 90 Hz for rovers and planes, 720
    ///               Hz for copters.
    PhysicsClock(Model& model, std::chrono::microseconds step)
        : model_(model), step_(std::max(step, std::chrono::microseconds(1))) {
        restart();
    }

    /// One step of the model. Time is counted in whole steps, so it does not drift.
    void advance(const ServoPacket& servos) {
        ++steps_;
        model_.step(servos, seconds(step_), state_);
        state_.timestamp = seconds(step_ * steps_);
    }

    /// The model where it starts, at time 0.
    void restart() {
        steps_ = 0;
        state_ = State{};
        model_.reset(state_);
        state_.timestamp = 0;
    }

    /// The state after the newest step. Its timestamp is the physics' time.
    [[nodiscard]] const State& state() const noexcept { return state_; }
    /// How far one step goes.
    [[nodiscard]] std::chrono::microseconds step() const noexcept { return step_; }

  private:
    static double seconds(std::chrono::microseconds time) noexcept {
        return static_cast<double>(time.count()) / 1e6;
    }

    Model& model_;
    std::chrono::microseconds step_;
    std::int64_t steps_ = 0;
    State state_;
};

/// The loop of a simulator that ArduPilot drives: wait for a frame, step once, answer.
///
/// Survives either side being started again, and steps no more than once for a frame: repetitions get the
/// last state again; after a pause only the newest of the queued packets is answered.
template <class Model>
class Lockstep {
  public:
    /// @param client  open, or opened before the first exchange; outlives this object
    /// @param model   outlives this object
    /// @param step    see PhysicsClock; whole microseconds keep SITL's clock and the physics' together
    Lockstep(Client& client, Model& model, std::chrono::microseconds step)
        : client_(client), clock_(model, step) {}

    /// Handles one frame if one comes in time.
    /// @return ok, also when nothing came or the network did not take the answer (SITL asks again then);
    ///         otherwise why the model's state was not sent, or not_open
    Error exchange(std::chrono::nanoseconds timeout) {
        const auto frame = client_.receive(timeout);
        if (!frame) return client_.is_open() ? Error() : detail::not_open();
        if (frame->restarted()) clock_.restart();
        // A state that was refused has to be followed by another one, or the vehicle stands still for ever.
        if (!frame->repeated() || refused_) clock_.advance(frame->servos);
        auto error = client_.send(clock_.state());
        refused_ = error && error.code() != ErrorCode::not_sent;
        return refused_ ? error : Error();
    }

    /// Calls exchange() as long as keep_going() returns true. Never spins: while nothing comes, keep_going is
    /// asked every 100 ms. Client::cancel() from another thread or a signal handler makes it be asked at
    /// once.
    /// @return ok when keep_going() ended it, or the error of the exchange that did
    template <class KeepGoing>
    Error run(KeepGoing&& keep_going) {
        while (keep_going()) {
            if (auto error = exchange(std::chrono::milliseconds(100))) return error;
        }
        return {};
    }

    /// The state last computed; state().timestamp is the physics' time in seconds.
    [[nodiscard]] const State& state() const noexcept { return clock_.state(); }

  private:
    Client& client_;
    PhysicsClock<Model> clock_;
    bool refused_ = false;  // the state last computed
};

/// The link of a simulator that has a clock of its own. Call update() once in each of its frames.
template <class Model>
class EngineLink {
  public:
    /// No update() simulates more than this at once, in seconds: after a pause of the engine (a breakpoint, a
    /// loading screen) time goes on from where it was.
    static constexpr double longest_update = 0.25;

    /// @param client    open; outlives this object
    /// @param model     outlives this object
    /// @param step      see PhysicsClock. The rate that ArduPilot sees is this one when it keeps up (see
    ///                  patience), and that of the engine's frames otherwise
    /// @param patience  how long one update() may wait in all for ArduPilot to answer between the steps. 0 =
    ///                  never: then ArduPilot gets one state for each update(). 2 ms suffice for ten steps
    ///                  with a SITL on the same machine. Nothing is waited for while no ArduPilot is there.
    EngineLink(Client& client, Model& model, std::chrono::microseconds step,
               std::chrono::nanoseconds patience = no_time)
        : client_(client), clock_(model, step), patience_(std::clamp(patience, no_time, longest_patience)) {}

    /// Steps the physics by the time that has elapsed since the last call, and answers ArduPilot if it has
    /// asked. With nobody there, the vehicle goes on with the last servo outputs (at first: none).
    /// @param elapsed  s, of the engine's clock; what is less than a step is kept for the next call
    /// @return ok, or why the model's state was not sent, or not_open (the physics steps all the same)
    Error update(double elapsed) {
        backlog_ += elapsed > 0 ? std::min(elapsed, longest_update) : 0;  // also drops NaN
        const double step = std::chrono::duration<double>(clock_.step()).count();
        const auto deadline = std::chrono::steady_clock::now() + patience_;
        Error first_error;
        constexpr double rounding = 1e-9;  // s: a step that is due must not slip for want of a last bit
        while (backlog_ >= step - rounding) {
            backlog_ -= step;
            // Also while an answer could not be sent: SITL may be another one by now, elsewhere.
            listen(asked_ ? std::chrono::steady_clock::time_point() : deadline);
            clock_.advance(servos_);
            if (!asked_) continue;
            auto error = client_.send(clock_.state());
            if (error.code() != ErrorCode::not_sent) asked_ = false;
            if (error && error.code() != ErrorCode::not_sent && !first_error) first_error = error;
        }
        return first_error || client_.is_open() ? first_error : detail::not_open();
    }

    /// The state last computed; state().timestamp is the physics' time in seconds.
    [[nodiscard]] const State& state() const noexcept { return clock_.state(); }

  private:
    static constexpr std::chrono::nanoseconds no_time{0};
    static constexpr std::chrono::nanoseconds longest_patience = std::chrono::hours(1);

    void listen(std::chrono::steady_clock::time_point deadline) {
        const bool worth_waiting = client_.status() == LinkStatus::online;
        const auto frame =
            client_.receive(worth_waiting ? deadline - std::chrono::steady_clock::now() : no_time);
        if (!frame) return;
        if (frame->restarted()) clock_.restart();
        servos_ = frame->servos;
        asked_ = true;
    }

    Client& client_;
    PhysicsClock<Model> clock_;
    std::chrono::nanoseconds patience_;
    ServoPacket servos_;
    bool asked_ = false;  // ArduPilot waits for an answer
    double backlog_ = 0;  // s
};

}  // namespace ap_json
