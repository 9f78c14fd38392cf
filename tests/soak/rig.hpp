// rig.hpp - a whole link in one thread and with a clock of its own: SITL, a bad network in both directions, strangers,
// and a backend of ap_json::Client and ap_json::Lockstep, over real sockets. It checks after each exchange.
#pragma once

#include <ap_json/client.hpp>
#include <ap_json/lockstep.hpp>
#include <array>
#include <deque>
#include <disturber.hpp>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "arrivals.hpp"
#include "bare_sitl.hpp"
#include "outcome.hpp"
#include "steady_clock.hpp"
#include "witness.hpp"

namespace soak {

/// What happens besides the network's own disturbances, on average so often: s of the rig's clock, 0 = never.
enum Event : std::uint8_t { kill_sitl, kill_backend, pause_sitl, pause_backend, change_faults, events };

struct Faults {
    Disturbance to_backend;
    Disturbance to_sitl;
    int strays = 0;  // in front of each packet, and behind it, from two strangers
    std::array<double, events> every{};
    std::uint32_t first_count = 0;  // of the first SITL
};

class Rig {
  public:
    Rig(const Faults& faults, const Effort& effort, Outcome& outcome);

    /// Disturbs and leaves in peace, again and again, until SITL has gone on by so many frames as are wanted.
    void run();

  private:
    // The course of things.
    void disturb(std::uint64_t frames);
    void calm();
    bool turn();
    void happen();
    void happen(Event event);
    void redraw_faults();
    void finish();
    [[nodiscard]] Time next_time() const;
    [[nodiscard]] std::uint64_t accepted() const;

    // SITL.
    void start_sitl();
    void end_sitl();
    bool run_sitl();
    void feed_sitl(const std::string& line);
    BareSitl* life(std::uint64_t identity);

    // The network.
    bool deliver_to_backend();
    bool deliver_to_sitl();
    bool deliver(ap_json::UdpSocket& from, const std::string& bytes);
    void send_strays();
    void note_if_altered(const std::string& bytes, Identity sender);

    // The backend.
    void start_backend();
    void end_backend();
    bool run_backend();
    void exchange();
    void check_counters(const ap_json::Statistics& before, std::uint64_t handed_over);
    void check_time(std::uint64_t restarts_before, std::uint64_t steps_before);
    void check_status();
    void collect_answer(bool repeated);
    bool take_answer(BareSitl& sitl);
    bool wait_for_datagram();

    [[nodiscard]] double random() { return static_cast<double>(generator_() >> 11U) * 0x1p-53; }
    [[nodiscard]] Time random_time(double longest_seconds);
    template <class Text>
    void expect(bool holds, const Text& what) {
        outcome_.expect(holds, what);
    }

    Faults wanted_;  // what the scenario is about
    Faults faults_;  // what is done now
    const Effort& effort_;
    Outcome& outcome_;
    StoppedClock clock_;
    std::mt19937_64 generator_;
    Time now_;
    std::array<Time, events> due_{};

    Disturber to_backend_;
    Disturber to_sitl_;
    AlteredPackets altered_;

    std::deque<std::unique_ptr<BareSitl>> lives_;  // the newest at the end
    Identity next_identity_ = 1;
    std::uint64_t accepted_before_ = 0;  // by those that are no longer in lives_
    bool sitl_runs_ = false;
    Time sitl_returns_{};
    Time sitl_resumes_{};
    std::deque<std::string> sitl_queue_;  // lines that came while it was paused

    BareSitl starved_;  // a second SITL on the port, which waits for an answer for ever
    ap_json::UdpSocket stray_;

    ap_json::Client client_;
    std::uint16_t port_ = 0;
    Witness witness_;
    std::optional<ap_json::Lockstep<Witness>> loop_;
    std::optional<Arrivals> arrivals_;
    std::uint64_t steps_at_start_ = 0;
    double last_timestamp_ = 0;
    Time backend_returns_{};
    Time backend_resumes_{};
    std::optional<Time> last_frame_;  // of this backend

    Time peace_begins_{};
    Time longest_return_{};
    std::size_t resident_early_ = 0;
    char buffer_[65536];
};

}  // namespace soak
