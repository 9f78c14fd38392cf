// interfaces.hpp - the network interfaces of this computer: which addresses are its own, and which one others see.
#pragma once

#include <string>
#include <vector>

#include "coptersim/address.hpp"
#include "coptersim/export.hpp"

namespace coptersim {

/// A network interface that is up, with one of its IPv4 addresses.
struct Interface {
    Address address;
    Address netmask;

    /// The address that all computers of its subnet listen to.
    [[nodiscard]] constexpr Address broadcast() const noexcept { return {address.value | ~netmask.value}; }
};

/// All of them, the loopback interface included. Empty when the operating system does not tell.
[[nodiscard]] COPTERSIM_API std::vector<Interface> interfaces();

/// The address that this computer sends from to an address, by its routes. Sends nothing.
/// @return 127.0.0.1 when there is no route
[[nodiscard]] COPTERSIM_API Address source_address(Address destination) noexcept;

}  // namespace coptersim
