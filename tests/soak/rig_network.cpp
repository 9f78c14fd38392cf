// rig_network.cpp - the network of the rig: see rig.hpp.
#include <algorithm>

#include "rig.hpp"

namespace soak {
namespace {

// What waits in the backend's socket has to fit into its buffer, which takes some hundred; what comes then is lost.
constexpr std::size_t most_waiting = 100;

// A second SITL is followed when the first has been silent for 3 s, so it has to be silent itself by then.
constexpr Time longest_silence_with_strays = std::chrono::milliseconds(1500);

}  // namespace

/// @return whether it reached the backend's socket
bool Rig::deliver(ap_json::UdpSocket& from, const std::string& bytes) {
    if (arrivals_ && arrivals_->waiting() >= most_waiting && now_ >= backend_resumes_) run_backend();
    if (arrivals_ && arrivals_->waiting() >= most_waiting) {
        outcome_.made("overflowed", 1);
        return false;
    }
    from.send({ap_json::loopback_address, port_}, bytes.data(), bytes.size());
    if (arrivals_) arrivals_->add(bytes);
    return arrivals_.has_value();
}

bool Rig::deliver_to_backend() {
    bool any = false;
    while (const auto departure = to_backend_.take_departure(now_)) {
        any = true;
        BareSitl* const sender = life(departure->route);
        if (sender == nullptr) continue;  // its address is nobody's any more
        note_if_altered(departure->bytes, sender->identity());
        send_strays();
        if (random() < 0.3) run_backend();  // which finds nothing but these then
        deliver(sender->socket(), departure->bytes);
        send_strays();
    }
    return any;
}

void Rig::note_if_altered(const std::string& bytes, Identity sender) {
    ap_json::ServoPacket packet;
    if (ap_json::decode(bytes.data(), bytes.size(), packet) != ap_json::ErrorCode::ok) return;
    if (packet.frame_count == 0) ++altered_.zeros;
    if (signer(packet)) return;
    altered_.senders[hash_of(packet)] = sender;
    ++altered_.total;
}

/// Half of them noise of any length, the other half valid packets of a second SITL.
void Rig::send_strays() {
    for (int i = 0; i < faults_.strays; ++i) {
        const bool link_lives = last_frame_ && now_ - *last_frame_ < longest_silence_with_strays;
        if (random() < 0.5 || !link_lives) {
            std::string noise(static_cast<std::size_t>(random() * 300), '\0');
            for (char& byte : noise) byte = static_cast<char>(generator_());
            if (random() < 0.3) noise.resize(random() < 0.5 ? 40 : 72);
            deliver(stray_, noise);
        } else {
            // Now it insists on one count, now it has a backend of its own; never the count that comes next.
            const bool moves = random() < 0.3;
            const auto far = static_cast<std::uint32_t>(10000 + generator_() % 0x7FFF0000U);
            starved_.model().set_frame_count(moves ? std::max(1U, witness_.last_count() + far) : 0xF0000000U);
            deliver(starved_.socket(), *starved_.packet_when_due(starved_.next_time()));
        }
        outcome_.made("stray", 1);
    }
}

bool Rig::deliver_to_sitl() {
    bool any = false;
    while (const auto departure = to_sitl_.take_departure(now_)) {
        any = true;
        if (!sitl_runs_ || departure->route != lives_.back()->identity()) continue;  // nobody listens there
        if (now_ < sitl_resumes_) {
            sitl_queue_.push_back(departure->bytes);
        } else {
            feed_sitl(departure->bytes);
        }
    }
    return any;
}

}  // namespace soak
