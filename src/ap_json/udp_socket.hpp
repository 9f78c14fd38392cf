// udp_socket.hpp - one UDP socket over IPv4. Declares nothing of the operating system: the difference between
// Linux, other POSIX systems and Windows is in udp_socket.cpp alone. Private to the library and the stand-in.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "ap_json/error.hpp"
#include "text_writer.hpp"

namespace ap_json {

struct Endpoint {
    std::uint32_t address = 0;  // host byte order
    std::uint16_t port = 0;

    friend bool operator==(const Endpoint& a, const Endpoint& b) noexcept {
        return a.address == b.address && a.port == b.port;
    }
    friend bool operator!=(const Endpoint& a, const Endpoint& b) noexcept { return !(a == b); }
};

constexpr std::uint32_t loopback_address = 0x7F000001;

/// "127.0.0.1" to a number; false when it is not four decimal numbers with points between.
bool parse_address(const char* text, std::uint32_t& address) noexcept;

using EndpointText = TextWriter<24>;
EndpointText to_text(const Endpoint& endpoint) noexcept;

/// One received datagram, cut at a length that no servo packet reaches.
struct Datagram {
    static constexpr std::size_t capacity = 128;

    Endpoint from;
    std::size_t size = 0;  // more than capacity, or equal to it, when it was cut
    unsigned char data[capacity];
};

/// Whether other sockets may listen on the port as well, if they share it, too. All get what is sent to a multicast
/// group or by broadcast; which one gets what is sent to an address is the system's choice.
enum class Sharing : std::uint8_t { exclusive, shared };

class UdpSocket {
  public:
    UdpSocket() noexcept;
    ~UdpSocket();
    UdpSocket(const UdpSocket&) = delete;
    UdpSocket& operator=(const UdpSocket&) = delete;

    /// Binds; when exclusive, a port in use is an error. Port 0 is one that nobody has, also when shared.
    Error open(const Endpoint& local, Sharing sharing = Sharing::exclusive);
    void close() noexcept;
    [[nodiscard]] bool is_open() const noexcept { return handle_ != -1; }
    [[nodiscard]] const Endpoint& local() const noexcept { return local_; }
    [[nodiscard]] std::intptr_t native_handle() const noexcept { return handle_; }

    /// Where a datagram has to be sent to arrive at this very socket; also its sender's address then.
    [[nodiscard]] Endpoint self() const noexcept;

    /// Waits until something can be received. May return early; then says false.
    bool wait(std::chrono::nanoseconds timeout) const noexcept;

    static constexpr int batch_size = 8;

    /// Waits for one datagram and takes with it what else is queued, at most batch_size. On Linux one system
    /// call when the timeout is that of the call before.
    /// @return how many, 0 when nothing came or a signal did, -1 on an error of the socket
    /// @param most  1 = take only one, which costs less; only with a timeout of 0
    int receive_batch(Datagram (&datagrams)[batch_size], std::chrono::nanoseconds timeout,
                      int most = batch_size) noexcept;

    /// Takes one datagram without waiting. @return its size (cut at capacity), or -1 when there is none
    std::ptrdiff_t receive_one(char* buffer, std::size_t capacity, Endpoint& from) const noexcept;

    /// Sends without waiting. @return 0, or the operating system's error number
    int send(const Endpoint& to, const char* data, std::size_t size) const noexcept;

    /// The operating system's words for an error number.
    static MessageWriter error_text(int number) noexcept;

  private:
    struct Batch;  // what recvmmsg needs, prepared once

    std::intptr_t handle_ = -1;
    Endpoint local_;
    std::chrono::nanoseconds receive_timeout_{0};  // what SO_RCVTIMEO is set to
    std::unique_ptr<Batch> batch_;
};

}  // namespace ap_json
