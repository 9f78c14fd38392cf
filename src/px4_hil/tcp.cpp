// tcp.cpp - MAVLink over TCP: we listen and PX4 SITL connects; or the other way round, for the stand-in.
#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <winsock2.h>
#include <ws2tcpip.h>
#else
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#endif

#include "../ap_json/udp_socket.hpp"
#include "message_writer.hpp"
#include "px4_hil/transport.hpp"

namespace px4_hil {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds longest_write{20};
constexpr milliseconds longest_connect{1000};

// ---- the difference between the systems

#if defined(_WIN32)
using Handle = SOCKET;
using Length = int;
constexpr Handle none = INVALID_SOCKET;
int last_error() noexcept { return WSAGetLastError(); }
bool is_transient(int number) noexcept { return number == WSAEWOULDBLOCK || number == WSAEINTR; }
void close_handle(Handle handle) noexcept { closesocket(handle); }
bool make_nonblocking(Handle handle) noexcept {
    u_long yes = 1;
    return ioctlsocket(handle, FIONBIO, &yes) == 0;
}
int poll_one(WSAPOLLFD& entry, milliseconds timeout) noexcept {
    return WSAPoll(&entry, 1, static_cast<int>(timeout.count()));
}
using PollEntry = WSAPOLLFD;
constexpr int send_flags = 0;
bool start_sockets() noexcept {
    WSADATA data;
    return WSAStartup(MAKEWORD(2, 2), &data) == 0;
}
#else
using Handle = int;
using Length = socklen_t;
constexpr Handle none = -1;
int last_error() noexcept { return errno; }
bool is_transient(int number) noexcept {
    return number == EAGAIN || number == EWOULDBLOCK || number == EINTR || number == EINPROGRESS;
}
void close_handle(Handle handle) noexcept { ::close(handle); }
bool make_nonblocking(Handle handle) noexcept {
    return ::fcntl(handle, F_SETFL, O_NONBLOCK) == 0 && ::fcntl(handle, F_SETFD, FD_CLOEXEC) == 0;
}
using PollEntry = pollfd;
int poll_one(PollEntry& entry, milliseconds timeout) noexcept {
    return ::poll(&entry, 1, static_cast<int>(timeout.count()));
}
#if defined(MSG_NOSIGNAL)
constexpr int send_flags = MSG_NOSIGNAL;
#else
constexpr int send_flags = 0;
#endif
bool start_sockets() noexcept { return true; }
#endif

template <class Value>
void set_option(Handle handle, int level, int name, Value value) noexcept {
    static_cast<void>(::setsockopt(handle, level, name, reinterpret_cast<const char*>(&value), sizeof value));
}

/// Small frames at once, in both directions; a connection that ends raises no signal.
void prepare(Handle handle) noexcept {
    make_nonblocking(handle);
    set_option(handle, IPPROTO_TCP, TCP_NODELAY, int{1});
#if defined(SO_NOSIGPIPE)
    set_option(handle, SOL_SOCKET, SO_NOSIGPIPE, int{1});
#endif
}

sockaddr_in to_native(const ap_json::Endpoint& endpoint) noexcept {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(endpoint.address);
    address.sin_port = htons(endpoint.port);
    return address;
}

// ---- one connection, or one after the other

class TcpTransport final : public Transport {
  public:
    ~TcpTransport() override {
        if (peer_ != none) close_handle(peer_);
        if (listener_ != none) close_handle(listener_);
#if defined(_WIN32)
        WSACleanup();
#endif
    }

    Error open(const TcpOptions& options, bool listen) {
        MessageWriter text;
        ap_json::Endpoint endpoint;
        if (!ap_json::parse_address(options.address.c_str(), endpoint.address)) {
            return error(ErrorCode::bad_option,
                         text << "\"" << options.address << "\" is not an IPv4 address such as 127.0.0.1");
        }
        endpoint.port = options.port;
        const bool done = start_sockets() && (listen ? begin_listening(endpoint) : connect(endpoint));
        if (!done) {
            const int number = last_error();
            return error(ErrorCode::port_open_failed,
                         text << (listen ? "cannot listen on TCP " : "cannot connect to TCP ")
                              << to_text(endpoint).view() << ": "
                              << ap_json::UdpSocket::error_text(number).view());
        }
        name_ << "TCP " << to_text(endpoint).view();
        return {};
    }

    void wait(milliseconds timeout) noexcept override {
        PollEntry entry{peer_ != none ? peer_ : listener_, POLLIN, 0};
        poll_one(entry, timeout);
    }

    std::ptrdiff_t read(unsigned char* buffer, std::size_t capacity) noexcept override {
        if (peer_ == none) {
            if (listener_ == none) return -1;
            peer_ = ::accept(listener_, nullptr, nullptr);
            if (peer_ == none) return 0;
            prepare(peer_);
        }
        const auto count = ::recv(peer_, reinterpret_cast<char*>(buffer), capacity_of(capacity), 0);
        if (count > 0) return count;
        if (count < 0 && is_transient(last_error())) return 0;
        hang_up();
        return listener_ == none ? -1 : 0;
    }

    Error write(const unsigned char* data, std::size_t size) noexcept override {
        if (peer_ == none) return {};
        const auto deadline = std::chrono::steady_clock::now() + longest_write;
        while (size > 0) {
            const auto count =
                ::send(peer_, reinterpret_cast<const char*>(data), capacity_of(size), send_flags);
            if (count > 0) {
                data += count;
                size -= static_cast<std::size_t>(count);
                continue;
            }
            const int number = last_error();
            const auto left = std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now());
            if (!is_transient(number) || left <= milliseconds(0)) {
                MessageWriter text;
                return error(ErrorCode::port_write_failed,
                             text << "cannot send over " << name_.view() << ": "
                                  << ap_json::UdpSocket::error_text(number).view());
            }
            PollEntry entry{peer_, POLLOUT, 0};
            poll_one(entry, left);
        }
        return {};
    }

    [[nodiscard]] std::string_view name() const noexcept override { return name_.view(); }

  private:
#if defined(_WIN32)
    static int capacity_of(std::size_t size) noexcept { return static_cast<int>(size); }
#else
    static std::size_t capacity_of(std::size_t size) noexcept { return size; }
#endif

    void hang_up() noexcept {
        close_handle(peer_);
        peer_ = none;
    }

    bool begin_listening(ap_json::Endpoint& endpoint) noexcept {
        listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
        if (listener_ == none) return false;
        make_nonblocking(listener_);
#if defined(_WIN32)
        set_option(listener_, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, BOOL{TRUE});
#else
        set_option(listener_, SOL_SOCKET, SO_REUSEADDR,
                   int{1});  // a port that is only waiting for its end is free
#endif
        sockaddr_in address = to_native(endpoint);
        Length length = sizeof address;
        if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
            ::listen(listener_, 1) != 0 ||
            ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length) != 0)
            return false;
        endpoint.port = ntohs(address.sin_port);
        return true;
    }

    bool connect(const ap_json::Endpoint& endpoint) noexcept {
        peer_ = ::socket(AF_INET, SOCK_STREAM, 0);
        if (peer_ == none) return false;
        prepare(peer_);
        const sockaddr_in address = to_native(endpoint);
        if (::connect(peer_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return true;
        if (!is_transient(last_error())) return false;
        PollEntry entry{peer_, POLLOUT, 0};
        if (poll_one(entry, longest_connect) <= 0) return false;
        int failed = 0;
        Length length = sizeof failed;
        ::getsockopt(peer_, SOL_SOCKET, SO_ERROR, reinterpret_cast<char*>(&failed), &length);
#if defined(_WIN32)
        WSASetLastError(failed);
#else
        errno = failed;
#endif
        return failed == 0;
    }

    Handle listener_ = none;
    Handle peer_ = none;
    ap_json::TextWriter<32> name_;
};

Error open(const TcpOptions& options, bool listen, TransportPtr& transport) {
    auto created = std::make_unique<TcpTransport>();
    if (auto failed = created->open(options, listen)) return failed;
    transport = std::move(created);
    return {};
}

}  // namespace

Error listen_tcp(const TcpOptions& options, TransportPtr& transport) {
    return open(options, true, transport);
}
Error connect_tcp(const TcpOptions& options, TransportPtr& transport) {
    return open(options, false, transport);
}

}  // namespace px4_hil
