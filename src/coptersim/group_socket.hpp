// group_socket.hpp - a UDP socket for multicast: joins a group, chooses the interface, and tells whether a datagram
// was sent to the group or to this computer alone. Private to the library and the stand-in.
#pragma once

#include <chrono>
#include <cstddef>
#include <initializer_list>

#include "../ap_json/udp_socket.hpp"
#include "coptersim/address.hpp"
#include "coptersim/error.hpp"

namespace coptersim {

class GroupSocket {
  public:
    /// Binds; may broadcast.
    /// @return ok, bind_in_use, bad_option (the address is not ours) or socket_error
    Error open(const Endpoint& local, ap_json::Sharing sharing);
    void close() noexcept { socket_.close(); }
    [[nodiscard]] bool is_open() const noexcept { return socket_.is_open(); }
    [[nodiscard]] std::uint16_t port() const noexcept { return socket_.local().port; }

    /// Gets what is sent to the group through the interface that has this address, and sends to groups through it.
    /// 0.0.0.0: the interface that the operating system chooses.
    /// @return ok or multicast_unavailable
    Error join(Address group, Address interface_address);

    /// Takes one datagram without waiting.
    /// @param to  the address that it was sent to; 0.0.0.0 if the system does not tell
    /// @return its size (cut at capacity), or -1 when there is none
    std::ptrdiff_t receive(void* buffer, std::size_t capacity, Endpoint& from, Address& to) noexcept;

    /// @return 0, or the operating system's error number
    [[nodiscard]] int send(const Endpoint& to, const void* data, std::size_t size) const noexcept;

    /// Waits until one of the open ones has something to receive, or an error to tell.
    /// @return false when the time was up first
    static bool wait_any(std::initializer_list<const GroupSocket*> sockets,
                         std::chrono::milliseconds timeout) noexcept;

  private:
    ap_json::UdpSocket socket_;
#if defined(_WIN32)
    void* receive_message_ = nullptr;  // a function that has to be asked for
#endif
};

}  // namespace coptersim
