// udp.cpp - MAVLink over UDP, on the socket that the core has, too.
#include "../ap_json/udp_socket.hpp"
#include "message_writer.hpp"
#include "px4_hil/transport.hpp"

namespace px4_hil {
namespace {

class UdpTransport final : public Transport {
  public:
    Error open(const UdpOptions& options) {
        MessageWriter text;
        ap_json::Endpoint local;
        if (!ap_json::parse_address(options.address.c_str(), local.address)) {
            return error(ErrorCode::bad_option,
                         text << "\"" << options.address << "\" is not an IPv4 address such as 127.0.0.1");
        }
        fixed_peer_ = !options.peer_address.empty();
        if (fixed_peer_ && (!ap_json::parse_address(options.peer_address.c_str(), peer_.address) ||
                            options.peer_port == 0)) {
            return error(ErrorCode::bad_option,
                         text << "\"" << options.peer_address << "\", port " << options.peer_port
                              << " is not where PX4 can be: an IPv4 address and a port");
        }
        peer_.port = options.peer_port;
        local.port = options.port;
        if (const auto failed = socket_.open(local)) return {ErrorCode::port_open_failed, failed.message()};
        name_ << "UDP " << to_text(fixed_peer_ ? peer_ : socket_.local()).view();
        return {};
    }

    void wait(std::chrono::milliseconds timeout) noexcept override { socket_.wait(timeout); }

    std::ptrdiff_t read(unsigned char* buffer, std::size_t capacity) noexcept override {
        ap_json::Endpoint from;
        const std::ptrdiff_t size = socket_.receive_one(reinterpret_cast<char*>(buffer), capacity, from);
        if (size < 0) return 0;  // an earlier datagram found nobody there: he may yet come
        if (fixed_peer_ && from != peer_) return 0;
        peer_ = from;
        return size;
    }

    Error write(const unsigned char* data, std::size_t size) noexcept override {
        if (peer_.port == 0) return {};
        const int number = socket_.send(peer_, reinterpret_cast<const char*>(data), size);
        if (number == 0 || !fixed_peer_) return {};
        // The system tells with one datagram that nobody took the one before: it is sent again.
        if (socket_.send(peer_, reinterpret_cast<const char*>(data), size) == 0) return {};
        MessageWriter text;
        return error(ErrorCode::port_write_failed, text << "cannot send to " << name_.view() << ": "
                                                        << ap_json::UdpSocket::error_text(number).view());
    }

    [[nodiscard]] std::string_view name() const noexcept override { return name_.view(); }

  private:
    ap_json::UdpSocket socket_;
    ap_json::Endpoint peer_;
    bool fixed_peer_ = false;
    ap_json::TextWriter<32> name_;
};

}  // namespace

Error open_udp(const UdpOptions& options, TransportPtr& transport) {
    auto created = std::make_unique<UdpTransport>();
    if (auto failed = created->open(options)) return failed;
    transport = std::move(created);
    return {};
}

}  // namespace px4_hil
