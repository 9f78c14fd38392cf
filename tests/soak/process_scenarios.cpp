// process_scenarios.cpp - SITL and backend as processes: killed, stopped, and flooded with strays.
#include <algorithm>
#include <optional>
#include <random>
#include <thread>

#include "processes.hpp"
#include "scenarios.hpp"

namespace soak {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

// Shorter than the real one's, so that hundreds of lost packets do not take minutes.
constexpr milliseconds resend_time = 100ms;

// The time to wait for one resend, and plenty for a machine that has much else to do.
constexpr milliseconds longest_return = 20s;
constexpr std::uint64_t frames_between = 20;

/// The two sides, both on this machine.
class Pair {
  public:
    explicit Pair(Outcome& outcome) : outcome_(outcome) {
        start_backend();
        outcome.expect(time_until([this] { return board_->port != 0; }, longest_return) <= longest_return,
                       "the backend does not start");
        start_sitl();
        wait_for_progress("at the start");
    }

    void start_backend() {
        backend_.emplace([this] { be_backend(*board_, "127.0.0.1"); });
    }

    void start_sitl() {
        const auto port = static_cast<std::uint16_t>(board_->port.load());
        const Identity identity = next_identity_++;
        sitl_.emplace([=] { be_sitl(*board_, identity, resend_time, {ap_json::loopback_address, port}); });
    }

    /// The link has to go on, and soon.
    void wait_for_progress(const char* when) {
        const std::uint64_t before = board_->accepted;
        const auto time =
            time_until([&] { return board_->accepted >= before + frames_between; }, longest_return);
        if (time > longest_return) outcome_.expect(false, std::string("the link does not go on ") + when);
        slowest_ = std::max(slowest_, time);
    }

    /// Ends both in order and looks at what they say.
    void finish() {
        outcome_.frames += board_->accepted;
        board_->end_sitl = true;
        outcome_.expect(sitl_->ends_within(longest_return), "SITL has ended with an error");
        board_->end_backend = true;
        outcome_.expect(backend_->ends_within(longest_return), "the backend has ended with an error");
        if (*board_->witness.complaint() != '\0') outcome_.broken = board_->witness.complaint();
        outcome_.words = "back in " + std::to_string(slowest_.count()) + " ms";
    }

    Shared<Board>& board() { return board_; }
    std::optional<Process>& sitl() { return sitl_; }
    std::optional<Process>& backend() { return backend_; }

  private:
    Outcome& outcome_;
    Shared<Board> board_;
    Identity next_identity_ = 1;
    std::optional<Process> sitl_;
    std::optional<Process> backend_;
    milliseconds slowest_{0};
};

}  // namespace

void killed_processes(const Effort& effort, Outcome& outcome) {
    std::mt19937_64 random(effort.seed);
    Pair pair(outcome);
    for (int kill = 0; kill < effort.kills && outcome.broken.empty(); ++kill) {
        // At any moment of an exchange.
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 2000));
        pair.sitl()->kill();
        pair.start_sitl();
        pair.wait_for_progress("after SITL was killed");
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 2000));
        pair.backend()->kill();
        pair.start_backend();
        pair.wait_for_progress("after the backend was killed");
        outcome.made("SITL process killed", 1);
        outcome.made("backend process killed", 1);
    }
    pair.finish();
}

void stopped_processes(const Effort& effort, Outcome& outcome) {
    std::mt19937_64 random(effort.seed);
    Pair pair(outcome);
    for (int stop = 0; stop < 2 * effort.kills && outcome.broken.empty(); ++stop) {
        Process& side = stop % 2 == 0 ? *pair.sitl() : *pair.backend();
        side.stop();
        // Some are longer than the time after which SITL sends its packet again, twice.
        std::this_thread::sleep_for(milliseconds(random() % 10 == 0 ? 250 : random() % 20));
        side.go_on();
        pair.wait_for_progress("after a pause");
        outcome.made(stop % 2 == 0 ? "SITL process stopped" : "backend process stopped", 1);
    }
    pair.finish();
}

void flood_of_strays(const Effort& effort, Outcome& outcome) {
    constexpr double rate = 100000;  // a second
    Pair pair(outcome);
    Shared<Board>& board = pair.board();
    const std::uint64_t before = board->accepted;
    const auto start = std::chrono::steady_clock::now();
    Process strays([&] { be_strays(*board, rate); });
    const auto end = start + std::chrono::duration<double>(effort.seconds);
    while (std::chrono::steady_clock::now() < end && outcome.broken.empty())
        pair.wait_for_progress("in the flood");
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const std::uint64_t frames = board->accepted - before;
    board->end_strays = true;
    outcome.expect(strays.ends_within(longest_return), "the flood has ended with an error");
    pair.finish();

    const ap_json::Statistics& s = board->statistics;
    outcome.made("stray", board->strays);
    outcome.made("dropped by a full buffer", board->dropped);
    outcome.expect(board->answered_strays == 0, "a stranger was answered");
    outcome.expect(s.restarts == 0, "a stranger has taken over");
    const std::uint64_t looked_at = s.received + s.rejected_length + s.rejected_magic;
    if (looked_at + board->dropped != board->strays + board->packets)
        outcome.expect(false, "looked at " + std::to_string(looked_at) + ", dropped " +
                                  std::to_string(board->dropped) + ", but sent " +
                                  std::to_string(board->strays + board->packets));
    outcome.words = std::to_string(static_cast<long>(static_cast<double>(board->strays) / elapsed)) +
                    " strays a second, beside " +
                    std::to_string(static_cast<long>(static_cast<double>(frames) / elapsed)) +
                    " frames a second; dropped " + std::to_string(board->dropped);
}

}  // namespace soak
