// replay.cpp - see replay.hpp.
#include "replay.hpp"

#include <algorithm>
#include <ap_json/frame_tracker.hpp>
#include <ap_json/servo_packet.hpp>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <thread>

#include "exit_code.hpp"
#include "flight_reader.hpp"
#include "interrupt.hpp"
#include "number_text.hpp"
#include "progress.hpp"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using ap_json::FrameKind;

constexpr auto resend_time = 1102ms;  // as SITL does
constexpr auto slice = 100ms;         // the longest wait that does not look at Ctrl-C
constexpr auto quiet_time = 50ms;     // after which no further answer to a repeated packet is expected
constexpr int most_refusals = 3;      // of one frame, before the next one is played

double seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

/// Puts the count into a servo packet, whatever this machine's byte order is.
void set_count(std::string& packet, std::uint32_t count) {
    for (std::size_t i = 0; i < 4; ++i) packet[4 + i] = static_cast<char>(count >> (8 * i) & 0xff);
}

ComparedFrame compared(const FlightFrame& frame, std::uint64_t number) {
    return {number, frame.servos.frame_count, frame.time};
}

/// Ends a replay because of its recording. @return whether that is so
bool recording_failed(const FlightReader& flight, ReplayResult& result) {
    result.skipped_lines = flight.skipped();
    if (flight.problem().empty()) return false;
    result.problem = flight.problem();
    result.exit_code = exit_found;
    return true;
}

// ---- to a backend

class BackendReplay {
  public:
    explicit BackendReplay(const ReplayOptions& options)
        : options_(options), result_(options.tolerances), flight_(options.repair) {}

    ReplayResult run();

  private:
    enum class Outcome { answered, silent, interrupted };

    bool play(const FlightFrame& frame);
    bool begin_session(const FlightFrame& frame);
    bool keep_pace(const FlightFrame& frame);
    Outcome ask(const std::string& packet, StateAnswer& answer);
    std::optional<std::string> receive(Clock::duration timeout);
    void drain(bool wait);
    bool fail(const std::string& problem, int exit_code);

    const ReplayOptions& options_;
    ReplayResult result_;
    FlightReader flight_;
    std::unique_ptr<UdpPort> port_;
    StateLineReader reader_;
    std::uint32_t first_count_ = 0;  // of the recorded session
    double first_time_ = 0;          // s, of the flight
    Clock::time_point begin_;
};

bool BackendReplay::fail(const std::string& problem, int exit_code) {
    result_.problem = problem;
    result_.exit_code = exit_code;
    return false;
}

ReplayResult BackendReplay::run() {
    if (const std::string problem = flight_.open(options_.recording); !problem.empty()) {
        fail(problem, exit_used_wrongly);
        return std::move(result_);
    }
    Progress progress("playing to " + options_.address.text(), options_.quiet);
    begin_ = Clock::now();
    while (const auto frame = flight_.next()) {
        if (!frame->has_servos) {
            ++result_.not_compared;
            continue;
        }
        if (!play(*frame)) break;
        progress.show(flight_.progress(),
                      std::to_string(result_.comparison.different_frames()) + " different");
    }
    result_.real = seconds(Clock::now() - begin_);
    if (!result_.problem.empty() || result_.interrupted || recording_failed(flight_, result_))
        return std::move(result_);
    if (result_.frames == 0) {
        fail("there is no servo packet in " + options_.recording + ": nothing was played", exit_used_wrongly);
    } else if (result_.comparison.frames() == 0) {
        fail("there is no answer of a backend in " + options_.recording +
                 ": all was played, but nothing could be compared",
             exit_used_wrongly);
    }
    return std::move(result_);
}

/// @return whether to go on
bool BackendReplay::play(const FlightFrame& frame) {
    if (port_ == nullptr || frame.kind == FrameKind::restarted) {
        if (!begin_session(frame)) return false;
    }
    if (!keep_pace(frame)) return false;
    std::string packet = frame.packet;
    set_count(packet, frame.servos.frame_count - first_count_);
    StateAnswer answer;
    const Outcome outcome = ask(packet, answer);
    if (outcome == Outcome::interrupted) {
        result_.interrupted = true;
        return false;
    }
    if (outcome == Outcome::silent) {
        const std::string patience = short_text(options_.patience) + " s";
        if (result_.frames == 0) {
            return fail("nothing has come from " + options_.address.text() + " for " + patience +
                            ": is the backend running, does it listen there, and does it answer?",
                        exit_used_wrongly);
        }
        return fail("the backend has stopped to answer: frame " + std::to_string(result_.frames) + ", at " +
                        fixed_text(frame.time, 4) + " s, got nothing for " + patience,
                    exit_found);
    }
    const std::uint64_t number = result_.frames++;
    result_.simulated = frame.time - first_time_;
    if (frame.answered) {
        result_.comparison.compare(compared(frame, number), frame.answer, answer);
    } else {
        ++result_.not_compared;
    }
    return true;
}

/// An ArduPilot that is started has a new port, and counts from 0.
bool BackendReplay::begin_session(const FlightFrame& frame) {
    auto port =
        std::make_unique<UdpPort>();  // while the old one is still there, so that its number is another
    if (const std::string problem = port->open({"0.0.0.0", 0}); !problem.empty())
        return fail(problem, exit_used_wrongly);
    if (port_ != nullptr) ++result_.restarts;
    port_ = std::move(port);
    reader_ = StateLineReader();
    first_count_ = frame.servos.frame_count;
    if (result_.frames == 0) {
        first_time_ = frame.time;
        if (first_count_ != 0) {
            result_.remark = "the recording begins in the middle of a flight, at count " +
                             std::to_string(first_count_) + ": the backend began elsewhere than it did then";
        }
    }
    return true;
}

bool BackendReplay::keep_pace(const FlightFrame& frame) {
    if (options_.speed <= 0) return true;
    const double real = std::min(std::max(0.0, frame.time - first_time_) / options_.speed, 1e9);
    const auto due =
        begin_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(real));
    while (Clock::now() < due) {
        if (interrupted != 0) {
            result_.interrupted = true;
            return false;
        }
        std::this_thread::sleep_for(std::min<Clock::duration>(due - Clock::now(), slice));
    }
    return true;
}

/// What the backend sends next.
std::optional<std::string> BackendReplay::receive(Clock::duration timeout) {
    const auto end = Clock::now() + timeout;
    do {
        auto datagram = port_->receive(std::max<Clock::duration>(end - Clock::now(), 0ns));
        if (!datagram) return std::nullopt;
        if (datagram->sender.port == options_.address.port) return std::move(datagram->bytes);
    } while (Clock::now() < end);
    return std::nullopt;
}

/// Takes away answers that nobody asked for: they would be taken for those to later packets.
void BackendReplay::drain(bool wait) {
    while (receive(wait ? Clock::duration(quiet_time) : 0ns)) ++result_.extra;
}

BackendReplay::Outcome BackendReplay::ask(const std::string& packet, StateAnswer& answer) {
    drain(false);
    const auto give_up = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                            std::chrono::duration<double>(options_.patience));
    auto resend = Clock::now() + resend_time;
    bool repeated = false;
    int refusals = 0;
    port_->send(packet, options_.address);
    while (interrupted == 0) {
        const auto now = Clock::now();
        if (now >= give_up) return Outcome::silent;
        if (now >= resend) {
            port_->send(packet, options_.address);
            ++result_.resends;
            repeated = true;
            resend = now + resend_time;
        }
        const auto line = receive(std::min({Clock::duration(slice), give_up - now, resend - now}));
        if (!line) continue;
        answer = reader_.read(*line);
        if (answer.accepted() || ++refusals == most_refusals) {
            if (repeated) drain(true);
            return Outcome::answered;
        }
        ++result_.resends;  // SITL asks for the same frame at once
        port_->send(packet, options_.address);
    }
    return Outcome::interrupted;
}

// ---- to a SITL

class SitlReplay {
  public:
    explicit SitlReplay(const ReplayOptions& options) : options_(options), result_(options.tolerances) {}

    ReplayResult run();

  private:
    bool rewind();
    bool load_next();
    bool listen();
    bool take(const UdpPort::Datagram& datagram);
    std::optional<UdpPort::Datagram> newest_datagram();
    bool fail(const std::string& problem, int exit_code);

    const ReplayOptions& options_;
    ReplayResult result_;
    std::unique_ptr<FlightReader> flight_;
    std::optional<FlightFrame> next_;  // whose line is the next one to send
    std::uint64_t number_ = 0;         // of that one
    bool session_over_ = false;
    double first_time_ = 0;
    std::string newest_line_;  // sent
    UdpPort port_;
    ap_json::FrameTracker tracker_;
    UdpAddress sitl_;
};

bool SitlReplay::fail(const std::string& problem, int exit_code) {
    result_.problem = problem;
    result_.exit_code = exit_code;
    return false;
}

bool SitlReplay::rewind() {
    flight_ = std::make_unique<FlightReader>(options_.repair);
    if (const std::string problem = flight_->open(options_.recording); !problem.empty())
        return fail(problem, exit_used_wrongly);
    result_.comparison = Comparison(options_.tolerances);
    result_.frames = result_.not_compared = number_ = 0;
    session_over_ = false;
    newest_line_.clear();
    if (load_next()) {
        first_time_ = next_->time;
        return true;
    }
    if (result_.problem.empty())
        fail("there is no state in " + options_.recording + " that SITL would take", exit_used_wrongly);
    return false;
}

/// @return false when the recording has no further state for this session
bool SitlReplay::load_next() {
    next_.reset();
    while (!session_over_) {
        auto frame = flight_->next();
        if (!frame) break;
        session_over_ = frame->kind == FrameKind::restarted;
        if (session_over_) {
            result_.remark = "in the recording ArduPilot was started again after " +
                             fixed_text(frame->time, 3) + " s; it was played up to there";
            break;
        }
        ++number_;
        if (!frame->answered) continue;
        next_ = std::move(frame);
        return true;
    }
    recording_failed(*flight_, result_);
    return false;
}

bool SitlReplay::listen() {
    if (const std::string problem = port_.open(options_.address); !problem.empty())
        return fail(problem, exit_used_wrongly);
    if (!options_.quiet) {
        std::fprintf(stderr, "listening on UDP %s:%u\n", options_.address.address.c_str(),
                     unsigned{port_.port()});
        std::fflush(stderr);
    }
    return true;
}

/// Several that are queued are answered once.
std::optional<UdpPort::Datagram> SitlReplay::newest_datagram() {
    auto newest = port_.receive(slice);
    while (newest) {
        auto further = port_.receive(0ns);
        if (!further) break;
        newest = std::move(further);
    }
    return newest;
}

ReplayResult SitlReplay::run() {
    if (!rewind() || !listen()) return std::move(result_);
    Progress progress("playing to SITL", options_.quiet);
    const auto patience =
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options_.patience));
    auto newest = Clock::now();
    const auto begin = newest;
    while (next_) {
        if (interrupted != 0) {
            result_.interrupted = true;
            break;
        }
        const auto datagram = newest_datagram();
        if (datagram) {
            newest = Clock::now();
            if (!take(*datagram)) break;
        } else if (result_.frames > 0 && Clock::now() - newest > patience) {
            fail("SITL has gone silent after frame " + std::to_string(result_.frames - 1) + ", with " +
                     fixed_text(result_.simulated, 3) + " s played",
                 exit_found);
            break;
        }
        progress.show(flight_->progress(),
                      std::to_string(result_.comparison.different_frames()) + " different");
    }
    result_.real = seconds(Clock::now() - begin);
    result_.skipped_lines = flight_->skipped();
    if (result_.problem.empty() && !result_.interrupted && result_.comparison.frames() == 0)
        fail("there is no servo packet in " + options_.recording + ": nothing could be compared",
             exit_used_wrongly);
    return std::move(result_);
}

/// @return whether to go on
bool SitlReplay::take(const UdpPort::Datagram& datagram) {
    ap_json::ServoPacket servos;
    if (ap_json::decode(datagram.bytes.data(), datagram.bytes.size(), servos) != ap_json::ErrorCode::ok)
        return true;
    const bool same_sender = sitl_.port == 0 || sitl_ == datagram.sender;
    const FrameKind kind = tracker_.track(servos.frame_count, same_sender).kind;
    if (kind == FrameKind::stale) return true;
    sitl_ = datagram.sender;
    if (kind == FrameKind::repeated) {
        ++result_.resends;
        if (!newest_line_.empty()) port_.send(newest_line_, sitl_);
        return true;
    }
    if (kind == FrameKind::restarted) {
        ++result_.restarts;
        if (!rewind()) return false;
    }
    const FlightFrame& frame = *next_;
    if (frame.has_servos) {
        result_.comparison.compare(compared(frame, number_ - 1), frame.servos, servos);
    } else {
        ++result_.not_compared;
    }
    ++result_.frames;
    result_.simulated = frame.time - first_time_;
    newest_line_ = frame.line;
    port_.send(newest_line_, sitl_);
    return load_next();
}

}  // namespace

ReplayResult replay_to_backend(const ReplayOptions& options) { return BackendReplay(options).run(); }
ReplayResult replay_to_sitl(const ReplayOptions& options) { return SitlReplay(options).run(); }
