// frame_tracker.hpp - tells from successive frame counts what a servo packet is: the next frame, a
// repetition, one after a gap, or the first of an ArduPilot that was started again. Pure: no socket, no
// clock, no allocation.
#pragma once

#include <cstdint>

#include "ap_json/export.hpp"

namespace ap_json {

/// What a servo packet is, told by its count and its sender.
enum class FrameKind : std::uint8_t {
    first,      ///< nothing came before it. Step and answer
    next,       ///< one more than the last. Step and answer
    repeated,   ///< SITL did not get, or did not accept, the last answer. Answer again, do not step
    missed,     ///< packets in between were lost or skipped. Step and answer
    restarted,  ///< ArduPilot was started again. Reset the vehicle, step and answer
    stale,      ///< overtaken on the way, or from another ArduPilot. Ignore it (Client never hands one over)
};

/// The name of a kind, as in the enumeration. Never null.
[[nodiscard]] AP_JSON_API const char* to_string(FrameKind kind) noexcept;

/// What FrameTracker says of a packet.
struct FrameVerdict {
    FrameKind kind = FrameKind::first;  ///< what it is
    /// How many frames are missing before this one; not 0 only when kind is `missed`.
    std::uint32_t missed = 0;
};

/// Remembers the last frame count. All arithmetic is modulo 2^32, so a count that wraps round is simply the
/// next one.
class AP_JSON_API FrameTracker {
  public:
    /// An ArduPilot that was started again begins at 0 and stays there until it is answered: a 0 is believed
    /// at once. Any other count that does not go on from the last one is `stale` until it has come so many
    /// times in a row and then once more, as an ArduPilot repeats it that waits for an answer.
    static constexpr int most_stale_in_row = 3;

    /// What a packet with this count would be; changes nothing.
    /// @param count        frame_count of the packet
    /// @param same_sender  whether it came from the address and port the last one came from. Another sender goes
    ///                     on only with the same count or the next one, since SITL waits for each answer: it is the
    ///                     same ArduPilot behind an address translation.
    [[nodiscard]] FrameVerdict classify(std::uint32_t count, bool same_sender = true) const noexcept;

    /// classify(), then remembers the count; of a stale one, only that it came.
    FrameVerdict track(std::uint32_t count, bool same_sender = true) noexcept;

    /// Forgets the last count: the next one is `first`.
    void reset() noexcept { *this = FrameTracker(); }

  private:
    bool started_ = false;
    std::uint32_t last_ = 0;
    std::uint32_t stale_ = 0;  // the count that did not go on
    int stale_in_row_ = 0;     // how often it came since
};

}  // namespace ap_json
