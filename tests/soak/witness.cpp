// witness.cpp - see witness.hpp.
#include "witness.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace soak {

std::uint64_t hash_of(const ap_json::ServoPacket& packet) noexcept {
    std::uint64_t value =
        std::uint64_t{packet.frame_count} << 32U | std::uint64_t{packet.frame_rate} << 8U | packet.channels;
    for (const std::uint16_t pwm : packet.pwm) value = mix(value * 0x9e3779b97f4a7c15U + pwm);
    return value;
}

void Witness::complain(const char* what, std::uint64_t count, std::uint64_t other) noexcept {
    if (complaint_[0] != '\0') return;
    std::snprintf(complaint_, sizeof complaint_, "%s (%llu, %llu)", what,
                  static_cast<unsigned long long>(count), static_cast<unsigned long long>(other));
}

void Witness::forget() noexcept {
    any_ = restarting_ = false;
    missed_ = steps_since_restart_ = span_ = 0;
}

void Witness::reset(ap_json::State&) noexcept { restarting_ = any_; }

void Witness::step(const ap_json::ServoPacket& servos, double, ap_json::State&) noexcept {
    ++steps_;
    Identity identity = last_identity_;
    if (const auto signed_by = signer(servos)) {
        identity = *signed_by;
    } else {
        const auto found = altered_sender(servos);
        if (!found)
            return complain("servo outputs that nobody sent: frame, identity", servos.frame_count,
                            servos.pwm[0]);
        identity = *found;
        ++altered_handed_over_;
    }
    look_at_sender(identity, servos);
    look_at_order(servos);
    last_identity_ = identity;
    newest_identity_ = std::max(newest_identity_, identity);
    last_count_ = servos.frame_count;
    any_ = true;
    restarting_ = false;
}

std::optional<Identity> Witness::altered_sender(const ap_json::ServoPacket& servos) const noexcept {
    if (altered_ == nullptr) return std::nullopt;
    const auto found = altered_->senders.find(hash_of(servos));
    return found == altered_->senders.end() ? std::nullopt : std::optional(found->second);
}

/// An altered count makes the right ones look like those of another SITL; a late copy of a packet 0 may be drained.
std::uint64_t Witness::restart_causes() const noexcept {
    return altered_ == nullptr ? 0 : altered_->total + altered_->zeros;
}

/// A packet with the count 0 is believed at once, and one that goes on counting is taken for that of the same SITL.
void Witness::look_at_sender(Identity identity, const ap_json::ServoPacket& servos) noexcept {
    if (identity >= first_stranger)
        return complain("a stranger's frame: frame, identity", servos.frame_count, identity);
    if (!any_) return;
    const bool goes_on = servos.frame_count - last_count_ <= 1;
    if (identity < newest_identity_) {
        ++late_;
        if (servos.frame_count != 0 && !goes_on)
            complain("a frame of a SITL that had ended: frame, identity", servos.frame_count, identity);
    } else if (identity != last_identity_ && !restarting_ && !goes_on) {
        complain("a new SITL, but no restart: frame, identity", servos.frame_count, identity);
    } else if (identity == last_identity_ && restarting_ && servos.frame_count != 0 &&
               restart_causes() == causes_explained_) {
        complain("a restart, but the same SITL: frame, identity", servos.frame_count, identity);
    }
}

void Witness::look_at_order(const ap_json::ServoPacket& servos) noexcept {
    if (any_ && !restarting_) {
        const std::uint32_t ahead = servos.frame_count - last_count_;
        if (ahead == 0) complain("stepped twice for one frame: frame, last", servos.frame_count, last_count_);
        if (ahead >= 0x80000000U)
            complain("older than the last frame: frame, last", servos.frame_count, last_count_);
        span_ += ahead;
        ++steps_since_restart_;
        return;
    }
    if (restarting_) {
        ++restarts_;
        causes_explained_ = restart_causes();
    }
    missed_ += missed_since_restart();
    span_ = steps_since_restart_ = 1;
}

/// All counts that there were, less those that were handed over.
std::uint64_t Witness::missed_since_restart() const noexcept { return span_ - steps_since_restart_; }

}  // namespace soak
