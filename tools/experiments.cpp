// experiments.cpp - see experiments.hpp.
#include "experiments.hpp"

#include <algorithm>
#include <ap_json/servo_packet.hpp>
#include <chrono>

#include "interrupt.hpp"
#include "udp_port.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr Findings::Kind restart_not_followed = {
    "restart-not-followed",
    "wire",
    "The backend does not answer a SITL that was started again.",
    "It remembers the address of the first SITL, or is connected to it; a new process has a new port and "
    "begins at 0.",
    "After a restart of SITL the backend has to be restarted too.",
    "Answer to the source of the newest valid packet."};
constexpr Findings::Kind repeats_not_answered = {
    "repeats-not-answered",
    "wire",
    "The backend does not answer a repeated packet.",
    "It waits for the next frame; but SITL repeats its packet because the answer was lost, or refused.",
    "One lost datagram stops the simulation for good.",
    "Answer a repetition with the last state, without a step."};
constexpr Findings::Kind sends_unasked = {
    "sends-unasked",
    "wire",
    "The backend sends without being asked.",
    "It sends at its own rate. What SITL does not read at once stays in its queue for ever.",
    "The vehicle reacts late, more and more.",
    "Send one line for each servo packet, and nothing else."};
constexpr Findings::Kind pause_not_survived = {
    "pause-not-survived",
    "wire",
    "The backend does not go on after a pause of SITL.",
    "It took the silence for the end.",
    "After a breakpoint or a slow moment the backend has to be restarted.",
    "Wait for SITL without an end, and go on when it does."};
constexpr Findings::Kind gap_not_survived = {"gap-not-survived",
                                             "wire",
                                             "The backend does not answer after missing frames.",
                                             "It wants each frame count to be one more than the last.",
                                             "One lost datagram stops the simulation.",
                                             "Step once and answer, whatever the count."};
constexpr Findings::Kind channels_refused = {
    "32-channels-refused",
    "wire",
    "The backend does not answer packets of 32 channels.",
    "It accepts 40 bytes only. SITL sends 72 bytes with magic 29569 when SERVO_32_ENABLE is 1.",
    "With SERVO_32_ENABLE the simulation stands still.",
    "Tell the size from the magic: 18458 has 16, 29569 has 32."};
constexpr Findings::Kind stray_answered = {
    "stray-answered",
    "wire",
    "The backend answers to a stranger.",
    "It takes the sender's address before it looks whether the datagram is a servo packet.",
    "Any datagram on the port takes the link away from SITL.",
    "Check length and magic first, then take the address."};
constexpr Findings::Kind stray_disturbs = {
    "stray-disturbs",
    "wire",
    "The backend is disturbed by datagrams from strangers.",
    "It took one for a servo packet, or answers to its sender, or ended.",
    "Any datagram on the port stops the simulation.",
    "Ignore what has another length or magic."};

/// A SITL of which each packet is sent by hand.
class Sitl {
  public:
    explicit Sitl(const ExperimentOptions& options)
        : options_(options), backend_{options.backend_address, options.backend_port} {
        problem_ = port_.open({"0.0.0.0", 0});
    }

    [[nodiscard]] const std::string& problem() const { return problem_; }

    void send(std::uint32_t count, int channels = 16) {
        std::string bytes;
        const auto put = [&bytes](unsigned value) {
            bytes += static_cast<char>(value & 255);
            bytes += static_cast<char>(value >> 8 & 255);
        };
        put(channels == 32 ? ap_json::magic_32_channels : ap_json::magic_16_channels);
        put(400);
        put(count & 0xFFFF);
        put(count >> 16);
        for (int i = 0; i < channels; ++i) put(options_.pwm);
        send_bytes(bytes);
    }

    void send_bytes(const std::string& bytes) { static_cast<void>(port_.send(bytes, backend_)); }

    /// Lines that arrive within a time; ends with the first when asked to.
    int receive(Clock::duration time, bool only_first) {
        const auto deadline = Clock::now() + time;
        int lines = 0;
        for (;;) {
            const auto remaining = deadline - Clock::now();
            const auto slice = std::clamp<Clock::duration>(remaining, 0ms, 100ms);  // for Ctrl-C
            const auto datagram = port_.receive(slice);
            if (datagram && !datagram->bytes.empty()) {
                ++lines;
                if (only_first) return lines;
            } else if (!datagram && (remaining <= 0ms || interrupted)) {
                return lines;
            }
        }
    }

    /// Sends a packet, again and again as SITL does, until it is answered.
    bool ask(std::uint32_t count, int channels = 16) {
        auto remaining = options_.patience;
        while (remaining.count() > 0 && !interrupted) {
            const auto time = std::min(remaining, options_.resend_time);
            send(count, channels);
            if (receive(time, true) > 0) return true;
            remaining -= time;
        }
        return false;
    }

  private:
    const ExperimentOptions& options_;
    UdpAddress backend_;
    UdpPort port_;
    std::string problem_;
};

class Laboratory {
  public:
    explicit Laboratory(ExperimentResults& results) : results_(results) {}

    [[nodiscard]] bool goes_on() const { return interrupted == 0; }

    void note(const char* name, bool passed, const Findings::Kind& kind, const std::string& seen) {
        results_.experiments.push_back({name, passed});
        if (!passed) findings_.add(kind, seen, "", 0);
        results_.findings = findings_.all();
    }

  private:
    ExperimentResults& results_;
    Findings findings_;
};

/// What is no servo packet: every kind of wrong length and magic.
std::vector<std::string> strays() {
    std::vector<std::string> all;
    for (std::size_t length :
         {std::size_t{0}, std::size_t{1}, std::size_t{39}, std::size_t{40}, std::size_t{41}, std::size_t{71},
          std::size_t{72}, std::size_t{100}, std::size_t{1400}}) {
        all.emplace_back(length, 'Z');
    }
    return all;
}

}  // namespace

ExperimentResults run_experiments(const ExperimentOptions& options) {
    ExperimentResults results;
    if (!is_ipv4(options.backend_address)) {
        results.problem = "no experiments: \"" + options.backend_address + "\" is not an IPv4 address";
        return results;
    }
    Sitl sitl(options);
    Sitl stranger(options);
    if (!sitl.problem().empty() || !stranger.problem().empty()) {
        results.problem = "no experiments: " + sitl.problem() + stranger.problem();
        return results;
    }
    Laboratory lab(results);
    std::uint32_t count = 0;
    const bool followed = sitl.ask(count);
    lab.note("SITL starts again on another port", followed, restart_not_followed,
             "a packet with count 0 from a new port had no answer in time");
    if (!followed) return results;  // it does not talk to us: nothing else can be tried
    for (int i = 0; i < 100 && lab.goes_on(); ++i) {
        if (!sitl.ask(++count)) break;
    }
    if (!lab.goes_on()) return results;
    sitl.receive(options.crossing, false);

    sitl.send(count);
    lab.note("an answer is lost", sitl.receive(options.patience, true) > 0, repeats_not_answered,
             "the packet of frame " + std::to_string(count) +
                 ", sent once more after its answer, had none in time");
    sitl.receive(options.crossing, false);
    if (!lab.goes_on()) return results;

    const int unasked = sitl.receive(options.pause, false);
    lab.note("nothing is sent unasked", unasked <= 1, sends_unasked,
             std::to_string(unasked) + " lines came while SITL was silent");
    lab.note("SITL pauses", sitl.ask(++count), pause_not_survived,
             "the packet after a silence had no answer in time");
    if (!lab.goes_on()) return results;

    constexpr std::uint32_t gap = 7;
    const bool jumped = sitl.ask(count + gap);
    lab.note("frames are missing", jumped, gap_not_survived,
             "a packet whose count was 7 higher had no answer in time");
    if (jumped) count += gap;  // otherwise it would be in the way of what follows
    if (!lab.goes_on()) return results;

    sitl.receive(options.crossing, false);
    const bool widened = sitl.ask(count + 1, 32);
    lab.note("32 channels", widened, channels_refused, "a packet of 72 bytes had no answer in time");
    if (widened) ++count;
    if (!lab.goes_on()) return results;

    if (!options.strays) return results;
    sitl.ask(++count);
    for (const auto& bytes : strays()) stranger.send_bytes(bytes);
    const int to_stranger = stranger.receive(options.crossing, false);
    lab.note("strangers are not answered", to_stranger == 0, stray_answered,
             std::to_string(to_stranger) + " answers to datagrams that are no servo packets");
    lab.note("strangers do not disturb", sitl.ask(++count), stray_disturbs,
             "after datagrams that are no servo packets SITL had no answer in time");
    return results;
}
