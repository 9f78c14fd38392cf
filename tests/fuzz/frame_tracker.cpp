// frame_tracker.cpp - fuzzes FrameTracker with counts and senders: what its verdicts have to have in common.
#include <ap_json/frame_tracker.hpp>
#include <optional>

#include "fuzz.hpp"

using ap_json::FrameKind;
using ap_json::FrameTracker;
using ap_json::FrameVerdict;

namespace {

std::uint32_t any_count(fuzz::Input& input, std::uint32_t newest) {
    switch (input.byte() % 6) {
        case 0:
            return newest;
        case 1:
            return newest + 1;
        case 2:
            return 0;
        case 3:
            return newest + input.byte();
        case 4:
            return newest - input.byte();
        default:
            return input.number<std::uint32_t>();
    }
}

void check_verdict(FrameVerdict verdict, std::uint32_t count, std::optional<std::uint32_t> newest,
                   bool same_sender) {
    fuzz::check((verdict.missed != 0) == (verdict.kind == FrameKind::missed), "missed goes with its kind");
    fuzz::check((verdict.kind == FrameKind::first) == !newest, "only the first is first");
    if (!newest) return;
    const std::uint32_t ahead = count - *newest;
    switch (verdict.kind) {
        case FrameKind::repeated:
            fuzz::check(ahead == 0, "a repetition has the count of before");
            break;
        case FrameKind::next:
            fuzz::check(ahead == 1, "the next is one more");
            break;
        case FrameKind::missed:
            fuzz::check(same_sender && ahead == verdict.missed + 1, "missed is what lies between");
            break;
        case FrameKind::stale:
            fuzz::check(count != 0 && (!same_sender || ahead >= 0x80000000U), "0 is believed at once");
            break;
        default:
            fuzz::check(!same_sender || ahead >= 0x80000000U, "who goes on has not been started again");
            break;
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    FrameTracker tracker;
    std::optional<std::uint32_t> newest;
    int stale_in_row = 0;
    while (!input.empty()) {
        const std::uint8_t action = input.byte();
        if (action == 255) {
            tracker.reset();
            newest.reset();
        }
        const bool same_sender = action % 4 != 0;
        const std::uint32_t count = any_count(input, newest.value_or(0));
        const FrameVerdict foreseen = tracker.classify(count, same_sender);
        const FrameVerdict verdict = tracker.track(count, same_sender);
        fuzz::check(verdict.kind == foreseen.kind && verdict.missed == foreseen.missed,
                    "classify() foresees what track() says");
        check_verdict(verdict, count, newest, same_sender);
        if (verdict.kind == FrameKind::restarted && count != 0)
            fuzz::check(stale_in_row >= FrameTracker::most_stale_in_row, "another count has to insist");
        stale_in_row = verdict.kind == FrameKind::stale ? stale_in_row + 1 : 0;
        if (verdict.kind == FrameKind::stale) continue;
        newest = count;
        fuzz::check(tracker.classify(count).kind == FrameKind::repeated, "the same again is a repetition");
        fuzz::check(tracker.classify(count + 1).kind == FrameKind::next, "one more is the next");
    }
    return 0;
}
