// udp_socket.cpp - the whole difference between the operating systems.
#include "udp_socket.hpp"

// What Linux has and POSIX has not: recvmmsg, ppoll, SOCK_CLOEXEC. AP_JSON_POSIX_ONLY builds what macOS runs.
#if defined(__linux__) && !defined(AP_JSON_POSIX_ONLY)
#define AP_JSON_LINUX 1
#else
#define AP_JSON_LINUX 0
#endif

#if defined(_WIN32)
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <winsock2.h>
#include <ws2tcpip.h>
#else
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#endif

#include <cstring>

namespace ap_json {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

#if defined(_WIN32)

using SocketLength = int;

int last_error() noexcept { return WSAGetLastError(); }
bool is_transient(int number) noexcept {
    // WSAECONNRESET: an earlier answer found nobody there. That says nothing about this socket.
    return number == WSAEWOULDBLOCK || number == WSAEINTR || number == WSAECONNRESET ||
           number == WSAENETRESET;
}
constexpr int error_busy = WSAEADDRINUSE;
constexpr int error_denied = WSAEACCES;
constexpr int error_no_address = WSAEADDRNOTAVAIL;

SOCKET native(std::intptr_t handle) noexcept { return static_cast<SOCKET>(handle); }

void allow_sharing(std::intptr_t handle) noexcept {
    BOOL yes = TRUE;
    setsockopt(native(handle), SOL_SOCKET, SO_REUSEADDR, reinterpret_cast<const char*>(&yes), sizeof yes);
}

std::intptr_t create_socket(Sharing sharing) noexcept {
    WSADATA data;
    if (const int failed = WSAStartup(MAKEWORD(2, 2), &data)) {
        WSASetLastError(failed);
        return -1;
    }
    const SOCKET created = ::socket(AF_INET, SOCK_DGRAM, 0);
    if (created == INVALID_SOCKET) {
        const int number = last_error();
        WSACleanup();
        WSASetLastError(number);
        return -1;
    }
    u_long yes = 1;
    ioctlsocket(created, static_cast<long>(FIONBIO), &yes);
    BOOL exclusive = sharing == Sharing::exclusive;
    setsockopt(created, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, reinterpret_cast<const char*>(&exclusive),
               sizeof exclusive);
    // Without this, every receive after SITL has gone fails once with error 10054.
    BOOL report_unreachable = FALSE;
    DWORD returned = 0;
    constexpr DWORD sio_udp_connreset = 0x9800000C;
    WSAIoctl(created, sio_udp_connreset, &report_unreachable, sizeof report_unreachable, nullptr, 0,
             &returned, nullptr, nullptr);
    return static_cast<std::intptr_t>(created);
}

void close_socket(std::intptr_t handle) noexcept {
    closesocket(native(handle));
    WSACleanup();
}

#else

using SocketLength = socklen_t;

int last_error() noexcept { return errno; }
bool is_transient(int number) noexcept {
    return number == EAGAIN || number == EWOULDBLOCK || number == EINTR || number == ECONNREFUSED;
}
constexpr int error_busy = EADDRINUSE;
constexpr int error_denied = EACCES;
constexpr int error_no_address = EADDRNOTAVAIL;

int native(std::intptr_t handle) noexcept { return static_cast<int>(handle); }

void allow_sharing(std::intptr_t handle) noexcept {
    const int yes = 1;
    setsockopt(native(handle), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
#if !defined(__linux__)
    // Elsewhere SO_REUSEADDR is not enough. Linux would spread what is sent to an address over all sockets.
    setsockopt(native(handle), SOL_SOCKET, SO_REUSEPORT, &yes, sizeof yes);
#endif
}

std::intptr_t create_socket(Sharing) noexcept {
#if AP_JSON_LINUX
    return ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
#else
    const int created = ::socket(AF_INET, SOCK_DGRAM, 0);
    if (created >= 0) fcntl(created, F_SETFD, FD_CLOEXEC);
    return created;
#endif
}

void close_socket(std::intptr_t handle) noexcept { ::close(native(handle)); }

// strerror_r comes in two kinds; overloading tells them apart.
[[maybe_unused]] const char* chosen_text(int failed, const char* buffer) noexcept {
    return failed == 0 ? buffer : "unknown error";
}
[[maybe_unused]] const char* chosen_text(const char* text, const char*) noexcept { return text; }

#endif

sockaddr_in to_native(const Endpoint& endpoint) noexcept {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(endpoint.address);
    address.sin_port = htons(endpoint.port);
    return address;
}

Endpoint from_native(const sockaddr_in& address) noexcept {
    return {ntohl(address.sin_addr.s_addr), ntohs(address.sin_port)};
}

#if AP_JSON_LINUX
template <class Time>  // timespec or timeval
Time split(nanoseconds duration, nanoseconds unit) noexcept {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
    Time time{};
    const auto rest = (duration - seconds) / unit;
    time.tv_sec = static_cast<decltype(time.tv_sec)>(seconds.count());
    if constexpr (std::is_same_v<Time, timeval>) {
        time.tv_usec = static_cast<decltype(time.tv_usec)>(rest);
    } else {
        time.tv_nsec = static_cast<decltype(time.tv_nsec)>(rest);
    }
    return time;
}
#endif

Error open_error(const Endpoint& local, int number) noexcept {
    MessageWriter text;
    text << "cannot listen on UDP " << to_text(local).view() << ": " << UdpSocket::error_text(number).view();
    if (number == error_busy) {
        text
            << ". Another program has this port, perhaps a second simulator; end it, or use another instance";
        return {ErrorCode::port_busy, text.c_str()};
    }
    if (number == error_no_address) {
        text << ". No network interface of this machine has this address; 0.0.0.0 listens on all";
        return {ErrorCode::address_unavailable, text.c_str()};
    }
    if (number == error_denied)
        text << ". Ports below 1024 need special rights; another program may hold it exclusively";
    return {ErrorCode::system_error, text.c_str()};
}

}  // namespace

// By hand, because inet_pton differs between systems in what it takes and, on Windows, in when it may be
// called.
bool parse_address(const char* text, std::uint32_t& address) noexcept {
    std::uint32_t result = 0;
    for (int part = 0; part < 4; ++part) {
        if (part > 0 && *text++ != '.') return false;
        std::uint32_t number = 0;
        int digits = 0;
        for (; *text >= '0' && *text <= '9'; ++text) {
            number = number * 10 + static_cast<std::uint32_t>(*text - '0');
            if (++digits > 3) return false;
        }
        if (digits == 0 || number > 255) return false;
        result = result << 8 | number;
    }
    if (*text != '\0') return false;
    address = result;
    return true;
}

EndpointText to_text(const Endpoint& endpoint) noexcept {
    EndpointText text;
    const std::uint32_t a = endpoint.address;
    text << (a >> 24) << "." << (a >> 16 & 255) << "." << (a >> 8 & 255) << "." << (a & 255) << ":"
         << endpoint.port;
    return text;
}

MessageWriter UdpSocket::error_text(int number) noexcept {
    char buffer[160] = {};
    MessageWriter text;
#if defined(_WIN32)
    DWORD length = FormatMessageA(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, nullptr,
                                  static_cast<DWORD>(number), 0, buffer, sizeof buffer - 1, nullptr);
    while (length > 0 && (buffer[length - 1] == '\n' || buffer[length - 1] == '\r')) buffer[--length] = '\0';
    text << (length > 0 ? buffer : "no words from the system");
#else
    text << chosen_text(strerror_r(number, buffer, sizeof buffer), buffer);
#endif
    text << " (error " << number << ")";
    return text;
}

#if AP_JSON_LINUX
struct UdpSocket::Batch {
    mmsghdr headers[batch_size];
    iovec buffers[batch_size];
    sockaddr_in senders[batch_size];
};
#else
struct UdpSocket::Batch {};
#endif

UdpSocket::UdpSocket() noexcept = default;
UdpSocket::~UdpSocket() { close(); }

Error UdpSocket::open(const Endpoint& local, Sharing sharing) {
    close();
    const std::intptr_t created = create_socket(sharing);
    if (created == -1) return open_error(local, last_error());
    // A shared socket that asks for any port could get one that others share already: it asks first, then shares.
    if (sharing == Sharing::shared && local.port != 0) allow_sharing(created);
    const sockaddr_in address = to_native(local);
    sockaddr_in bound{};
    SocketLength length = sizeof bound;
    if (::bind(native(created), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::getsockname(native(created), reinterpret_cast<sockaddr*>(&bound), &length) != 0) {
        const int number = last_error();
        close_socket(created);
        return open_error(local, number);
    }
    if (sharing == Sharing::shared && local.port == 0) allow_sharing(created);
    handle_ = created;
    local_ = from_native(bound);
    receive_timeout_ = nanoseconds(0);
    batch_ = std::make_unique<Batch>();
    return {};
}

void UdpSocket::close() noexcept {
    if (!is_open()) return;
    close_socket(handle_);
    handle_ = -1;
    local_ = Endpoint{};
}

Endpoint UdpSocket::self() const noexcept {
    return {local_.address == 0 ? loopback_address : local_.address, local_.port};
}

bool UdpSocket::wait(nanoseconds timeout) const noexcept {
    if (timeout < nanoseconds(0)) timeout = nanoseconds(0);
#if defined(_WIN32)
    WSAPOLLFD entry{native(handle_), POLLRDNORM, 0};
    return WSAPoll(&entry, 1, static_cast<int>(std::chrono::ceil<milliseconds>(timeout).count())) > 0;
#elif AP_JSON_LINUX
    pollfd entry{native(handle_), POLLIN, 0};
    const auto limit = split<timespec>(timeout, nanoseconds(1));
    return ::ppoll(&entry, 1, &limit, nullptr) > 0;
#else
    pollfd entry{native(handle_), POLLIN, 0};
    return ::poll(&entry, 1, static_cast<int>(std::chrono::ceil<milliseconds>(timeout).count())) > 0;
#endif
}

#if AP_JSON_LINUX

int UdpSocket::receive_batch(Datagram (&datagrams)[batch_size], nanoseconds timeout, int most) noexcept {
    // SO_RCVTIMEO counts in ticks of the scheduler (up to 10 ms), so a short wait has to be made with ppoll.
    constexpr nanoseconds shortest_socket_timeout = milliseconds(20);
    int flags = MSG_DONTWAIT;
    if (timeout >= shortest_socket_timeout) {
        flags = MSG_WAITFORONE;
        if (timeout != receive_timeout_) {
            const auto limit = split<timeval>(timeout, std::chrono::microseconds(1));
            if (::setsockopt(native(handle_), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) != 0) return -1;
            receive_timeout_ = timeout;
        }
    } else if (timeout > nanoseconds(0) && !wait(timeout)) {
        return 0;
    }

    if (most == 1) {  // recvmmsg costs a quarter more than the plain call
        const std::ptrdiff_t size =
            receive_one(reinterpret_cast<char*>(datagrams[0].data), Datagram::capacity, datagrams[0].from);
        if (size < 0) return is_transient(errno) ? 0 : -1;
        datagrams[0].size = static_cast<std::size_t>(size);
        return 1;
    }
    Batch& batch = *batch_;
    for (int i = 0; i < batch_size; ++i) {
        batch.buffers[i] = {datagrams[i].data, Datagram::capacity};
        batch.headers[i].msg_hdr.msg_name = &batch.senders[i];
        batch.headers[i].msg_hdr.msg_namelen = sizeof batch.senders[i];
        batch.headers[i].msg_hdr.msg_iov = &batch.buffers[i];
        batch.headers[i].msg_hdr.msg_iovlen = 1;
    }
    const int count = ::recvmmsg(native(handle_), batch.headers, batch_size, flags, nullptr);
    if (count < 0) return is_transient(errno) ? 0 : -1;
    for (int i = 0; i < count; ++i) {
        datagrams[i].from = from_native(batch.senders[i]);
        datagrams[i].size = batch.headers[i].msg_len;
    }
    return count;
}

#else

int UdpSocket::receive_batch(Datagram (&datagrams)[batch_size], nanoseconds timeout, int most) noexcept {
    if (timeout > nanoseconds(0) && !wait(timeout)) return 0;
    int count = 0;
    while (count < most) {
        Datagram& datagram = datagrams[count];
        const std::ptrdiff_t size =
            receive_one(reinterpret_cast<char*>(datagram.data), Datagram::capacity, datagram.from);
        if (size < 0) {
            if (count == 0 && !is_transient(last_error())) return -1;
            break;
        }
        datagram.size = static_cast<std::size_t>(size);
        ++count;
    }
    return count;
}

#endif

std::ptrdiff_t UdpSocket::receive_one(char* buffer, std::size_t capacity, Endpoint& from) const noexcept {
    sockaddr_in sender{};
    SocketLength length = sizeof sender;
#if defined(_WIN32)
    std::ptrdiff_t size = ::recvfrom(native(handle_), buffer, static_cast<int>(capacity), 0,
                                     reinterpret_cast<sockaddr*>(&sender), &length);
    if (size < 0 && last_error() == WSAEMSGSIZE)
        size = static_cast<std::ptrdiff_t>(capacity);  // it was longer
#else
    const std::ptrdiff_t size = ::recvfrom(native(handle_), buffer, capacity, MSG_DONTWAIT,
                                           reinterpret_cast<sockaddr*>(&sender), &length);
#endif
    if (size >= 0) from = from_native(sender);
    return size;
}

int UdpSocket::send(const Endpoint& to, const char* data, std::size_t size) const noexcept {
    const sockaddr_in address = to_native(to);
#if defined(_WIN32)
    const auto sent = ::sendto(native(handle_), data, static_cast<int>(size), 0,
                               reinterpret_cast<const sockaddr*>(&address), sizeof address);
#else
    const auto sent = ::sendto(native(handle_), data, size, MSG_DONTWAIT,
                               reinterpret_cast<const sockaddr*>(&address), sizeof address);
#endif
    return sent < 0 ? last_error() : 0;
}

}  // namespace ap_json
