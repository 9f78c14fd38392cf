// doctor.cpp - see doctor.hpp.
#include "doctor.hpp"

#include <cmath>

namespace {

constexpr Findings::Kind no_answer = {
    "no-answer",
    "wire",
    "The backend does not answer.",
    "It does not run, listens elsewhere, answers to another address than the packet came from, or has ended.",
    "\"No JSON sensor message received, resending servos\" for ever.",
    "Listen on the port that SITL sends to (9002 + 10 x instance), and answer to the source of each packet."};
constexpr Findings::Kind several_answers_kind = {
    "several-answers",
    "wire",
    "The backend sends more than one line for a servo packet.",
    "It sends at its own rate, or answers each queued copy. What SITL does not read at once stays in its "
    "queue for ever.",
    "The vehicle reacts late, more and more.",
    "Answer each servo packet once, and send nothing else."};

constexpr std::uint64_t tolerable_doubles = 3;  // answers that crossed with a repetition

Sample sample_of(const ap_json::State& state, const ap_json::SitlReader& reader) {
    Sample sample;
    sample.time = state.timestamp;
    sample.gyro = state.gyro;
    sample.force = state.specific_force;
    sample.position = state.position;
    sample.velocity = state.velocity;
    bool geodetic = false;
    for (const std::string& key : reader.keys()) {
        if (key == "attitude") sample.euler = state.attitude;
        if (key == "quaternion") sample.quaternion = state.quaternion;
        if (key == "altitude") geodetic = true;
    }
    if (geodetic) sample.geodetic = state.geodetic;
    return sample;
}

}  // namespace

void Doctor::packet(const ap_json::ServoPacket& packet) {
    ++packets_;
    answers_ = 0;
    const auto kind = frames_.track(packet.frame_count).kind;
    repeated_ = kind == ap_json::FrameKind::repeated;
    if (kind != ap_json::FrameKind::restarted) return;
    clock_.restart();
    reader_ = ap_json::SitlReader();
}

void Doctor::line(const std::string& datagram, std::int64_t time_ns) {
    ++lines_;
    if (packets_ > 0 && ++answers_ == 2) several_answers(datagram, time_ns);
    const ap_json::SitlVerdict verdict = reader_.feed(datagram.data(), datagram.size());
    const bool clean = wire_.add(datagram, verdict, reader_, time_ns);
    const bool taken = verdict == ap_json::SitlVerdict::accepted || verdict == ap_json::SitlVerdict::fatal;
    if (verdict == ap_json::SitlVerdict::full) reader_ = ap_json::SitlReader();
    if (!taken || answers_ > 1) return;
    const ap_json::State& state = reader_.state();
    // The answer to a repetition is the same state again.
    if (repeated_ && std::fabs(state.timestamp) >= 0) return;
    if (std::isfinite(state.timestamp)) clock_.add(state.timestamp, datagram, time_ns);
    if (clean && verdict == ap_json::SitlVerdict::accepted)
        physics_.add(sample_of(state, reader_), datagram, time_ns);
}

void Doctor::several_answers(const std::string& datagram, std::int64_t time_ns) {
    if (++several_ <= tolerable_doubles) return;
    exchange_.add(
        several_answers_kind,
        std::to_string(several_) + " of " + std::to_string(packets_) + " packets had a second answer",
        datagram, time_ns);
}

std::vector<Finding> Doctor::conclude() const {
    std::vector<Finding> all = wire_.findings().all();
    const auto append = [&all](const std::vector<Finding>& more) {
        all.insert(all.end(), more.begin(), more.end());
    };
    Findings exchange = exchange_;
    if (packets_ > 2 && lines_ == 0)
        exchange.add(no_answer, std::to_string(packets_) + " servo packets, and no line", "", 0);
    append(exchange.all());
    append(clock_.conclude());
    append(physics_.conclude());
    return all;
}
