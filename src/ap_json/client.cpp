// client.cpp - the state machine of the link; see client.hpp. All that is particular to an operating system
// is in udp_socket.cpp.
#include "ap_json/client.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <thread>
#include <utility>

#include "ap_json/state_json.hpp"
#include "text_writer.hpp"
#include "udp_socket.hpp"

namespace ap_json {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

// Longer waits are cut to this, so that adding one to the clock cannot overflow.
constexpr nanoseconds longest_wait = std::chrono::hours(24);

// SITL asks again when an answer is lost, too; only several repetitions in a row mean that none gets through.
constexpr int repeats_until_unanswered = 3;

// One call looks at no more datagrams than this, however fast they arrive.
constexpr int most_datagrams_a_call = 1024;

// A longer link-loss time is cut to this, likewise.
constexpr std::chrono::milliseconds longest_link_loss_time = std::chrono::hours(24 * 365 * 100);

// Another ArduPilot that insists on a count of its own is followed only when the present one has been silent for so
// long: one that waits repeats its packet every 1.1 s, so it is then neither waiting nor flying.
constexpr std::chrono::milliseconds takeover_silence(3000);

nanoseconds bounded(nanoseconds timeout) noexcept {
    return std::clamp(timeout, nanoseconds(0), longest_wait);
}

}  // namespace

const char* to_string(LinkStatus status) noexcept {
    switch (status) {
        case LinkStatus::closed:
            return "closed";
        case LinkStatus::waiting:
            return "waiting";
        case LinkStatus::unrecognised:
            return "unrecognised";
        case LinkStatus::unanswered:
            return "unanswered";
        case LinkStatus::online:
            return "online";
        case LinkStatus::lost:
            return "lost";
    }
    return "unknown";
}

const char* explain(LinkStatus status) noexcept {
    switch (status) {
        case LinkStatus::closed:
            return "The client does not listen. Call open() and look at the error it returns.";
        case LinkStatus::waiting:
            return "No datagram has arrived. Start SITL with --model JSON and connect a ground station (it "
                   "sends "
                   "nothing before). Is SITL elsewhere (WSL, Docker, another machine)? Then give it this "
                   "machine's "
                   "address (--model JSON:address), listen on 0.0.0.0, and let the firewall pass the UDP "
                   "port.";
        case LinkStatus::unrecognised:
            return "Datagrams arrive, but none is a servo packet from the autopilot. Something else sends to "
                   "this "
                   "port, SITL runs with another model than JSON, or autopilot_address names another "
                   "machine.";
        case LinkStatus::unanswered:
            return "Servo packets arrive, but their count does not rise: SITL does not get the answers, or "
                   "refuses "
                   "them. Are states sent, and does send() return ok? Does a firewall drop UDP on the way "
                   "back? Does "
                   "SITL's console complain about the lines? If its console repeats an error for ever, "
                   "restart SITL.";
        case LinkStatus::online:
            return "Servo packets arrive, and nothing says that the answers are not accepted.";
        case LinkStatus::lost:
            return "The link was up, but nothing arrives any more. SITL has ended, is paused, or the network "
                   "is down. "
                   "The link comes back by itself when SITL does.";
    }
    return "unknown";
}

struct Client::Implementation {
    ClientOptions options;
    std::uint32_t only_address = 0;  // 0 = anyone
    UdpSocket socket;
    Datagram datagrams[UdpSocket::batch_size];

    std::atomic<bool> cancelled{false};

    FrameTracker tracker;
    Endpoint autopilot;  // source of the newest valid packet
    bool any_datagram = false;
    bool any_packet = false;
    bool lost = false;
    bool unanswered_reported = false;
    int repeats_in_row = 0;
    Clock::time_point last_packet;
    Clock::time_point silent_since;  // the newest packet, or the caller's return from where it did not listen
    Clock::time_point last_look;     // the end of the newest call of receive()
    LogLimit log_limit;

    bool owes_answer = false;           // the newest packet has none yet
    bool answering_repeat = false;      // the newest packet is a repetition
    bool answered_since_start = false;  // this ArduPilot has had an answer
    bool any_time_allowed = true;
    double time_offset = 0;     // subtracted from timestamps
    double last_timestamp = 0;  // as sent
    State adjusted;             // with relative_timestamps: the state with the time that SITL sees

    Error last_refusal;  // since the last answer

    Statistics statistics;
    char line[max_state_line];

    /// @return whether it was told
    bool log(const MessageWriter& text, Clock::time_point now) {
        if (!options.log || !log_limit.allows(now)) return false;
        options.log(text.view());
        return true;
    }

    // ---- receiving

    /// The newest packet seen so far in one call of receive().
    struct Candidate {
        bool any = false;
        bool restarted = false;  // a restart lies between the last frame handed over and this one
        ServoPacket packet;
        Endpoint from;
        FrameTracker after;  // the tracker as it is after this packet
    };

    [[nodiscard]] Clock::duration takeover_time() const noexcept {
        return std::min(takeover_silence, options.link_loss_time);
    }

    /// What a caller that was away for long finds queued says nothing about how long ArduPilot has been silent.
    void begin_look(Clock::time_point now) noexcept {
        if (now - last_look > takeover_time() / 2) silent_since = now;
    }

    /// Whether the ArduPilot that is answered now has sent something lately.
    [[nodiscard]] bool hears_autopilot(const Candidate& candidate) const noexcept {
        return candidate.any || (any_packet && Clock::now() - silent_since < takeover_time());
    }

    /// Whether this restart is that of a second ArduPilot on the port, which may not take over a living link.
    [[nodiscard]] bool intrudes(const ServoPacket& packet, bool same_sender,
                                const Candidate& candidate) const noexcept {
        return packet.frame_count != 0 && !same_sender && hears_autopilot(candidate);
    }

    void examine(const Datagram& datagram, Candidate& candidate) noexcept {
        if (datagram.from == socket.self()) return;  // from cancel()
        any_datagram = true;
        if (only_address != 0 && datagram.from.address != only_address) {
            ++statistics.rejected_sender;
            return;
        }
        ServoPacket packet;
        const ErrorCode code = decode(datagram.data, datagram.size, packet);
        if (code != ErrorCode::ok) {
            ++(code == ErrorCode::wrong_magic ? statistics.rejected_magic : statistics.rejected_length);
            return;
        }
        ++statistics.received;
        FrameTracker& before = candidate.any ? candidate.after : tracker;
        const Endpoint& sender = candidate.any ? candidate.from : autopilot;
        const bool same_sender = datagram.from == sender;
        const FrameVerdict verdict = before.classify(packet.frame_count, same_sender);
        if (verdict.kind == FrameKind::stale) {
            ++statistics.stale;
            before.track(packet.frame_count, same_sender);
            return;
        }
        if (verdict.kind == FrameKind::restarted && intrudes(packet, same_sender, candidate)) {
            ++statistics.stale;
            return;
        }
        if (candidate.any) ++statistics.drained;
        if (verdict.kind == FrameKind::restarted) {
            candidate.restarted = true;
            ++statistics.restarts;
        }
        candidate.after = before;
        candidate.after.track(packet.frame_count, same_sender);
        candidate.any = true;
        candidate.packet = packet;
        candidate.from = datagram.from;
    }

    /// Asks the socket again and again. @return as UdpSocket::receive_batch()
    int spin(nanoseconds timeout) noexcept {
        const Clock::time_point deadline = Clock::now() + timeout;
        int count = socket.receive_batch(datagrams, nanoseconds(0));  // drains what was queued before
        while (count == 0 && !cancelled.load(std::memory_order_relaxed) && Clock::now() < deadline) {
            count = socket.receive_batch(datagrams, nanoseconds(0), 1);  // the queue was empty a moment ago
        }
        return count;
    }

    /// Waits for the first datagrams, in the way that was chosen.
    int wait_for_batch(nanoseconds timeout) noexcept {
        if (options.wait_mode == WaitMode::block) return socket.receive_batch(datagrams, timeout);
        if (options.wait_mode == WaitMode::spin) return spin(timeout);
        const nanoseconds spinning = std::min<nanoseconds>(options.spin_time, timeout);
        const int count = spin(spinning);
        return count != 0 || spinning == timeout ? count
                                                 : socket.receive_batch(datagrams, timeout - spinning);
    }

    /// Examines what is queued, after at most `timeout` of waiting for it. @return false on an error of the socket
    bool take(Candidate& candidate, nanoseconds timeout) noexcept {
        int total = 0;
        int count = wait_for_batch(timeout);
        while (count > 0) {
            total += count;
            for (int i = 0; i < count; ++i) examine(datagrams[i], candidate);
            if (count < UdpSocket::batch_size || total >= most_datagrams_a_call) break;
            count = socket.receive_batch(datagrams, nanoseconds(0));
        }
        return count >= 0;
    }

    Frame hand_over(const Candidate& candidate) {
        Frame frame;
        frame.servos = candidate.packet;
        // Whether the sender may be another one has been looked at, packet by packet.
        const FrameVerdict verdict = tracker.classify(candidate.packet.frame_count, true);
        frame.kind = candidate.restarted ? FrameKind::restarted : verdict.kind;
        frame.missed = frame.kind == FrameKind::missed ? verdict.missed : 0;
        repeats_in_row = frame.kind == FrameKind::repeated ? repeats_in_row + 1 : 0;
        // A repetition of a question that never had an answer is as good as new.
        if (frame.kind == FrameKind::repeated && !answered_since_start) frame.kind = FrameKind::first;

        const Clock::time_point now = Clock::now();
        report(frame, candidate.from, now);
        tracker = candidate.after;
        autopilot = candidate.from;
        last_packet = silent_since = last_look = now;
        lost = false;
        any_packet = true;
        owes_answer = true;
        answering_repeat = frame.kind == FrameKind::repeated;
        statistics.missed += frame.missed;
        if (answering_repeat) ++statistics.repeated;
        if (frame.kind == FrameKind::first || frame.kind == FrameKind::restarted) {
            answered_since_start = false;
            any_time_allowed = true;
        }
        return frame;
    }

    /// Tells the log what changes with this frame; called before anything of it is remembered.
    void report(const Frame& frame, const Endpoint& from, Clock::time_point now) {
        MessageWriter text;
        if (!any_packet) {
            log(text << "connected to ArduPilot at " << to_text(from).view() << ", "
                     << unsigned{frame.servos.channels} << " channels",
                now);
        } else if (frame.kind == FrameKind::restarted) {
            log(text << "ArduPilot was started again, now at " << to_text(from).view(), now);
        } else if (lost) {
            log(text << "the link is back: ArduPilot at " << to_text(from).view(), now);
        } else if (from != autopilot) {
            log(text << "ArduPilot's address changed to " << to_text(from).view()
                     << " (two of them on one port would cause this again and again)",
                now);
        } else if (repeats_in_row == 0) {
            unanswered_reported = false;
        } else if (repeats_in_row >= repeats_until_unanswered && !unanswered_reported) {
            text << "ArduPilot repeats frame " << frame.servos.frame_count << ": ";
            if (last_refusal) {
                text << "send() refused the answer: " << last_refusal.message();
            } else {
                text << "it does not get the answers, or refuses them";
            }
            unanswered_reported = log(text, now);
        }
    }

    void nothing_came(Clock::time_point now) {
        last_look = now;
        if (!any_packet || lost || now - last_packet < options.link_loss_time) return;
        lost = true;
        ++statistics.losses;
        MessageWriter text;
        log(text << "lost the link: nothing from ArduPilot at " << to_text(autopilot).view() << " for "
                 << options.link_loss_time.count() << " ms",
            now);
    }

    void check_first_datagram(bool known_before, Clock::time_point now) {
        if (known_before || !any_datagram || any_packet) return;
        MessageWriter text;
        log(text << "a datagram arrived that is not a servo packet from the autopilot; see status()", now);
    }

    // ---- answering

    Error refuse(ErrorCode code, const MessageWriter& text) noexcept {
        ++statistics.refused;
        last_refusal = Error(code, text.c_str());
        return last_refusal;
    }

    Error check_time(double timestamp, double given) noexcept {
        MessageWriter text;
        if (answered_since_start && timestamp - last_timestamp > longest_jump) {
            text << "timestamp " << given << " s is more than " << longest_jump
                 << " s after that of the state sent before, " << last_timestamp + time_offset
                 << " s, which SITL would work through for minutes: restart SITL for another time";
            return refuse(ErrorCode::time_jumped, text);
        }
        if (any_time_allowed || timestamp > last_timestamp) return {};
        if (timestamp < last_timestamp) {
            text << "timestamp " << given << " s is before that of the state sent before, "
                 << last_timestamp + time_offset
                 << " s: physics time has to rise. Call allow_time_reset() before a deliberate reset of the "
                    "physics";
            return refuse(ErrorCode::time_went_back, text);
        }
        if (timestamp == last_timestamp && answering_repeat) return {};
        if (timestamp == last_timestamp) {
            text << "timestamp " << given
                 << " s is that of the state sent before: step the physics for each new frame";
            return refuse(ErrorCode::time_not_advanced, text);
        }
        return {};  // not a number: encode() says so
    }
};

Client::Client() noexcept = default;
Client::~Client() = default;
Client::Client(Client&& other) noexcept = default;
Client& Client::operator=(Client&& other) noexcept = default;

Error Client::open(const ClientOptions& options) {
    auto fresh = std::make_unique<Implementation>();
    fresh->options = options;
    fresh->options.link_loss_time = std::min(options.link_loss_time, longest_link_loss_time);
    implementation_.reset();  // it may hold the very port
    const auto bad = [](const MessageWriter& text) { return Error(ErrorCode::bad_option, text.c_str()); };
    MessageWriter text;
    Endpoint local;
    const std::string& address = options.address;
    if (!parse_address(address.c_str(), local.address)) {
        return bad(text << "address \"" << address
                        << "\" is not an IPv4 address such as 127.0.0.1 or 0.0.0.0");
    }
    if (!options.autopilot_address.empty() &&
        !parse_address(options.autopilot_address.c_str(), fresh->only_address)) {
        return bad(text << "autopilot_address \"" << options.autopilot_address
                        << "\" is not an IPv4 address such as 192.0.2.7");
    }
    if (options.link_loss_time <= std::chrono::milliseconds(0)) {
        return bad(text << "link_loss_time is " << options.link_loss_time.count()
                        << " ms; it has to be positive");
    }
    const std::int64_t port = options.port == 0 ? 0 : options.port + std::int64_t{10} * options.instance;
    if (options.spin_time < std::chrono::microseconds(0) || options.spin_time > std::chrono::seconds(1)) {
        return bad(text << "spin_time is " << options.spin_time.count()
                        << " us; it has to be between 0 and 1000000");
    }
    if (options.instance < 0 || port > 65535) {
        return bad(text << "instance " << options.instance << " would use port " << options.port << " + 10 x "
                        << options.instance << " = " << port << "; a port has to be between 1 and 65535");
    }
    local.port = static_cast<std::uint16_t>(port);
    if (auto error = fresh->socket.open(local)) return error;
    implementation_ = std::move(fresh);
    implementation_->log(text << "listening on UDP " << to_text(implementation_->socket.local()).view(),
                         Clock::now());
    return {};
}

void Client::close() noexcept {
    if (implementation_) implementation_->socket.close();
}

bool Client::is_open() const noexcept { return implementation_ && implementation_->socket.is_open(); }

std::optional<Frame> Client::receive(nanoseconds timeout) {
    timeout = bounded(timeout);
    if (!is_open()) {
        std::this_thread::sleep_for(timeout);
        return std::nullopt;
    }
    Implementation& link = *implementation_;
    Clock::time_point now = Clock::now();
    const Clock::time_point deadline = now + timeout;
    const bool any_before = link.any_datagram;
    link.begin_look(now);
    nanoseconds remaining = timeout;
    Implementation::Candidate candidate;
    for (;;) {
        if (link.cancelled.exchange(false)) break;
        const bool works = link.take(candidate, remaining);
        if (candidate.any) return link.hand_over(candidate);
        now = Clock::now();
        remaining = deadline - now;
        if (!works) {
            ++link.statistics.receive_errors;
            // Whatever is wrong with the socket, asking it again at once does not help.
            std::this_thread::sleep_for(
                std::clamp<nanoseconds>(remaining, nanoseconds(0), std::chrono::milliseconds(10)));
        }
        if (remaining <= nanoseconds(0)) break;
    }
    link.check_first_datagram(any_before, now);
    link.nothing_came(now);
    return std::nullopt;
}

bool Client::wait(nanoseconds timeout) const noexcept {
    timeout = bounded(timeout);
    if (!is_open()) {
        std::this_thread::sleep_for(timeout);
        return false;
    }
    const Clock::time_point deadline = Clock::now() + timeout;
    for (;;) {  // a signal ends the wait of the socket early
        if (implementation_->socket.wait(timeout)) return true;
        timeout = deadline - Clock::now();
        if (timeout <= nanoseconds(0)) return false;
    }
}

void Client::cancel() noexcept {
    if (!is_open()) return;
    const int number = errno;  // a signal handler has to leave it as it was
    implementation_->cancelled = true;
    // A datagram to oneself wakes the wait; if the queue is too full for it, nobody is waiting.
    const char wake = 0;
    static_cast<void>(implementation_->socket.send(implementation_->socket.self(), &wake, 1));
    errno = number;
}

Error Client::send(const State& state) noexcept {
    if (!is_open())
        return {ErrorCode::not_open, "the client is not open: call open() and look at the error it returns"};
    Implementation& link = *implementation_;
    MessageWriter text;
    if (!link.any_packet) {
        return link.refuse(ErrorCode::no_autopilot,
                           text << "no servo packet has arrived yet, so there is nobody to answer");
    }
    if (!link.owes_answer) {
        return link.refuse(
            ErrorCode::already_answered,
            text << "this servo packet has its answer: send once for each frame that receive() returns");
    }

    const State* outgoing = &state;
    double offset = link.time_offset;
    if (link.options.relative_timestamps) {
        // The new beginning is 0 after a start of ArduPilot, and where SITL's clock is after a reset of the
        // physics.
        const double beginning = link.answered_since_start ? link.last_timestamp : 0;
        if (link.any_time_allowed) offset = state.timestamp - beginning;
        link.adjusted = state;
        // Not the difference: to a clock that began in 1970 it adds rounding, which SITL may see as a step back.
        const bool begins = link.any_time_allowed && std::isfinite(state.timestamp);
        link.adjusted.timestamp = begins ? beginning : state.timestamp - offset;
        outgoing = &link.adjusted;
    }
    if (auto error = link.check_time(outgoing->timestamp, state.timestamp)) return error;

    std::size_t length = 0;
    if (auto error = encode(*outgoing, link.line, sizeof link.line, length)) {
        ++link.statistics.refused;
        link.last_refusal = error;
        return error;
    }
    if (const int number = link.socket.send(link.autopilot, link.line, length)) {
        ++link.statistics.send_errors;
        text << "could not send to " << to_text(link.autopilot).view() << ": "
             << UdpSocket::error_text(number).view();
        return {ErrorCode::not_sent, text.c_str()};
    }
    ++link.statistics.sent;
    link.last_refusal = Error();
    link.owes_answer = false;
    link.answered_since_start = true;
    link.any_time_allowed = false;
    link.time_offset = offset;
    link.last_timestamp = outgoing->timestamp;
    return {};
}

void Client::allow_time_reset() noexcept {
    if (implementation_) implementation_->any_time_allowed = true;
}

LinkStatus Client::status() const noexcept {
    if (!is_open()) return LinkStatus::closed;
    const Implementation& link = *implementation_;
    if (!link.any_packet) return link.any_datagram ? LinkStatus::unrecognised : LinkStatus::waiting;
    if (link.lost) return LinkStatus::lost;
    return link.repeats_in_row >= repeats_until_unanswered ? LinkStatus::unanswered : LinkStatus::online;
}

const Statistics& Client::statistics() const noexcept {
    static constexpr Statistics none{};
    return implementation_ ? implementation_->statistics : none;
}

std::uint16_t Client::port() const noexcept {
    return is_open() ? implementation_->socket.local().port : std::uint16_t{0};
}

std::string Client::autopilot() const {
    if (!implementation_ || !implementation_->any_packet) return {};
    return std::string(to_text(implementation_->autopilot).view());
}

std::intptr_t Client::native_handle() const noexcept {
    return implementation_ ? implementation_->socket.native_handle() : std::intptr_t{-1};
}

}  // namespace ap_json
