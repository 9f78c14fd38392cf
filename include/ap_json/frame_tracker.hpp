// frame_tracker.hpp - tells from successive frame counts what a servo packet is: the next frame, a
// repetition, one after a gap, or the first of an ArduPilot that was started again. Pure: no socket, no
// clock, no allocation.
#pragma once

#include <cstdint>

#include "ap_json/export.hpp"

namespace ap_json {

enum class FrameKind : std::uint8_t {
    first,      ///< nothing came before it. Step and answer
    next,       ///< one more than the last. Step and answer
    repeated,   ///< SITL did not get, or did not accept, the last answer. Answer again, do not step
    missed,     ///< packets in between were lost or skipped. Step and answer
    restarted,  ///< ArduPilot was started again. Reset the vehicle, step and answer
    stale,      ///< overtaken by a newer packet on the way. Ignore it (Client never hands one over)
};

/// The name of a kind, as in the enumeration. Never null.
[[nodiscard]] AP_JSON_API const char* to_string(FrameKind kind) noexcept;

struct FrameVerdict {
    FrameKind kind = FrameKind::first;
    std::uint32_t missed =
        0;  ///< how many frames are missing before this one; not 0 only when kind is `missed`
};

/// Remembers the last frame count. All arithmetic is modulo 2^32, so a count that wraps round is simply the
/// next one.
class AP_JSON_API FrameTracker {
  public:
    /// A count that lies behind the last one by no more than this, and is not 0, is a packet that was
    /// overtaken. A larger step back is a restart (a restarted ArduPilot begins at 0 and stays there until it
    /// is answered).
    static constexpr std::uint32_t overtaken_window = 16;

    /// So many overtaken packets in a row, with nothing newer between them, are not overtaken: they are an
    /// ArduPilot that was started again, and whose packet 0 was lost.
    static constexpr int most_stale_in_row = 3;

    /// What a packet with this count would be; changes nothing.
    /// @param count        frame_count of the packet
    /// @param same_sender  whether it came from the address and port the last one came from. A new port with
    ///                     a count that is lower, or 0, is an ArduPilot started again; with one that goes on,
    ///                     it is the same ArduPilot behind an address translation.
    [[nodiscard]] FrameVerdict classify(std::uint32_t count, bool same_sender = true) const noexcept;

    /// classify(), then remembers the count; of a stale one, only that it came.
    FrameVerdict track(std::uint32_t count, bool same_sender = true) noexcept;

    /// Forgets the last count: the next one is `first`.
    void reset() noexcept { *this = FrameTracker(); }

  private:
    bool started_ = false;
    std::uint32_t last_ = 0;
    int stale_in_row_ = 0;
};

}  // namespace ap_json
