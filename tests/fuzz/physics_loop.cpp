// physics_loop.cpp - fuzzes Lockstep, EngineLink and Resampler over real sockets, with packets of any counts and a model that
// may compute anything: how often the model steps, what time it is, and that only an unsound state is refused.
#include <ap_json/lockstep.hpp>
#include <ap_json/resampler.hpp>
#include <ap_json/sitl_reader.hpp>

#include "any_state.hpp"
#include "peers.hpp"

using ap_json::Client;
using ap_json::ErrorCode;
using fuzz::check;
using std::chrono::microseconds;

namespace {

constexpr std::size_t most_queued = 40;  // datagrams, which every system's socket holds

fuzz::Peers& peers() {
    static fuzz::Peers all;
    return all;
}

struct Model {
    explicit Model(fuzz::Input& from) : input(from) {}

    void step(const ap_json::ServoPacket& servos, double dt, ap_json::State& state) {
        newest = servos;
        check(dt > 0, "a step has a length");
        ++steps;
        ++steps_since_reset;
        if (unsound) state = fuzz::any_state(input);
    }
    void reset(ap_json::State& state) {
        check(state.timestamp == 0 && !state.quaternion, "the state is fresh");
        ++resets;
        steps_since_reset = 0;
    }

    fuzz::Input& input;
    bool unsound = false;  // the next states are anything
    ap_json::ServoPacket newest;
    std::uint64_t steps = 0, resets = 0, steps_since_reset = 0;
};

/// The loops answer each packet once, and their time rises; so only what validate() refuses is refused.
void check_error(const ap_json::Error& error) {
    if (!error) return;
    check(error.code() >= ErrorCode::not_finite && error.code() <= ErrorCode::incomplete,
          "only an unsound state is refused");
}

/// s, in whole microseconds.
double time_of(std::uint64_t steps, microseconds step) {
    return static_cast<double>(step.count() * static_cast<std::int64_t>(steps)) / 1e6;
}

class Run {
  public:
    explicit Run(fuzz::Input& input) : input_(input), model_(input) {
        ap_json::ClientOptions options;
        options.port = 0;
        check(!client_.open(options), "open");
        peers().talk_to(client_.port());
        step_ = microseconds(500 + 10 * input.byte());
        switch (input.byte() % 3) {
            case 0:
                lockstep();
                break;
            case 1:
                engine_link();
                break;
            default:
                resampler();
                break;
        }
    }

  private:
    /// Lets peers send. @return whether it is the loop's turn now; false at the input's end
    bool next_turn() {
        for (std::size_t sent = 0; !input_.empty() && sent < most_queued; ++sent) {
            const unsigned action = input_.byte();
            model_.unsound = action % 16 == 15;
            if (action % 4 == 0) break;
            peers().send(input_);
        }
        return !input_.empty();
    }

    /// @return the timestamps of the answers that have arrived
    std::vector<double> answers() {
        std::vector<double> timestamps;
        while (const auto answer = peers().take()) {
            check(reader_.feed(answer->bytes.data(), answer->bytes.size()) == ap_json::SitlVerdict::accepted,
                  "SITL accepts the answer");
            timestamps.push_back(reader_.state().timestamp);
        }
        return timestamps;
    }

    void lockstep() {
        ap_json::Lockstep loop(client_, model_, step_);
        bool refused = false;
        while (next_turn()) {
            const auto before = client_.statistics();
            const std::uint64_t steps = model_.steps, resets = model_.resets;
            const auto error = loop.exchange(std::chrono::nanoseconds(0));
            check_error(error);
            const auto& now = client_.statistics();
            const bool any =
                now.received - now.drained - now.stale > before.received - before.drained - before.stale;
            const bool repeated = now.repeated > before.repeated;
            check(model_.steps - steps == (any && (!repeated || refused) ? 1 : 0), "one step for each frame");
            check(model_.resets - resets == (now.restarts > before.restarts ? 1 : 0),
                  "a reset for each restart");
            check(loop.state().timestamp == time_of(model_.steps_since_reset, step_), "time is the steps'");
            const auto told = answers();
            check(told.size() == (any && !error ? 1 : 0), "one answer for each frame");
            if (!told.empty()) check(told[0] == loop.state().timestamp, "the answer is the newest state");
            if (any) refused = bool(error);
        }
    }

    void engine_link() {
        ap_json::EngineLink link(client_, model_, step_);
        double owed = 0;  // s
        while (next_turn()) {
            const double elapsed = fuzz::any_number(input_);
            const std::uint64_t steps = model_.steps;
            check_error(link.update(elapsed));
            owed += elapsed > 0 ? std::min(elapsed, link.longest_update) : 0;
            const double stepped = time_of(model_.steps - steps, step_);
            owed -= stepped;
            check(owed > -1e-6 && owed < time_of(1, step_) + 1e-6, "as many steps as the time has");
            check(link.state().timestamp == time_of(model_.steps_since_reset, step_), "time is the steps'");
            const auto told = answers();
            for (std::size_t i = 1; i < told.size(); ++i)
                check(told[i] != told[i - 1], "no state is sent twice");
        }
    }

    void resampler() {
        ap_json::Resampler link(client_, step_, std::chrono::nanoseconds(0));
        while (next_turn()) {
            ap_json::State state;
            if (model_.unsound) state = fuzz::any_state(input_);
            const double elapsed = fuzz::any_number(input_);
            const double before = link.time();
            check_error(link.frame(state, elapsed));
            const double most = elapsed > 0 ? std::min(elapsed, link.longest_frame) : 0;
            const bool restarted = link.restarted();
            check(restarted ||
                      (link.time() >= before && link.time() <= before + most + 1e-6 + time_of(1, step_)),
                  "time goes on by what has elapsed");
            for (const double told : answers())
                check(restarted || told <= link.time(), "no state of the future");
            if (restarted) link.begin(state);
        }
    }

    fuzz::Input& input_;
    Model model_;
    Client client_;
    ap_json::SitlReader reader_;
    microseconds step_{};
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const Run run(input);
    return 0;
}
