// group_socket.cpp - the difference between the operating systems in what only multicast needs.
#include "group_socket.hpp"

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <winsock2.h>
#include <ws2tcpip.h>
// Behind those two.
#include <mswsock.h>
#else
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>
#endif

#include <array>
#include <cstring>
#include <string>

namespace coptersim {
namespace {

#if defined(_WIN32)
using Native = SOCKET;
using PollEntry = WSAPOLLFD;
constexpr short readable = POLLRDNORM;
int last_error() noexcept { return WSAGetLastError(); }
#else
using Native = int;
using PollEntry = pollfd;
constexpr short readable = POLLIN;
int last_error() noexcept { return errno; }
#endif

Native native(const ap_json::UdpSocket& socket) noexcept {
    return static_cast<Native>(socket.native_handle());
}

template <class Value>
bool set_option(const ap_json::UdpSocket& socket, int level, int name, const Value& value) noexcept {
    return ::setsockopt(native(socket), level, name, reinterpret_cast<const char*>(&value), sizeof value) ==
           0;
}

in_addr to_native(Address address) noexcept {
    in_addr result{};
    result.s_addr = htonl(address.value);
    return result;
}

Address from_native(const in_addr& address) noexcept { return {ntohl(address.s_addr)}; }

ErrorCode code_of(ap_json::ErrorCode code) noexcept {
    switch (code) {
        case ap_json::ErrorCode::port_busy:
            return ErrorCode::bind_in_use;
        case ap_json::ErrorCode::address_unavailable:
            return ErrorCode::bad_option;
        default:
            return ErrorCode::socket_error;
    }
}

/// Has the system tell where each datagram was sent to.
void ask_for_destinations(const ap_json::UdpSocket& socket) noexcept {
    const int yes = 1;
#if defined(IP_PKTINFO)
    set_option(socket, IPPROTO_IP, IP_PKTINFO, yes);
#else
    set_option(socket, IPPROTO_IP, IP_RECVDSTADDR, yes);
#endif
}

#if defined(_WIN32)
void* find_receive_message(const ap_json::UdpSocket& socket) noexcept {
    GUID id = WSAID_WSARECVMSG;
    LPFN_WSARECVMSG function = nullptr;
    DWORD size = 0;
    WSAIoctl(native(socket), SIO_GET_EXTENSION_FUNCTION_POINTER, &id, sizeof id, &function, sizeof function,
             &size, nullptr, nullptr);
    return reinterpret_cast<void*>(function);
}
#endif

}  // namespace

Error GroupSocket::open(const Endpoint& local, ap_json::Sharing sharing) {
    if (const auto error = socket_.open({local.address.value, local.port}, sharing)) {
        const ErrorCode code = code_of(error.code());
        if (code != ErrorCode::bind_in_use) return {code, error.message()};
        return {code,
                "cannot listen on UDP " + to_string(local) +
                    ": another program has this port for itself; end it (perhaps it is a tool of RflySim)"};
    }
    const int yes = 1;
    set_option(socket_, SOL_SOCKET, SO_BROADCAST, yes);
    ask_for_destinations(socket_);
#if defined(_WIN32)
    receive_message_ = find_receive_message(socket_);
#endif
    return {};
}

Error GroupSocket::join(Address group, Address interface_address) {
    ip_mreq membership{};
    membership.imr_multiaddr = to_native(group);
    membership.imr_interface = to_native(interface_address);
    const bool chosen = interface_address.value != 0;
    if (set_option(socket_, IPPROTO_IP, IP_ADD_MEMBERSHIP, membership) &&
        (!chosen || set_option(socket_, IPPROTO_IP, IP_MULTICAST_IF, membership.imr_interface)))
        return {};
    const int number = last_error();
    return {ErrorCode::multicast_unavailable,
            "cannot join the multicast group " + to_string(group) +
                (chosen ? " on the interface " + to_string(interface_address) : "") + ": " +
                std::string(ap_json::UdpSocket::error_text(number).view()) +
                ". Only CopterSims whose computers are named in the option hosts, or that run here, can be "
                "reached"};
}

#if defined(_WIN32)

std::ptrdiff_t GroupSocket::receive(void* buffer, std::size_t capacity, Endpoint& from,
                                    Address& to) noexcept {
    const auto receive_message = reinterpret_cast<LPFN_WSARECVMSG>(receive_message_);
    if (receive_message == nullptr) return -1;
    sockaddr_in sender{};
    WSABUF data{static_cast<ULONG>(capacity), static_cast<char*>(buffer)};
    alignas(WSACMSGHDR) std::array<char, 128> control{};
    WSAMSG message{};
    message.name = reinterpret_cast<sockaddr*>(&sender);
    message.namelen = sizeof sender;
    message.lpBuffers = &data;
    message.dwBufferCount = 1;
    message.Control = {static_cast<ULONG>(control.size()), control.data()};
    DWORD size = 0;
    if (receive_message(native(socket_), &message, &size, nullptr, nullptr) != 0) {
        if (last_error() != WSAEMSGSIZE) return -1;
        size = static_cast<DWORD>(capacity);  // it was longer
    }
    from = {from_native(sender.sin_addr), ntohs(sender.sin_port)};
    to = Address{};
    for (WSACMSGHDR* part = WSA_CMSG_FIRSTHDR(&message); part != nullptr;
         part = WSA_CMSG_NXTHDR(&message, part)) {
        if (part->cmsg_level != IPPROTO_IP || part->cmsg_type != IP_PKTINFO) continue;
        IN_PKTINFO info{};
        std::memcpy(&info, WSA_CMSG_DATA(part), sizeof info);
        to = from_native(info.ipi_addr);
    }
    return static_cast<std::ptrdiff_t>(size);
}

#else

std::ptrdiff_t GroupSocket::receive(void* buffer, std::size_t capacity, Endpoint& from,
                                    Address& to) noexcept {
    sockaddr_in sender{};
    iovec data{buffer, capacity};
    alignas(cmsghdr) std::array<char, 128> control{};
    msghdr message{};
    message.msg_name = &sender;
    message.msg_namelen = sizeof sender;
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const std::ptrdiff_t size = ::recvmsg(native(socket_), &message, MSG_DONTWAIT);
    if (size < 0) return -1;
    from = {from_native(sender.sin_addr), ntohs(sender.sin_port)};
    to = Address{};
    for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
        if (part->cmsg_level != IPPROTO_IP) continue;
#if defined(IP_PKTINFO)
        if (part->cmsg_type != IP_PKTINFO) continue;
        in_pktinfo info{};
        std::memcpy(&info, CMSG_DATA(part), sizeof info);
        to = from_native(info.ipi_addr);
#else
        if (part->cmsg_type != IP_RECVDSTADDR) continue;
        in_addr destination{};
        std::memcpy(&destination, CMSG_DATA(part), sizeof destination);
        to = from_native(destination);
#endif
    }
    return size;
}

#endif

int GroupSocket::send(const Endpoint& to, const void* data, std::size_t size) const noexcept {
    return socket_.send({to.address.value, to.port}, static_cast<const char*>(data), size);
}

bool GroupSocket::wait_any(std::initializer_list<const GroupSocket*> sockets,
                           std::chrono::milliseconds timeout) noexcept {
    std::array<PollEntry, 4> entries{};
    std::size_t count = 0;
    for (const GroupSocket* socket : sockets) {
        if (!socket->is_open() || count == entries.size()) continue;
        entries[count].fd = native(socket->socket_);
        entries[count++].events = readable;
    }
#if defined(_WIN32)
    return WSAPoll(entries.data(), static_cast<ULONG>(count), static_cast<INT>(timeout.count())) > 0;
#else
    return ::poll(entries.data(), static_cast<nfds_t>(count), static_cast<int>(timeout.count())) > 0;
#endif
}

}  // namespace coptersim
