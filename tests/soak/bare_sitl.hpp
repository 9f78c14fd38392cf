// bare_sitl.hpp - a SITL process without a thread: what the real one does on the link, with servo outputs that tell who
// sent them and when. Its clock is whatever time the caller gives.
#pragma once

#include <ap_json/sitl_model.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "../../src/ap_json/udp_socket.hpp"
#include "fingerprint.hpp"

namespace soak {

using Time = std::chrono::nanoseconds;

class BareSitl {
  public:
    /// How long it waits for a line before it sends its packet again.
    static constexpr Time resend_time = std::chrono::milliseconds(1102);

    /// @param address  to send from
    BareSitl(Identity identity, Time now, bool channels_32, Time resend = resend_time,
             std::uint32_t address = ap_json::loopback_address)
        : identity_(identity), resend_(resend), asked_(now - resend) {
        open_ = !socket_.open({address, 0});
        model_.set_32_channels(channels_32);
    }

    /// The packet that it sends now, if it is time to send it again (or for the first time).
    std::optional<std::string> packet_when_due(Time now) {
        if (now < next_time()) return std::nullopt;
        asked_ = now;
        return packet();
    }

    /// Takes a datagram. @return the packet that it sends then; nothing = it has ended, or is stuck for ever
    std::optional<std::string> take(Time now, std::string_view datagram) {
        const ap_json::SitlVerdict verdict = model_.receive(datagram.data(), datagram.size());
        if (verdict == ap_json::SitlVerdict::accepted) ++accepted_;
        static_cast<void>(model_.take_console());
        asked_ = now;
        dead_ = verdict == ap_json::SitlVerdict::fatal || verdict == ap_json::SitlVerdict::full;
        if (dead_) return std::nullopt;
        return packet();
    }

    [[nodiscard]] Time next_time() const { return asked_ + resend_; }
    [[nodiscard]] bool is_open() const { return open_; }
    [[nodiscard]] bool dead() const { return dead_; }
    [[nodiscard]] Identity identity() const { return identity_; }
    [[nodiscard]] std::uint64_t accepted() const { return accepted_; }
    ap_json::UdpSocket& socket() { return socket_; }
    ap_json::SitlModel& model() { return model_; }

  private:
    [[nodiscard]] std::string packet() const {
        unsigned char bytes[ap_json::servo_packet_size_32];
        const std::size_t size = model_.write_packet(bytes);
        sign(identity_, bytes, size);
        return std::string(reinterpret_cast<const char*>(bytes), size);
    }

    Identity identity_;
    Time resend_;
    Time asked_;
    ap_json::UdpSocket socket_;
    ap_json::SitlModel model_;
    std::uint64_t accepted_ = 0;
    bool open_ = false;
    bool dead_ = false;
};

}  // namespace soak
