// interfaces.cpp - see interfaces.hpp.
#include "coptersim/interfaces.hpp"

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <winsock2.h>
#include <ws2tcpip.h>

#include <array>
#else
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#endif

#include <cstring>

namespace coptersim {
namespace {

Address from_native(const in_addr& address) noexcept { return {ntohl(address.s_addr)}; }

#if defined(_WIN32)
using Native = SOCKET;
using SocketLength = int;

/// A datagram socket for as long as it is needed.
class PlainSocket {
  public:
    PlainSocket() noexcept {
        WSADATA data;
        if (WSAStartup(MAKEWORD(2, 2), &data) != 0) return;
        started_ = true;
        handle = ::socket(AF_INET, SOCK_DGRAM, 0);
        valid = handle != INVALID_SOCKET;
    }
    ~PlainSocket() {
        if (valid) closesocket(handle);
        if (started_) WSACleanup();
    }
    PlainSocket(const PlainSocket&) = delete;
    PlainSocket& operator=(const PlainSocket&) = delete;

    Native handle = INVALID_SOCKET;
    bool valid = false;

  private:
    bool started_ = false;
};

#else
using Native = int;
using SocketLength = socklen_t;

/// A datagram socket for as long as it is needed.
class PlainSocket {
  public:
    PlainSocket() noexcept : handle(::socket(AF_INET, SOCK_DGRAM, 0)), valid(handle >= 0) {}
    ~PlainSocket() {
        if (valid) ::close(handle);
    }
    PlainSocket(const PlainSocket&) = delete;
    PlainSocket& operator=(const PlainSocket&) = delete;

    const Native handle;
    const bool valid;
};

Address from_native(const sockaddr* address) noexcept {
    sockaddr_in internet{};
    std::memcpy(&internet, address, sizeof internet);
    return from_native(internet.sin_addr);
}

#endif

}  // namespace

#if defined(_WIN32)

std::vector<Interface> interfaces() {
    std::vector<Interface> result;
    const PlainSocket socket;
    std::array<INTERFACE_INFO, 64> list{};
    DWORD size = 0;
    if (!socket.valid || WSAIoctl(socket.handle, SIO_GET_INTERFACE_LIST, nullptr, 0, list.data(), sizeof list,
                                  &size, nullptr, nullptr) != 0)
        return result;
    for (std::size_t i = 0; i < size / sizeof list[0]; ++i) {
        if ((list[i].iiFlags & IFF_UP) == 0 || list[i].iiAddress.Address.sa_family != AF_INET) continue;
        result.push_back({from_native(list[i].iiAddress.AddressIn.sin_addr),
                          from_native(list[i].iiNetmask.AddressIn.sin_addr)});
    }
    return result;
}

#else

std::vector<Interface> interfaces() {
    std::vector<Interface> result;
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) != 0) return result;
    for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
        if (entry->ifa_addr == nullptr || entry->ifa_netmask == nullptr || (entry->ifa_flags & IFF_UP) == 0 ||
            entry->ifa_addr->sa_family != AF_INET)
            continue;
        result.push_back({from_native(entry->ifa_addr), from_native(entry->ifa_netmask)});
    }
    ::freeifaddrs(list);
    return result;
}

#endif

Address source_address(Address destination) noexcept {
    const PlainSocket socket;
    if (!socket.valid) return loopback;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(destination.value);
    address.sin_port = htons(1);
    SocketLength length = sizeof address;
    if (::connect(socket.handle, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::getsockname(socket.handle, reinterpret_cast<sockaddr*>(&address), &length) != 0 ||
        address.sin_addr.s_addr == 0)
        return loopback;
    return from_native(address.sin_addr);
}

}  // namespace coptersim
