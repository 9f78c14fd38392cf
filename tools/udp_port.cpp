// udp_port.cpp - see udp_port.hpp.
#include "udp_port.hpp"

#include <array>
#include <asio.hpp>

using asio::ip::udp;

struct UdpPort::Implementation {
    asio::io_context context;
    udp::socket socket{context};
    udp::endpoint sender;
    std::array<char, 65536> buffer{};
};

UdpPort::UdpPort() : implementation_(std::make_unique<Implementation>()) {}
UdpPort::~UdpPort() = default;

bool is_ipv4(const std::string& address) {
    asio::error_code error;
    (void)asio::ip::make_address_v4(address, error);
    return !error;
}

std::string UdpPort::open(const UdpAddress& own) {
    udp::socket& socket = implementation_->socket;
    asio::error_code error;
    socket.close(error);
    const auto address = asio::ip::make_address_v4(own.address, error);
    if (error) return "\"" + own.address + "\" is no IPv4 address";
    socket.open(udp::v4(), error);
    if (!error) socket.bind({address, own.port}, error);
    if (!error) socket.non_blocking(true, error);
    if (!error) return {};
    const std::string words = error.message();
    socket.close(error);
    return "cannot listen on UDP " + own.text() + ": " + words;
}

std::uint16_t UdpPort::port() const {
    asio::error_code error;
    const auto own = implementation_->socket.local_endpoint(error);
    return error ? std::uint16_t{0} : own.port();
}

bool UdpPort::send(const std::string& bytes, const UdpAddress& to) {
    asio::error_code error;
    const auto address = asio::ip::make_address_v4(to.address, error);
    if (error) return false;
    implementation_->socket.send_to(asio::buffer(bytes), {address, to.port}, 0, error);
    return true;
}

std::optional<UdpPort::Datagram> UdpPort::receive(std::chrono::nanoseconds timeout) {
    Implementation& self = *implementation_;
    const auto end = std::chrono::steady_clock::now() + timeout;
    bool looked = false;
    while (!looked || std::chrono::steady_clock::now() < end) {
        looked = true;
        asio::error_code error;
        const std::size_t size = self.socket.receive_from(asio::buffer(self.buffer), self.sender, 0, error);
        if (!error) {
            return Datagram{std::string(self.buffer.data(), size),
                            {self.sender.address().to_string(), self.sender.port()}};
        }
        if (timeout.count() <= 0) return std::nullopt;
        bool waited = false;
        self.socket.async_wait(udp::socket::wait_read, [&](const asio::error_code&) { waited = true; });
        self.context.restart();
        self.context.run_one_until(end);
        if (!waited) {
            self.socket.cancel(error);
            self.context.restart();
            self.context.run();
        }
    }
    return std::nullopt;
}
