// route.cpp - see route.hpp.
#include "coptersim/route.hpp"

namespace coptersim {

std::optional<std::uint16_t> vehicle_port(const Ports& ports, std::int32_t id) noexcept {
    if (id < 1) return std::nullopt;
    const std::int64_t port = ports.first_vehicle + 2 * (std::int64_t{id} - 1);
    if (port > 65535) return std::nullopt;
    return static_cast<std::uint16_t>(port);
}

std::vector<Endpoint> route(bool multicast_usable, Address group, std::optional<Address> known,
                            std::int32_t id, const Ports& ports) {
    if (multicast_usable) return {{group, ports.request}};
    if (!known) return {};
    std::vector<Endpoint> result{{*known, ports.request}};
    if (const auto own_port = vehicle_port(ports, id)) result.push_back({*known, *own_port});
    return result;
}

}  // namespace coptersim
