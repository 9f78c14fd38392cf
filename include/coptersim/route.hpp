// route.hpp - which ports there are, and where a request for a vehicle goes. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "coptersim/address.hpp"
#include "coptersim/export.hpp"

namespace coptersim {

/// The ports of the protocol. Real CopterSims use these and no others; tests use free ones.
struct Ports {
    std::uint16_t heartbeat = 20005;      ///< where heartbeats arrive
    std::uint16_t request = 20002;        ///< where all CopterSims listen
    std::uint16_t first_vehicle = 30100;  ///< where vehicle 1 listens; vehicle n: 2 (n - 1) higher
};

constexpr Address multicast_group{0xE000000A};  ///< 224.0.0.10

/// The port at which that vehicle alone listens.
/// @return nothing when the id is below 1, or so high that there is no such port
[[nodiscard]] COPTERSIM_API std::optional<std::uint16_t> vehicle_port(const Ports& ports,
                                                                      std::int32_t id) noexcept;

/// Where a request for a vehicle goes: to the group if multicast can be used; else to the vehicle's address, at the
/// port of all (one CopterSim of that computer gets it) and at the vehicle's own port; else nowhere.
/// @param known  the address of the vehicle's CopterSim, if it is known
[[nodiscard]] COPTERSIM_API std::vector<Endpoint> route(bool multicast_usable, Address group,
                                                        std::optional<Address> known, std::int32_t id,
                                                        const Ports& ports);

}  // namespace coptersim
