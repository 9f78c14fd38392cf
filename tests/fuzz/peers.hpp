// peers.hpp - the autopilots and strangers of a fuzzed script, with real sockets on the loopback interface. Reaches into the
// library for its socket, so that it runs wherever the library does.
#pragma once

#include <ap_json/servo_packet.hpp>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "../../src/ap_json/udp_socket.hpp"
#include "fuzz.hpp"

namespace fuzz {

constexpr std::size_t peer_count = 4;

/// A datagram that a peer has sent to the client.
struct Sent {
    std::size_t peer = 0;
    std::string bytes;
};

/// Sockets that stay open from input to input.
class Peers {
  public:
    Peers() {
        for (std::size_t i = 0; i < peer_count; ++i) {
            // The last one has another address, where there is one; not all systems have the whole of 127.0.0.0/8.
            const ap_json::Endpoint other{ap_json::loopback_address + 1, 0};
            if (i + 1 == peer_count && !sockets_[i].open(other)) break;
            check(!sockets_[i].open({ap_json::loopback_address, 0}), "a socket");
        }
    }

    void talk_to(std::uint16_t port) {
        to_ = {ap_json::loopback_address, port};
        while (take()) continue;  // what is left of the input before
        counts_.fill(0);
    }

    /// Sends a datagram from the input: a servo packet, one that is cut, or any bytes.
    Sent send(Input& input) {
        Sent sent;
        const unsigned kind = input.byte();
        sent.peer = kind % peer_count;
        sent.bytes = kind < 16 ? input.text() : packet(input, sent.peer);
        if (kind >= 16 && kind < 24) sent.bytes.resize(input.byte() % (sent.bytes.size() + 1));
        if (kind >= 24 && kind < 28) sent.bytes.resize(std::size_t{20} * input.byte());
        check(sockets_[sent.peer].send(to_, sent.bytes.data(), sent.bytes.size()) == 0, "sent");
        return sent;
    }

    /// What the client has sent to any of them; delivered at once on the loopback interface.
    std::optional<Sent> take() {
        std::array<char, 4096> buffer{};
        for (std::size_t i = 0; i < peer_count; ++i) {
            ap_json::Endpoint from;
            const auto size = sockets_[i].receive_one(buffer.data(), buffer.size(), from);
            if (size >= 0) return Sent{i, {buffer.data(), static_cast<std::size_t>(size)}};
        }
        return std::nullopt;
    }

    [[nodiscard]] std::string name(std::size_t peer) const {
        return std::string(to_text(sockets_[peer].self()).view());
    }
    [[nodiscard]] std::uint32_t address(std::size_t peer) const { return sockets_[peer].self().address; }

  private:
    /// Mostly the count after the peer's last one.
    std::string packet(Input& input, std::size_t peer) {
        std::uint32_t& count = counts_[peer];
        const unsigned step = input.byte();
        if (step < 96) ++count;
        if (step >= 128 && step < 160) count = 0;
        if (step >= 160 && step < 224) count += step - 192;
        if (step >= 224) count = input.number<std::uint32_t>();
        const std::uint16_t first_pwm = input.number<std::uint16_t>();
        std::string bytes;
        const auto put = [&bytes](unsigned value) {
            bytes += static_cast<char>(value & 255);
            bytes += static_cast<char>(value >> 8 & 255);
        };
        const bool wide = step % 8 == 7;
        put(wide ? ap_json::magic_32_channels : ap_json::magic_16_channels);
        put(400);
        put(count & 0xFFFF);
        put(count >> 16);
        for (unsigned i = 0; i < (wide ? 32U : 16U); ++i) put(first_pwm + i);
        return bytes;
    }

    std::array<ap_json::UdpSocket, peer_count> sockets_;
    std::array<std::uint32_t, peer_count> counts_{};
    ap_json::Endpoint to_;
};

inline bool is_packet(const std::string& bytes, const ap_json::ServoPacket& packet) {
    ap_json::ServoPacket decoded;
    return decode(bytes.data(), bytes.size(), decoded) == ap_json::ErrorCode::ok &&
           decoded.frame_count == packet.frame_count && decoded.pwm == packet.pwm &&
           decoded.channels == packet.channels && decoded.frame_rate == packet.frame_rate;
}

}  // namespace fuzz
