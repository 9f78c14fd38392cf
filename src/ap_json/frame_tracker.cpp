// frame_tracker.cpp - see frame_tracker.hpp.
#include "ap_json/frame_tracker.hpp"

namespace ap_json {

const char* to_string(FrameKind kind) noexcept {
    switch (kind) {
        case FrameKind::first:
            return "first";
        case FrameKind::next:
            return "next";
        case FrameKind::repeated:
            return "repeated";
        case FrameKind::missed:
            return "missed";
        case FrameKind::restarted:
            return "restarted";
        case FrameKind::stale:
            return "stale";
    }
    return "unknown";
}

FrameVerdict FrameTracker::classify(std::uint32_t count, bool same_sender) const noexcept {
    if (!started_) return {FrameKind::first, 0};
    const std::uint32_t ahead = count - last_;  // modulo 2^32
    if (ahead == 1 && (same_sender || count != 0)) return {FrameKind::next, 0};
    // A new process starts at 0; only a new process has a new port *and* does not go on counting.
    if (!same_sender && (count == 0 || ahead >= 0x80000000U)) return {FrameKind::restarted, 0};
    if (ahead == 0) return {FrameKind::repeated, 0};
    if (ahead < 0x80000000U) return {FrameKind::missed, ahead - 1};
    const std::uint32_t behind = last_ - count;
    if (count != 0 && behind <= overtaken_window && stale_in_row_ < most_stale_in_row)
        return {FrameKind::stale, 0};
    return {FrameKind::restarted, 0};
}

FrameVerdict FrameTracker::track(std::uint32_t count, bool same_sender) noexcept {
    const FrameVerdict verdict = classify(count, same_sender);
    if (verdict.kind == FrameKind::stale) {
        ++stale_in_row_;
    } else {
        started_ = true;
        last_ = count;
        stale_in_row_ = 0;
    }
    return verdict;
}

}  // namespace ap_json
