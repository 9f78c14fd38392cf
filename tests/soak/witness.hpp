// witness.hpp - the vehicle of the soak: a model for ap_json::Lockstep that looks at every frame handed over and says
// what must never happen. Plain data, so that it can live in memory that processes share.
#pragma once

#include <ap_json/servo_packet.hpp>
#include <ap_json/state.hpp>
#include <cstdint>
#include <unordered_map>

#include "fingerprint.hpp"

namespace soak {

/// Packets that are valid although bits in them were flipped on the way, and who sent them. The protocol has no
/// checksum of its own, so they cannot be told from others; only these may be handed over.
struct AlteredPackets {
    std::unordered_map<std::uint64_t, Identity> senders;  // by hash_of()
    std::uint64_t total = 0;                              // that have ever been in it
    std::uint64_t zeros = 0;  // packets with the count 0, which mean a restart even when they are late copies
};

/// The bytes that a packet had, hashed.
std::uint64_t hash_of(const ap_json::ServoPacket& packet) noexcept;

class Witness {
  public:
    /// @param altered  may be null: none
    explicit Witness(const AlteredPackets* altered = nullptr) noexcept : altered_(altered) {}

    // ---- what Lockstep calls

    void step(const ap_json::ServoPacket& servos, double dt, ap_json::State& state) noexcept;
    void reset(ap_json::State& state) noexcept;

    /// The backend was started again: whatever comes next is the first frame.
    void forget() noexcept;

    // ---- what it has seen

    /// Empty, or the first thing that must never happen.
    [[nodiscard]] const char* complaint() const noexcept { return complaint_; }
    void complain(const char* what, std::uint64_t count, std::uint64_t other) noexcept;

    [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }
    [[nodiscard]] std::uint64_t restarts() const noexcept { return restarts_; }
    [[nodiscard]] std::uint64_t altered_packets() const noexcept { return altered_handed_over_; }
    /// Frames of a SITL that had ended, which the rules cannot tell from those of the living one.
    [[nodiscard]] std::uint64_t late() const noexcept { return late_; }

    /// Frames missing since forget(): by subtraction, not as the client counts them.
    [[nodiscard]] std::uint64_t missed() const noexcept { return missed_ + missed_since_restart(); }

    [[nodiscard]] Identity last_identity() const noexcept { return last_identity_; }
    [[nodiscard]] std::uint32_t last_count() const noexcept { return last_count_; }

  private:
    void look_at_sender(Identity identity, const ap_json::ServoPacket& servos) noexcept;
    void look_at_order(const ap_json::ServoPacket& servos) noexcept;
    [[nodiscard]] std::optional<Identity> altered_sender(const ap_json::ServoPacket& servos) const noexcept;
    [[nodiscard]] std::uint64_t restart_causes() const noexcept;
    [[nodiscard]] std::uint64_t missed_since_restart() const noexcept;

    const AlteredPackets* altered_ = nullptr;
    char complaint_[160] = {};
    std::uint64_t steps_ = 0;
    std::uint64_t restarts_ = 0;
    std::uint64_t altered_handed_over_ = 0;
    std::uint64_t late_ = 0;

    bool any_ = false;                    // since forget()
    bool restarting_ = false;             // the next frame is that of a restart
    std::uint64_t causes_explained_ = 0;  // up to the newest restart
    Identity last_identity_ = 0;
    Identity newest_identity_ = 0;
    std::uint32_t last_count_ = 0;

    std::uint64_t missed_ = 0;  // up to the newest restart
    std::uint64_t steps_since_restart_ = 0;
    std::uint64_t span_ = 0;  // counts from the first one on
};

}  // namespace soak
