// link_monitor.cpp - see link_monitor.hpp.
#include "link_monitor.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

using namespace std::chrono_literals;
using ap_json::FrameKind;
using ap_json::LinkStatus;

namespace {

constexpr LinkMonitor::Time silence = 3s;          // until somebody counts as gone; SITL repeats after 1.1 s
constexpr LinkMonitor::Time no_progress = 2500ms;  // until the count should have risen
constexpr LinkMonitor::Time memory = 3s;           // how long something that happened is still told
constexpr double slowest_physics = 90;             // Hz; below, no vehicle of ArduPilot arms

double seconds(LinkMonitor::Time time) { return std::chrono::duration<double>(time).count(); }
double microseconds(LinkMonitor::Time time) {
    return std::chrono::duration<double, std::micro>(time).count();
}

RoundTrips round_trips(const DurationHistogram& histogram) {
    return {histogram.count(), microseconds(histogram.quantile(0.5)), microseconds(histogram.quantile(0.9)),
            microseconds(histogram.quantile(0.99)), microseconds(histogram.max())};
}

std::string in_seconds(LinkMonitor::Time time) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f s", seconds(time));
    return text;
}

}  // namespace

LinkMonitor::LinkMonitor(Time start, std::string here, std::string backend)
    : start_(start), here_(std::move(here)), backend_(std::move(backend)) {}

LinkMonitor::Slot& LinkMonitor::slot(Time now) {
    const std::int64_t number = std::max(now - start_, Time(0)) / slot_time;
    Slot& found = slots_[static_cast<std::size_t>(number) % slots];
    if (found.number != number) {
        found = Slot();
        found.number = number;
    }
    return found;
}

/// @param seconds  set to how long these slots have been
LinkMonitor::Slot LinkMonitor::newest_slots(Time now, double& seconds) const {
    const std::int64_t newest = std::max(now - start_, Time(0)) / slot_time;
    const std::int64_t oldest = std::max<std::int64_t>(newest - static_cast<std::int64_t>(slots) + 1, 0);
    seconds = ::seconds(std::max(now - start_ - oldest * slot_time, Time(1ms)));
    Slot sum;
    for (const Slot& each : slots_) {
        if (each.number < oldest || each.number > newest) continue;
        sum.packets += each.packets;
        sum.lines += each.lines;
        sum.repeated += each.repeated;
        sum.missed += each.missed;
        sum.unasked += each.unasked;
        sum.accepted += each.accepted;
        sum.simulated += each.simulated;
        sum.round_trips.add(each.round_trips);
    }
    return sum;
}

void LinkMonitor::from_sitl(Time now, const std::string& sender, std::string_view datagram) {
    ap_json::ServoPacket packet;
    switch (ap_json::decode(datagram.data(), datagram.size(), packet)) {
        case ap_json::ErrorCode::ok:
            note_frame(now, sender, packet);
            break;
        case ap_json::ErrorCode::wrong_magic:
            ++counts_.rejected_magic;
            break;
        default:
            ++counts_.rejected_length;
            break;
    }
}

void LinkMonitor::note_frame(Time now, const std::string& sender, const ap_json::ServoPacket& packet) {
    const ap_json::FrameVerdict verdict = tracker_.track(packet.frame_count, sender == sitl_);
    newest_kind_ = verdict.kind;
    if (counts_.packets == 0) first_packet_ = now;
    ++counts_.packets;
    ++slot(now).packets;
    switch (verdict.kind) {
        case FrameKind::first:
            ++counts_.first;
            break;
        case FrameKind::next:
            ++counts_.next;
            break;
        case FrameKind::repeated:
            ++counts_.repeated;
            ++slot(now).repeated;
            break;
        case FrameKind::missed:
            ++counts_.gaps;
            counts_.missed += verdict.missed;
            slot(now).missed += verdict.missed;
            break;
        case FrameKind::restarted:
            ++counts_.restarted;
            break;
        case FrameKind::stale:
            ++counts_.stale;
            if (sender != sitl_) {
                other_ = sender;
                newest_other_ = now;
            }
            return;
    }
    if (verdict.kind == FrameKind::first || verdict.kind == FrameKind::restarted) {
        reader_ = ap_json::SitlReader();
        has_state_ = false;
        timestamp_ = 0;
        open_packets_.clear();
        trouble_.clear();
    }
    // SITL repeats only when its queue is empty: no answer to an earlier packet can be on its way any more.
    if (verdict.kind == FrameKind::repeated) {
        counts_.unanswered += open_packets_.size();
        open_packets_.clear();
    } else {
        newest_progress_ = now;
    }
    if (open_packets_.size() == most_open_packets) open_packets_.pop_front();
    open_packets_.push_back(now);
    newest_packet_ = now;
    sitl_ = sender;
    servos_ = packet;
}

void LinkMonitor::to_sitl(Time now, const std::string& sender, const std::string& receiver,
                          std::string_view datagram) {
    if (receiver != sitl_) {
        ++counts_.elsewhere;
        return;
    }
    if (sender != backend_) backend_ = sender;
    newest_line_ = now;
    ++counts_.lines;
    Slot& newest = slot(now);
    ++newest.lines;
    if (open_packets_.empty()) {
        ++counts_.unasked;
        ++newest.unasked;
    } else {
        newest.round_trips.add(now - open_packets_.front());
        round_trips_.add(now - open_packets_.front());
        open_packets_.pop_front();
    }
    const ap_json::SitlVerdict verdict = reader_.feed(datagram.data(), datagram.size());
    switch (verdict) {
        case ap_json::SitlVerdict::accepted:
            ++counts_.accepted;
            ++newest.accepted;
            note_step(now, reader_.state().timestamp);
            return;
        case ap_json::SitlVerdict::rejected:
            ++counts_.rejected;
            break;
        case ap_json::SitlVerdict::incomplete:
            ++counts_.incomplete;
            break;
        case ap_json::SitlVerdict::full:
            ++counts_.full;
            break;
        case ap_json::SitlVerdict::fatal:
            ++counts_.fatal;
            break;
    }
    trouble_ = reader_.advice();
    newest_trouble_ = now;
}

/// SITL's clock advances by the difference of two timestamps, the first of which is 0.
void LinkMonitor::note_step(Time now, double timestamp) {
    const double step = timestamp - timestamp_;
    const bool is_first = !has_state_;
    has_state_ = true;
    timestamp_ = timestamp;
    if (!(step > 0) || step > ap_json::longest_jump) return;
    simulated_ += step;
    slot(now).simulated += step;
    if (!is_first) step_ = step;
}

LinkStatus LinkMonitor::status(Time now) const {
    if (counts_.packets == 0)
        return counts_.rejected_length + counts_.rejected_magic == 0 ? LinkStatus::waiting
                                                                     : LinkStatus::unrecognised;
    if (now - newest_packet_ >= silence) return LinkStatus::lost;
    return counts_.lines == 0 || now - newest_progress_ > no_progress ? LinkStatus::unanswered
                                                                      : LinkStatus::online;
}

std::string LinkMonitor::advice(Time now, const Slot& newest) const {
    switch (status(now)) {
        case LinkStatus::waiting:
            return "Nothing from SITL yet. Is it started with --model JSON, does it send to " + here_ +
                   "? It sends nothing until a ground station is connected.";
        case LinkStatus::unrecognised:
            return "Datagrams arrive, but none is a servo packet of ArduPilot: something else sends to " +
                   here_ + ".";
        case LinkStatus::lost:
            return "SITL has been silent for " + in_seconds(now - newest_packet_) +
                   ": it has ended, or is paused. The link comes back by itself.";
        default:
            return advice_about_lines(now, newest);
    }
}

std::string LinkMonitor::advice_about_lines(Time now, const Slot& newest) const {
    if (counts_.lines == 0)
        return "No answer from the backend yet. Is it running, and does it listen on " + backend_ + "?";
    if (now - newest_line_ >= silence)
        return "The backend " + backend_ + " has been silent for " + in_seconds(now - newest_line_) +
               ". It has ended, is paused, or does not answer packets that SITL repeats.";
    if (!trouble_.empty() && now - newest_trouble_ < memory) return trouble_;
    if (!other_.empty() && now - newest_other_ < memory)
        return "Another SITL sends here too: " + other_ + ". Give each an instance of its own (-I).";
    if (status(now) == LinkStatus::unanswered)
        return "SITL asks for the same frame again and again: the answers do not reach it, or it refuses "
               "them.";
    if (newest.unasked > 0)
        return "More lines than packets (" + std::to_string(newest.unasked) +
               " in the newest seconds): each lags in SITL's queue for ever. Answer each packet once.";
    if (newest.missed > 0)
        return std::to_string(newest.missed) +
               " frames were lost between SITL and here in the newest seconds.";
    if (newest.repeated > 0)
        return "SITL repeated " + std::to_string(newest.repeated) +
               " packets in the newest seconds: it waited for lines that did not come in 1.1 s.";
    if (newest.accepted > 1 && newest.simulated == 0)
        return "The timestamps stand still: SITL's clock does too.";
    if (newest.accepted > 10 && newest.simulated > static_cast<double>(newest.accepted) / slowest_physics)
        return "The steps are too long: ArduPilot does not arm below 90 steps a simulated second (copters: "
               "720).";
    return {};
}

LinkSnapshot LinkMonitor::snapshot(Time now) const {
    double window = 0;  // s
    const Slot newest = newest_slots(now, window);
    LinkSnapshot s;
    s.elapsed = seconds(now - start_);
    s.active = seconds(newest_packet_ - first_packet_);
    s.status = status(now);
    s.sitl = sitl_;
    s.here = here_;
    s.backend = backend_;
    s.counts = counts_;
    s.packets_per_second = static_cast<double>(newest.packets) / window;
    s.lines_per_second = static_cast<double>(newest.lines) / window;
    s.round_trips = round_trips(newest.round_trips);
    s.round_trips_total = round_trips(round_trips_);
    s.simulated = simulated_;
    s.speed = newest.simulated / window;
    s.step = step_;
    s.servos = servos_;
    if (has_state_) s.state = reader_.state();
    s.advice = advice(now, newest);
    return s;
}
