// udp_port.hpp - a UDP socket that waits for a bounded time. For the tools that speak with a backend or a SITL
// themselves; made with Asio, which only the .cpp includes.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

/// An IPv4 address and a port.
struct UdpAddress {
    std::string address;
    std::uint16_t port = 0;

    [[nodiscard]] std::string text() const { return address + ":" + std::to_string(port); }
    bool operator==(const UdpAddress& other) const { return address == other.address && port == other.port; }
    bool operator!=(const UdpAddress& other) const { return !(*this == other); }
};

class UdpPort {
  public:
    struct Datagram {
        std::string bytes;
        UdpAddress sender;
    };

    UdpPort();
    ~UdpPort();
    UdpPort(const UdpPort&) = delete;
    UdpPort& operator=(const UdpPort&) = delete;

    /// Opens a new socket in place of the one before. Port 0 = any free one.
    /// @return empty, or why not
    std::string open(const UdpAddress& own);

    /// The port it has; 0 when closed.
    [[nodiscard]] std::uint16_t port() const;

    /// What the system does not take is as if it were lost on the way. @return whether the address is one
    bool send(const std::string& bytes, const UdpAddress& to);

    /// The next datagram; nothing when the time is up. Errors that earlier datagrams caused, such as nobody listening
    /// there, are passed over. Waits longer than a tenth of a second are the caller's loop, for Ctrl-C.
    std::optional<Datagram> receive(std::chrono::nanoseconds timeout);

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

/// Whether it is an IPv4 address.
bool is_ipv4(const std::string& address);
