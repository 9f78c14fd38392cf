// buffer_scenario.cpp - a backend that sleeps behind tiny socket buffers while SITL, gone mad, sends a hundred thousand
// packets.
#include <sys/socket.h>

#include <ap_json/lockstep.hpp>

#include "processes.hpp"
#include "scenarios.hpp"

namespace soak {
namespace {

using namespace std::chrono_literals;

constexpr int packets_in_all = 100000;
constexpr int rounds = 20;
constexpr auto longest_delivery = 20s;
constexpr std::uint64_t frames_between = 50;
constexpr std::chrono::microseconds physics_step(2500);

/// As small as the operating system lets it be.
void shrink_buffers(const ap_json::Client& client) {
    const int least = 1;  // bytes
    for (const int which : {SO_RCVBUF, SO_SNDBUF})
        ::setsockopt(static_cast<int>(client.native_handle()), SOL_SOCKET, which, &least, sizeof least);
}

class Sleeper {
  public:
    explicit Sleeper(Outcome& outcome)
        : outcome_(outcome),
          sitl_(1, Time(0), false, BareSitl::resend_time, 0),
          loop_(client_, witness_, physics_step) {
        ap_json::ClientOptions options;
        options.port = 0;
        outcome.expect(!client_.open(options) && sitl_.is_open(), "no sockets");
        shrink_buffers(client_);
    }

    void sleep_through(int packets) {
        for (int i = 0; i < packets; ++i) {
            sitl_.model().set_frame_count(sitl_.model().frame_count() + 1);
            send(repeat());
        }
    }

    /// SITL asks again, and the link goes on.
    void wake_up() {
        send(repeat());
        exchange(0ms);
        send(repeat());
        for (std::uint64_t goal = sitl_.accepted() + frames_between; sitl_.accepted() < goal;) {
            if (!exchange(longest_delivery)) return outcome_.expect(false, "the link does not go on");
        }
    }

    void finish() {
        stopped_ = true;
        const ap_json::Statistics& s = client_.statistics();
        const auto dropped = [this] { return dropped_by(client_.native_handle()); };
        const auto all_here = [&] {
            exchange(0ms);
            return s.received + dropped() >= sent_;
        };
        time_until(all_here, longest_delivery);
        outcome_.expect(s.received + dropped() == sent_, "received and dropped are not all that was sent");
        outcome_.expect(s.received == witness_.steps() + s.repeated + s.drained + s.stale,
                        "received is not handed over + drained + stale");
        outcome_.expect(s.missed == witness_.missed(), "the counter `missed` is wrong");
        outcome_.expect(s.restarts == 0 && s.sent == answers_, "an answer too many or too few");
        outcome_.expect(*witness_.complaint() == '\0', witness_.complaint());
        outcome_.frames = sitl_.accepted();
        outcome_.made("dropped by a full buffer", dropped());
        outcome_.words = "sent " + std::to_string(sent_) + ", dropped " + std::to_string(dropped());
    }

  private:
    std::string repeat() { return *sitl_.packet_when_due(sitl_.next_time()); }

    void send(const std::string& packet) {
        sitl_.socket().send({ap_json::loopback_address, client_.port()}, packet.data(), packet.size());
        ++sent_;
    }

    /// @return whether SITL got an answer
    bool exchange(std::chrono::nanoseconds patience) {
        const std::uint64_t before = client_.statistics().sent;
        static_cast<void>(loop_.exchange(patience));
        if (client_.statistics().sent == before) return false;
        char buffer[2048];
        ap_json::Endpoint from;
        const bool arrived = sitl_.socket().wait(longest_delivery);
        const std::ptrdiff_t size = arrived ? sitl_.socket().receive_one(buffer, sizeof buffer, from) : -1;
        if (size < 0) return false;
        ++answers_;
        if (stopped_) return true;
        if (const auto packet = sitl_.take(Time(0), {buffer, static_cast<std::size_t>(size)})) send(*packet);
        return true;
    }

    Outcome& outcome_;
    BareSitl sitl_;
    ap_json::Client client_;
    Witness witness_;
    ap_json::Lockstep<Witness> loop_;
    bool stopped_ = false;  // SITL
    std::uint64_t sent_ = 0;
    std::uint64_t answers_ = 0;
};

}  // namespace

void full_buffers(const Effort&, Outcome& outcome) {
    Sleeper sleeper(outcome);
    for (int round = 0; round < rounds && outcome.broken.empty(); ++round) {
        sleeper.sleep_through(packets_in_all / rounds);
        sleeper.wake_up();
    }
    sleeper.finish();
}

}  // namespace soak
