// experiments.cpp - see experiments.hpp.
#include "experiments.hpp"

#include <ap_json/servo_packet.hpp>
#include <array>
#include <asio.hpp>
#include <chrono>

#include "interrupt.hpp"

namespace {

using asio::ip::udp;
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
    Sitl(asio::io_context& context, const udp::endpoint& backend, const ExperimentOptions& options)
        : socket_(context), backend_(backend), options_(options) {
        asio::error_code error;
        socket_.open(udp::v4(), error);
        if (!error) socket_.bind({udp::v4(), 0}, error);
        if (!error) socket_.non_blocking(true, error);
        if (error) problem_ = error.message();
    }

    [[nodiscard]] const std::string& problem() const { return problem_; }

    void send(std::uint32_t count, int channels = 16) {
        std::vector<unsigned char> bytes;
        const auto put = [&bytes](unsigned value) {
            bytes.push_back(static_cast<unsigned char>(value & 255));
            bytes.push_back(static_cast<unsigned char>(value >> 8 & 255));
        };
        put(channels == 32 ? ap_json::magic_32_channels : ap_json::magic_16_channels);
        put(400);
        put(count & 0xFFFF);
        put(count >> 16);
        for (int i = 0; i < channels; ++i) put(options_.pwm);
        send_bytes(bytes);
    }

    void send_bytes(const std::vector<unsigned char>& bytes) {
        asio::error_code ignored;
        socket_.send_to(asio::buffer(bytes), backend_, 0, ignored);
    }

    /// Lines that arrive within a time; ends with the first when asked to.
    int receive(Clock::duration time, bool only_first) {
        const auto deadline = Clock::now() + time;
        int lines = 0;
        for (;;) {
            udp::endpoint from;
            asio::error_code error;
            const std::size_t size = socket_.receive_from(asio::buffer(buffer_), from, 0, error);
            if (!error && size > 0) {
                ++lines;
                if (only_first) return lines;
                continue;
            }
            const auto remaining = deadline - Clock::now();
            if (remaining <= Clock::duration::zero()) return lines;
            wait_readable(remaining);
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
    void wait_readable(Clock::duration time) {
        auto& context = static_cast<asio::io_context&>(socket_.get_executor().context());
        socket_.async_wait(udp::socket::wait_read, [](const asio::error_code&) {});
        context.restart();
        context.run_one_for(std::min<Clock::duration>(time, 100ms));
        asio::error_code ignored;
        socket_.cancel(ignored);
        context.restart();
        context.poll();
    }

    udp::socket socket_;
    udp::endpoint backend_;
    const ExperimentOptions& options_;
    std::array<char, 65536> buffer_{};
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
std::vector<std::vector<unsigned char>> strays() {
    std::vector<std::vector<unsigned char>> all;
    for (std::size_t length :
         {std::size_t{0}, std::size_t{1}, std::size_t{39}, std::size_t{40}, std::size_t{41}, std::size_t{71},
          std::size_t{72}, std::size_t{100}, std::size_t{1400}}) {
        all.emplace_back(length, static_cast<unsigned char>(0x5a));
    }
    return all;
}

}  // namespace

ExperimentResults run_experiments(const ExperimentOptions& options) {
    ExperimentResults results;
    asio::io_context context;
    asio::error_code error;
    const auto address = asio::ip::make_address_v4(options.backend_address, error);
    const udp::endpoint backend(address, options.backend_port);
    Sitl sitl(context, backend, options);
    Sitl stranger(context, backend, options);
    if (error || !sitl.problem().empty() || !stranger.problem().empty()) {
        results.problem =
            "no experiments: " + (error ? error.message() : sitl.problem() + stranger.problem());
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
