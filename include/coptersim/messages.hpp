// messages.hpp - the four datagrams of CopterSim, and their bytes. Pure: no socket, no clock. Whether the values of
// a request can be meant is the matter of requests.hpp.
//
// All numbers are little endian on the wire, on machines of either byte order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "coptersim/error.hpp"
#include "coptersim/export.hpp"

namespace coptersim {

/// What each CopterSim tells everybody: that it runs. 32 bytes.
struct Heartbeat {
    std::int32_t id = 0;               ///< of the vehicle
    std::int64_t start_time_ms = 0;    ///< start of the simulation: Unix time of CopterSim's computer, ms
    std::int64_t current_time_ms = 0;  ///< now, likewise
    std::int64_t count = 0;            ///< of the beats since the start
};

/// Whom CopterSim shall send the autopilot's data to. Values below 0 mean nothing.
enum class Stream : std::int8_t {
    not_requested = -1,
    same_computer = 0,  ///< requested by a program on CopterSim's own computer
    to_sender = 1,      ///< to where the request comes from, over the network
};

/// What the numbers of the request are, and what is done with them. Values below 0 mean nothing, too.
enum class Deployment : std::int8_t {
    none = 0,
    position = 1,  ///< puts the vehicle at position[] = north, east in m and yaw in degrees
    gps_origin =
        2,  ///< moves the origin to position[] = latitude, longitude in degrees; yaw = altitude in m, up
    gps_position = 3,  ///< puts the vehicle at position[] = latitude, longitude in degrees and yaw in degrees
    gps_display = 4,   ///< lets CopterSim's window show latitude and longitude
    xy_display = 5,    ///< lets CopterSim's window show north and east
};

/// Whether height and attitude of the request are used.
enum class Attitude : std::int8_t {
    terrain = 0,  ///< no: stands level on the terrain
    given = 1,    ///< z_roll_pitch[] is used, so that the vehicle can begin in the air
};

/// How CopterSim talks to the autopilot's other side.
enum class UdpMode : std::int8_t {
    unchanged = -1,
    udp_full = 0,
    udp_simple = 1,
    mavlink_full = 2,
    mavlink_simple = 3,
    mavlink_no_send = 4,  ///< receives only
    mavlink_no_gps = 5,
    mavlink_vision = 6,  ///< no GPS, and the estimator set for vision
    redis_full = 7,      ///< enterprise edition
    redis_simple = 8,    ///< enterprise edition
};

/// Asks one CopterSim to stream, change its mode, or put its vehicle elsewhere. 48 bytes.
struct InitialiseRequest {
    std::int32_t id = 1;
    Stream stream = Stream::not_requested;
    Deployment deployment = Deployment::none;
    Attitude attitude = Attitude::terrain;
    UdpMode udp_mode = UdpMode::unchanged;
    std::array<std::uint8_t, 4> reserved{};
    std::array<float, 3> z_roll_pitch{};  ///< m, down; degrees; degrees
    float yaw = 0;                        ///< degrees, or m; see Deployment
    std::array<double, 2> position{};     ///< m, or degrees; see Deployment
};

/// What a SelectRequest selects. Values below 0 mean nothing, too.
enum class Selection : std::int32_t {
    none = 0,
    model = 1,  ///< the vehicle model, a DLL
    map = 2,
};

constexpr std::int32_t nobody = 0;         ///< SelectRequest::id: no CopterSim reacts
constexpr std::int32_t all_vehicles = -1;  ///< SelectRequest::id: each CopterSim reacts

/// Asks for another vehicle model or another map. 64 bytes.
struct SelectRequest {
    static constexpr std::size_t longest_name =
        48;  ///< in bytes of UTF-8; this many have no zero behind them

    std::int32_t id = nobody;
    Selection selection = Selection::none;
    std::int32_t index = -1;  ///< in CopterSim's own list, from 0; below 0 = by name
    std::string name;
};

/// Asks one CopterSim to send its heartbeat to where the request comes from. 8 bytes. It names no vehicle: the port
/// it is sent to does.
enum class Wake : std::int32_t {
    same_subnet = 90,
    other_subnet = 91,
};

using HeartbeatBytes = std::array<unsigned char, 32>;
using InitialiseBytes = std::array<unsigned char, 48>;
using SelectBytes = std::array<unsigned char, 64>;
using WakeBytes = std::array<unsigned char, 8>;

[[nodiscard]] COPTERSIM_API HeartbeatBytes encode(const Heartbeat& heartbeat) noexcept;
[[nodiscard]] COPTERSIM_API InitialiseBytes encode(const InitialiseRequest& request) noexcept;
[[nodiscard]] COPTERSIM_API WakeBytes encode(Wake wake) noexcept;

/// Unlike the others it can fail: a name that does not fit is refused, never cut.
/// @param bytes  where the datagram goes; left untouched unless `ok` is returned
/// @return ok or name_too_long
[[nodiscard]] COPTERSIM_API Error encode(const SelectRequest& request, SelectBytes& bytes);

// Each reads one datagram. Every value of every field is taken as it is.
//
// @param data  the datagram; needs no alignment; may be null when size is 0
// @param size  its length in bytes
// @param last  where the result goes; left untouched unless `ok` is returned
// @return ok, wrong_length or wrong_checksum
[[nodiscard]] COPTERSIM_API ErrorCode decode(const void* data, std::size_t size,
                                             Heartbeat& heartbeat) noexcept;
[[nodiscard]] COPTERSIM_API ErrorCode decode(const void* data, std::size_t size,
                                             InitialiseRequest& request) noexcept;
[[nodiscard]] COPTERSIM_API ErrorCode decode(const void* data, std::size_t size, SelectRequest& request);
[[nodiscard]] COPTERSIM_API ErrorCode decode(const void* data, std::size_t size, Wake& wake) noexcept;

}  // namespace coptersim
