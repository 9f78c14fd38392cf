// fake_autopilot.hpp - a socket that says whatever a test wants it to say, to a client under test. Reaches
// into the library for its socket, so that it runs wherever the library does.
#pragma once

#include <ap_json/servo_packet.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "../src/ap_json/udp_socket.hpp"

class FakeAutopilot {
  public:
    /// @param to       port of the client under test
    /// @param address  own address, one of 127.0.0.0/8
    explicit FakeAutopilot(std::uint16_t to, const char* address = "127.0.0.1") {
        ap_json::Endpoint own;
        opened_ = ap_json::parse_address(address, own.address) && !socket_.open(own);
        to_ = {ap_json::loopback_address, to};
    }

    [[nodiscard]] bool opened() const { return opened_; }
    [[nodiscard]] std::string name() const { return std::string(to_text(socket_.self()).view()); }

    void send(const std::vector<unsigned char>& bytes) {
        socket_.send(to_, reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }

    void send_packet(std::uint32_t count, int channels = 16, std::uint16_t first_pwm = 1500) {
        send(packet(count, channels, first_pwm));
    }

    static std::vector<unsigned char> packet(std::uint32_t count, int channels = 16,
                                             std::uint16_t first_pwm = 1500) {
        std::vector<unsigned char> bytes;
        const auto put = [&bytes](unsigned value) {
            bytes.push_back(static_cast<unsigned char>(value & 255));
            bytes.push_back(static_cast<unsigned char>(value >> 8 & 255));
        };
        put(channels == 32 ? ap_json::magic_32_channels : ap_json::magic_16_channels);
        put(400);
        put(count & 0xFFFF);
        put(count >> 16);
        for (int i = 0; i < channels; ++i) put(i == 0 ? first_pwm : 1000U + static_cast<unsigned>(i));
        return bytes;
    }

    /// What the client has sent, if it comes within a second; with `patience` 0, what is there already.
    std::optional<std::string> receive(std::chrono::milliseconds patience = std::chrono::milliseconds(1000)) {
        std::vector<char> buffer(65536);
        ap_json::Endpoint from;
        if (!socket_.wait(patience)) return std::nullopt;
        const auto size = socket_.receive_one(buffer.data(), buffer.size(), from);
        if (size < 0) return std::nullopt;
        return std::string(buffer.data(), static_cast<std::size_t>(size));
    }

  private:
    ap_json::UdpSocket socket_;
    ap_json::Endpoint to_;
    bool opened_ = false;
};
