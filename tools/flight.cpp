// flight.cpp - see flight.hpp.
#include "flight.hpp"

#include <algorithm>
#include <ap_json/client.hpp>
#include <cmath>
#include <utility>

namespace {

using ap_json::FrameKind;
using ap_json::SitlVerdict;

constexpr std::size_t most_peers = 6;
constexpr std::size_t most_fates = 16;

/// A first timestamp beyond this, in s (116 days), is not the physics' own time, but the Unix epoch or the like.
constexpr double latest_start = 1e7;

void remember(std::vector<std::string>& peers, const std::string& peer) {
    if (peer.empty() || peers.size() >= most_peers) return;
    if (std::find(peers.begin(), peers.end(), peer) == peers.end()) peers.push_back(peer);
}

double seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

}  // namespace

StateAnswer StateLineReader::read(const std::string& line) {
    StateAnswer answer;
    answer.verdict = reader_.feed(line.data(), line.size());
    if (answer.verdict == SitlVerdict::full) {
        reader_ = ap_json::SitlReader();
        fields_ = 0;
        answer.verdict = reader_.feed(line.data(), line.size());
    }
    answer.advice = reader_.advice();
    if (!answer.accepted()) return answer;
    if (reader_.keys_changed() || fields_ == 0) fields_ = to_field_set(reader_.keys());
    answer.state = reader_.state();
    answer.fields = fields_;
    // The reader remembers what earlier lines had, as SITL does. A quaternion that this line lacks is not its attitude.
    static const auto quaternion = static_cast<std::size_t>(find_state_field("quaternion"));
    if (!has_field(fields_, quaternion)) answer.state.quaternion.reset();
    static const auto latitude = static_cast<std::size_t>(find_state_field("latitude"));
    for (std::size_t part = 0; part < 3; ++part) {  // latitude, longitude, altitude: SITL takes all or none
        if (!has_field(fields_, latitude + part)) answer.state.geodetic.reset();
    }
    return answer;
}

std::optional<FlightFrame> FlightAssembler::add(const Record& record) {
    if (!any_record_) {
        any_record_ = true;
        counts_.first_ns = record.steady_ns;
        counts_.first_wall_ns = record.wall_ns;
    }
    counts_.last_ns = record.steady_ns;
    counts_.last_wall_ns = record.wall_ns;
    if (clock_ == FlightClock::recording) time_ = seconds(record.steady_ns - counts_.first_ns);
    if (record.kind == Record::Kind::mark) return std::nullopt;
    if (!record.fate.empty() && (counts_.fates.size() < most_fates || counts_.fates.count(record.fate) != 0))
        ++counts_.fates[record.fate];
    remember(record.kind == Record::Kind::from_sitl ? counts_.sitl_peers : counts_.backend_peers,
             record.peer);
    if (record.fate == "lost") return std::nullopt;  // it never arrived
    return record.kind == Record::Kind::from_sitl ? add_packet(record) : add_line(record);
}

std::optional<FlightFrame> FlightAssembler::finish() { return std::exchange(open_, std::nullopt); }

std::optional<FlightFrame> FlightAssembler::add_packet(const Record& record) {
    ap_json::ServoPacket servos;
    if (ap_json::decode(record.bytes.data(), record.bytes.size(), servos) != ap_json::ErrorCode::ok) {
        ++counts_.not_servo;
        return std::nullopt;
    }
    ++counts_.servo_packets;
    const bool same_sender = newest_sitl_.empty() || newest_sitl_ == record.peer;
    const ap_json::FrameVerdict verdict = tracker_.track(servos.frame_count, same_sender);
    if (verdict.kind == FrameKind::stale) {
        ++counts_.stale;
        return std::nullopt;
    }
    newest_sitl_ = record.peer;
    if (verdict.kind == FrameKind::repeated) {
        ++counts_.repeats;
        if (open_) ++open_->repeats;
        return std::nullopt;
    }
    if (verdict.kind == FrameKind::restarted) {
        ++counts_.restarts;
        reader_ = StateLineReader();
        timestamp_known_ = false;
    }
    if (counts_.frames++ == 0) counts_.first_count = servos.frame_count;
    counts_.missed += verdict.missed;
    FlightFrame frame;
    frame.has_servos = true;
    frame.packet = record.bytes;
    frame.servos = servos;
    frame.kind = verdict.kind;
    frame.missed = verdict.missed;
    frame.asked_ns = frame.answered_ns = record.steady_ns;
    frame.time = time_;
    repeats_answered_ = 0;
    return std::exchange(open_, std::move(frame));
}

std::optional<FlightFrame> FlightAssembler::add_line(const Record& record) {
    ++counts_.state_lines;
    if (open_ && open_->answered) {
        if (repeats_answered_ < open_->repeats) {
            ++repeats_answered_;
        } else {
            ++counts_.extra;
        }
        return std::nullopt;
    }
    if (open_) {
        take_answer(*open_, record);
        return std::nullopt;
    }
    FlightFrame alone;
    alone.asked_ns = record.steady_ns;
    take_answer(alone, record);
    if (!alone.answered) return std::nullopt;
    ++counts_.frames;
    return alone;
}

void FlightAssembler::take_answer(FlightFrame& frame, const Record& record) {
    frame.answer = reader_.read(record.bytes);
    frame.answered = frame.answer.accepted();
    frame.answered_ns = record.steady_ns;
    if (!frame.answered) {
        ++counts_.refused;
        return;
    }
    // Each packet before this one that was not answered well has been asked for again.
    repeats_answered_ = frame.repeats;
    ++counts_.answered;
    if (frame.answer.verdict == SitlVerdict::fatal) ++counts_.fatal;
    frame.line = record.bytes;
    advance_time(frame.answer.state.timestamp);
    frame.time = time_;
}

void FlightAssembler::advance_time(double timestamp) {
    if (clock_ == FlightClock::recording || !(std::fabs(timestamp) < 1e15)) return;
    const double step = timestamp - timestamp_;
    if (!time_begun_) {
        time_ = timestamp > 0 && timestamp < latest_start ? timestamp : 0;
        offset_ = time_ - timestamp;
        counts_.first_time = counts_.last_time = time_;
    } else if (!timestamp_known_ || step < 0 || step > ap_json::longest_jump) {
        if (timestamp_known_) ++(step < 0 ? counts_.time_went_back : counts_.time_jumped);
        offset_ = time_ - timestamp;
    } else if (step == 0) {
        ++counts_.time_stood;
    }
    time_begun_ = timestamp_known_ = true;
    timestamp_ = timestamp;
    time_ = std::max(time_, timestamp + offset_);
    counts_.last_time = time_;
}
