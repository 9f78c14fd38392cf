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
    const bool is_ahead = ahead < 0x80000000U;
    // From the same sender a 0 can also be a repetition, or the count wrapping round.
    if (count == 0 && !(same_sender && is_ahead)) return {FrameKind::restarted, 0};
    if (same_sender ? is_ahead : ahead <= 1) {
        if (ahead == 0) return {FrameKind::repeated, 0};
        return ahead == 1 ? FrameVerdict{FrameKind::next, 0} : FrameVerdict{FrameKind::missed, ahead - 1};
    }
    const bool insists = count == stale_ && stale_in_row_ >= most_stale_in_row;
    return {insists ? FrameKind::restarted : FrameKind::stale, 0};
}

FrameVerdict FrameTracker::track(std::uint32_t count, bool same_sender) noexcept {
    const FrameVerdict verdict = classify(count, same_sender);
    if (verdict.kind == FrameKind::stale) {
        stale_in_row_ = count == stale_ ? stale_in_row_ + 1 : 1;
        stale_ = count;
    } else {
        started_ = true;
        last_ = count;
        stale_in_row_ = 0;
    }
    return verdict;
}

}  // namespace ap_json
