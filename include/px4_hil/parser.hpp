// parser.hpp - finds the MAVLink frames in a stream of bytes, whatever lies between them. Time comes from outside; no
// allocation.
//
// A start marker may be false: a byte of another frame, or noise. So a candidate that turns out to be none costs one
// byte, and the search goes on behind it: a good frame is never lost to a false marker.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "px4_hil/export.hpp"
#include "px4_hil/frame.hpp"

namespace px4_hil {

/// Counters of a parser. They only rise.
struct ParserStatistics {
    std::uint64_t delivered = 0;
    std::uint64_t bad_checksum = 0;
    std::uint64_t bad_signature = 0;
    std::uint64_t signed_dropped = 0;    ///< signed frames, while no key is known to check them with
    std::uint64_t unsigned_dropped = 0;  ///< frames without a signature, while a key is set
    std::uint64_t incompatible = 0;      ///< asks for a feature that is not known
    std::uint64_t unknown_id = 0;
    std::uint64_t bad_length = 0;
    std::uint64_t skipped_bytes = 0;  ///< that belong to no frame delivered
    std::uint64_t lost = 0;           ///< frames, by gaps in their senders' numbers
    std::uint64_t repeated = 0;       ///< frames with the number of the one before; delivered all the same
};

class PX4_HIL_API Parser {
  public:
    using Time = std::chrono::steady_clock::time_point;

    /// How long an incomplete candidate may hold back whole frames behind its start marker.
    static constexpr std::chrono::milliseconds longest_pending{100};

    /// From now on only frames signed with this key are delivered.
    void require_signature(const SigningKey& key, std::uint64_t local_time) noexcept {
        signatures_.emplace(key, local_time);
    }

    /// Takes bytes and calls handle(const Frame&) for each frame that is whole now.
    /// @param data  may be null when size is 0; call it so from time to time while nothing comes
    template <class Handle>
    void parse(const void* data, std::size_t size, Time now, Handle&& handle) {
        const auto* bytes = static_cast<const unsigned char*>(data);
        do {
            const std::size_t taken = append(bytes, size);
            while (next(now)) handle(static_cast<const Frame&>(frame_));
            if (taken == size) return;
            bytes += taken;
            size -= taken;
        } while (true);
    }

    /// Forgets incomplete bytes and senders, as after the port was opened again. Counters stay.
    void reset() noexcept;

    [[nodiscard]] const ParserStatistics& statistics() const noexcept { return statistics_; }

    /// Bytes of a frame that is not whole yet.
    [[nodiscard]] std::size_t pending_bytes() const noexcept { return end_ - begin_; }

  private:
    enum class Verdict : std::uint8_t {
        whole,
        incomplete,
        incompatible,
        unknown_id,
        bad_length,
        bad_checksum
    };
    struct Candidate {
        Verdict verdict;
        std::size_t size = 0;  // of the frame without its signature
        const MessageInfo* info = nullptr;
        bool is_signed = false;
    };
    struct Source {
        Identity identity;
        std::uint8_t sequence;
    };

    std::size_t append(const unsigned char* data, std::size_t size) noexcept;
    bool next(Time now) noexcept;
    [[nodiscard]] Candidate examine(std::size_t position) const noexcept;
    [[nodiscard]] std::size_t whole_frame_behind(std::size_t position) const noexcept;
    void skip(std::size_t count) noexcept;
    bool admit(const Candidate& candidate) noexcept;
    void deliver(const Candidate& candidate) noexcept;
    void track(const Frame& frame) noexcept;

    static constexpr std::size_t capacity = 4 * max_frame;
    static constexpr std::size_t most_sources = 32;

    std::array<unsigned char, capacity> buffer_{};
    std::size_t begin_ = 0, end_ = 0;    // of what is not used up
    std::optional<Time> pending_since_;  // of the candidate at begin_
    Frame frame_;
    std::array<Source, most_sources> sources_{};
    std::size_t source_count_ = 0;
    std::optional<SignatureCheck> signatures_;
    ParserStatistics statistics_;
};

}  // namespace px4_hil
