// transport.cpp - the seam's own part: what the text for open_link() means.
#include "px4_hil/transport.hpp"

#include <charconv>

#include "message_writer.hpp"

namespace px4_hil {
namespace {

constexpr std::string_view forms =
    "serial:DEVICE, serial:DEVICE:BAUD, udp:PORT, udp:ADDRESS:PORT, tcp:PORT or tcp:ADDRESS:PORT";

template <class Number>
bool parse(std::string_view text, Number& number) {
    const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
    return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

}  // namespace

Error open_link(const std::string& text, TransportPtr& transport, LinkSide side) {
    const std::string_view all = text;
    const std::size_t colon = all.find(':');
    const std::string_view kind = all.substr(0, colon);
    const std::string_view rest =
        colon == std::string_view::npos ? std::string_view() : all.substr(colon + 1);
    const std::size_t last = rest.rfind(':');
    const std::string address(last == std::string_view::npos ? std::string_view() : rest.substr(0, last));
    const std::string_view number = last == std::string_view::npos ? rest : rest.substr(last + 1);

    if (kind == "serial" && !rest.empty()) {
        SerialOptions options;
        const bool with_baud = !address.empty() && parse(number, options.baud);
        options.device = with_baud ? address : std::string(rest);
        return open_serial(options, transport);
    }
    std::uint16_t port = 0;
    if (kind == "udp" && parse(number, port)) {
        UdpOptions options;
        const bool listen = address.empty() && side == LinkSide::station;
        options.port = listen ? port : std::uint16_t{0};
        options.peer_port = listen ? std::uint16_t{0} : port;
        if (!listen) options.peer_address = address.empty() ? "127.0.0.1" : address;
        return open_udp(options, transport);
    }
    if (kind == "tcp" && parse(number, port)) {
        TcpOptions options;
        if (!address.empty()) options.address = address;
        options.port = port;
        return side == LinkSide::station ? listen_tcp(options, transport) : connect_tcp(options, transport);
    }
    MessageWriter message;
    return error(ErrorCode::bad_option, message << "\"" << text << "\" is no link; the forms are " << forms);
}

}  // namespace px4_hil
