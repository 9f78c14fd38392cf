// address.hpp - IPv4 addresses as values, and their text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "coptersim/export.hpp"

namespace coptersim {

/// An IPv4 address.
struct Address {
    std::uint32_t value = 0;  ///< 127.0.0.1 is 0x7F000001

    [[nodiscard]] constexpr bool is_multicast() const noexcept { return value >> 28 == 0xE; }
    [[nodiscard]] constexpr bool is_loopback() const noexcept { return value >> 24 == 127; }

    /// Whether the first three numbers are the same, which is what CopterSim means by a subnet.
    [[nodiscard]] constexpr bool same_subnet(Address other) const noexcept {
        return value >> 8 == other.value >> 8;
    }

    friend constexpr bool operator==(Address a, Address b) noexcept { return a.value == b.value; }
    friend constexpr bool operator!=(Address a, Address b) noexcept { return a.value != b.value; }
};

constexpr Address loopback{0x7F000001};

/// "192.168.1.20": four decimal numbers from 0 to 255, without leading zeros, and nothing else.
/// @return nothing when the text is something else
[[nodiscard]] COPTERSIM_API std::optional<Address> parse_address(std::string_view text) noexcept;

[[nodiscard]] COPTERSIM_API std::string to_string(Address address);

/// Where a datagram goes to, or came from.
struct Endpoint {
    Address address;
    std::uint16_t port = 0;

    friend constexpr bool operator==(const Endpoint& a, const Endpoint& b) noexcept {
        return a.address == b.address && a.port == b.port;
    }
    friend constexpr bool operator!=(const Endpoint& a, const Endpoint& b) noexcept { return !(a == b); }
};

/// "192.168.1.20:20002"
[[nodiscard]] COPTERSIM_API std::string to_string(const Endpoint& endpoint);

}  // namespace coptersim
