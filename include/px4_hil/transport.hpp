// transport.hpp - how bytes get to PX4 and back: a serial port, UDP or TCP, behind one seam, so that tests need no
// hardware.
//
// Thread rule: read(), write() and close() are for one thread at a time; wait() may run in the thread that reads while
// another one writes.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "px4_hil/error.hpp"
#include "px4_hil/export.hpp"

namespace px4_hil {

/// A stream of bytes in both directions. Bytes written while nobody is at the other end yet are lost, as on a serial
/// line.
class PX4_HIL_API Transport {
  public:
    Transport() noexcept = default;
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;
    virtual ~Transport() = default;

    /// Waits until something can be read, or the time is up. May return early.
    virtual void wait(std::chrono::milliseconds timeout) noexcept = 0;

    /// Takes what is there, without waiting.
    /// @return bytes, 0 = nothing there, -1 = the device or the connection is gone: open it again
    virtual std::ptrdiff_t read(unsigned char* buffer, std::size_t capacity) noexcept = 0;

    /// Waits for at most some 20 ms for room. @return ok or port_write_failed
    virtual Error write(const unsigned char* data, std::size_t size) noexcept = 0;

    /// Such as "/dev/ttyACM0" or "TCP 127.0.0.1:4560".
    [[nodiscard]] virtual std::string_view name() const noexcept = 0;
};

using TransportPtr = std::unique_ptr<Transport>;

struct SerialOptions {
    std::string device;      ///< such as "/dev/ttyACM0"
    unsigned baud = 921600;  ///< USB ignores it. A UART needs more than 100,000, or PX4 sends no controls
};

/// 8 data bits, no parity, 1 stop bit, no flow control, raw; nobody else may open it meanwhile.
/// @return ok, bad_option, port_open_failed, or unsupported on Windows
PX4_HIL_API Error open_serial(const SerialOptions& options, TransportPtr& transport);

/// The devices that may have a PX4: those that match `pattern` (as a shell would: "/dev/serial/by-id/*PX4*") first, then
/// what USB devices are called on this system.
[[nodiscard]] PX4_HIL_API std::vector<std::string> serial_candidates(const std::string& pattern = {});

struct UdpOptions {
    std::string address = "0.0.0.0";  ///< IPv4 address of this machine to receive at
    std::uint16_t port = 14550;       ///< to receive at; 0 = any free one
    std::string peer_address;         ///< where PX4 is; empty = where the newest datagram came from
    std::uint16_t peer_port = 0;
};

/// @return ok, bad_option or port_open_failed
PX4_HIL_API Error open_udp(const UdpOptions& options, TransportPtr& transport);

struct TcpOptions {
    std::string address =
        "127.0.0.1";            ///< IPv4: of this machine to listen at, or of the server to connect to
    std::uint16_t port = 4560;  ///< PX4 SITL of instance n connects to 4560 + n. Listening: 0 = any free one
};

/// Listens; PX4 SITL connects. Takes the next connection when one has ended.
/// @return ok, bad_option or port_open_failed
PX4_HIL_API Error listen_tcp(const TcpOptions& options, TransportPtr& transport);

/// Connects, as PX4 SITL does. @return ok, bad_option or port_open_failed
PX4_HIL_API Error connect_tcp(const TcpOptions& options, TransportPtr& transport);

/// Whose end of a link is opened.
enum class LinkSide : std::uint8_t {
    station,    ///< ours: a port alone means to listen there
    autopilot,  ///< PX4's, for a stand-in: a port alone means to send or connect there, on this machine
};

/// Opens what a text describes: "serial:/dev/ttyACM0", "serial:/dev/ttyS1:115200", "udp:14550" (listen),
/// "udp:192.0.2.7:14560" (send there), "tcp:4560" (listen), "tcp:0.0.0.0:4560" (likewise, for other machines).
/// @return ok, bad_option, or what opening says
PX4_HIL_API Error open_link(const std::string& text, TransportPtr& transport,
                            LinkSide side = LinkSide::station);

}  // namespace px4_hil
