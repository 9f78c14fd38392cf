// free_ports.hpp - ports that nobody else has, for as long as the object lives, so that no two test runs meet.
#pragma once

#include <coptersim/route.hpp>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "../../src/ap_json/udp_socket.hpp"

class FreePorts {
  public:
    static constexpr int vehicles = 20;  ///< ids from 1 to this have their own ports

    FreePorts() {
        ports_.heartbeat = hold_shared();
        ports_.request = hold_shared();
        while (!hold_vehicle_ports(any_first_port())) {
        }
    }

    [[nodiscard]] const coptersim::Ports& ports() const { return ports_; }

  private:
    using Socket = ap_json::UdpSocket;

    /// Below what systems give out for port 0, so that only other objects of this class want them.
    static std::uint16_t any_first_port() {
        static std::random_device random;
        return static_cast<std::uint16_t>(10000 + 2 * (random() % 10000));
    }

    /// The libraries share these two ports, also with the socket that holds them.
    std::uint16_t hold_shared() {
        auto socket = std::make_unique<Socket>();
        if (socket->open({0, 0}, ap_json::Sharing::shared)) return 0;
        held_.push_back(std::move(socket));
        return held_.back()->local().port;
    }

    /// The vehicles' ports are not shared. What is held is every other port, which is nobody's; who wants a block here
    /// runs into these.
    bool hold_vehicle_ports(std::uint16_t first) {
        std::vector<std::unique_ptr<Socket>> block;
        for (int i = 0; i < 2 * vehicles; ++i) {
            block.push_back(std::make_unique<Socket>());
            if (block.back()->open({0, static_cast<std::uint16_t>(first + i)})) return false;
        }
        for (std::size_t i = 1; i < block.size(); i += 2) held_.push_back(std::move(block[i]));
        ports_.first_vehicle = first;
        return true;
    }

    coptersim::Ports ports_;
    std::vector<std::unique_ptr<Socket>> held_;
};
