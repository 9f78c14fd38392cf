// world.hpp - clients and stand-ins on ports of their own, over the loopback interface.
#pragma once

#include <gmock/gmock.h>

#include <coptersim/client.hpp>
#include <coptersim/stand_in.hpp>
#include <memory>
#include <string>
#include <vector>

#include "free_ports.hpp"

class World : public testing::Test {
  protected:
    static constexpr std::chrono::seconds patience{20};  // for what has to happen

    [[nodiscard]] coptersim::ClientOptions client_options() const {
        coptersim::ClientOptions options;
        options.interface_address = "127.0.0.1";
        options.ports = ports_.ports();
        return options;
    }

    [[nodiscard]] coptersim::StandInOptions stand_in_options(std::int32_t id) const {
        coptersim::StandInOptions options;
        options.id = id;
        options.interface_address = "127.0.0.1";
        options.beat_interval = std::chrono::milliseconds(50);
        options.ports = ports_.ports();
        return options;
    }

    /// On another computer: to the client every address of 127/8 but 127.0.0.1 is one.
    [[nodiscard]] coptersim::StandInOptions elsewhere(std::int32_t id, const std::string& address) const {
        auto options = stand_in_options(id);
        options.own_address = address;
        return options;
    }

    coptersim::StandIn& start(const coptersim::StandInOptions& options) {
        stand_ins_.push_back(std::make_unique<coptersim::StandIn>());
        const auto error = stand_ins_.back()->start(options);
        EXPECT_FALSE(error) << error.message();
        return *stand_ins_.back();
    }

    coptersim::StandIn& start(std::int32_t id) { return start(stand_in_options(id)); }

    void open(const coptersim::ClientOptions& options) {
        const auto error = client_.open(options);
        ASSERT_FALSE(error) << error.message();
        ASSERT_FALSE(client_.multicast()) << client_.multicast().message();
    }

    void open() { open(client_options()); }

    bool wait_for_vehicles(std::size_t count) {
        return client_.wait_until([count](const auto& vehicles) { return vehicles.size() == count; },
                                  patience);
    }

    FreePorts ports_;
    std::vector<std::unique_ptr<coptersim::StandIn>> stand_ins_;
    coptersim::Client client_;  // the first to go: it may call back into what the tests have
};
