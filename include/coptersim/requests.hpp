// requests.hpp - each operation as the message that asks for it, and what such a message may say. Pure. Who uses
// client.hpp needs this only to send a message of his own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "coptersim/error.hpp"
#include "coptersim/export.hpp"
#include "coptersim/messages.hpp"

namespace coptersim {

/// The ids that vehicles have.
constexpr std::int32_t first_id = 1;
constexpr std::int32_t last_id = 10000;

/// On the ground: the height follows the terrain, the vehicle is level.
struct GroundPose {
    double north_m = 0;
    double east_m = 0;
    double yaw_deg = 0;
};

/// Anywhere, also in the air.
struct AirPose {
    double north_m = 0;
    double east_m = 0;
    double down_m = 0;  ///< 15 m above the origin is -15
    double roll_deg = 0;
    double pitch_deg = 0;
    double yaw_deg = 0;
};

struct GpsOrigin {
    double latitude_deg = 0;   ///< -90 to 90
    double longitude_deg = 0;  ///< -180 to 180
    double altitude_m = 0;     ///< up
};

struct GpsPose {
    double latitude_deg = 0;   ///< -90 to 90
    double longitude_deg = 0;  ///< -180 to 180
    double yaw_deg = 0;
};

/// How a wish to be streamed to goes on the wire: 0 is kept for a CopterSim on this computer, whoever asks.
/// @param local  whether that CopterSim runs on this computer
[[nodiscard]] COPTERSIM_API Stream on_wire(Stream wish, bool local) noexcept;

// ---- The operations. They check nothing; validate() does.

/// @param local  whether that CopterSim runs on this computer
[[nodiscard]] COPTERSIM_API InitialiseRequest stream_request(std::int32_t id, bool local) noexcept;
[[nodiscard]] COPTERSIM_API InitialiseRequest udp_mode_request(std::int32_t id, UdpMode mode) noexcept;
[[nodiscard]] COPTERSIM_API InitialiseRequest place_request(std::int32_t id, const GroundPose& pose) noexcept;
[[nodiscard]] COPTERSIM_API InitialiseRequest place_request(std::int32_t id, const AirPose& pose) noexcept;
[[nodiscard]] COPTERSIM_API InitialiseRequest place_request(std::int32_t id, const GpsPose& pose) noexcept;
[[nodiscard]] COPTERSIM_API InitialiseRequest gps_origin_request(std::int32_t id,
                                                                 const GpsOrigin& origin) noexcept;
[[nodiscard]] COPTERSIM_API InitialiseRequest gps_display_request(std::int32_t id) noexcept;
[[nodiscard]] COPTERSIM_API InitialiseRequest xy_display_request(std::int32_t id) noexcept;

[[nodiscard]] COPTERSIM_API SelectRequest select_request(std::int32_t id, Selection what,
                                                         std::string_view name);
[[nodiscard]] COPTERSIM_API SelectRequest select_request(std::int32_t id, Selection what, std::int32_t index);

// ---- What may be said.

/// Whether the values can be meant: all numbers finite, latitude and longitude within the globe. The id may be any.
/// @return ok, not_finite or out_of_range; the message names the field and its value
[[nodiscard]] COPTERSIM_API Error validate_values(const InitialiseRequest& request);

/// validate_values(), and the id has to be from first_id to last_id.
/// @return likewise, or bad_id
[[nodiscard]] COPTERSIM_API Error validate(const InitialiseRequest& request);

/// Whether the name is UTF-8 without zero bytes and fits. An empty one is right. The id may be any.
/// @return ok, bad_name or name_too_long
[[nodiscard]] COPTERSIM_API Error validate_values(const SelectRequest& request);

/// validate_values(), and the id has to be a vehicle's or all_vehicles; something has to be selected, by an index
/// or by a name that is not empty.
/// @return likewise, bad_id or out_of_range
[[nodiscard]] COPTERSIM_API Error validate(const SelectRequest& request);

/// The mode of that number. Numbers without a name are right, too: CopterSim may know more of them.
/// @return ok, or out_of_range below 0 and above 127
[[nodiscard]] COPTERSIM_API Error udp_mode_from(std::int32_t number, UdpMode& mode);

/// "mavlink_full" for UdpMode::mavlink_full; "mode 9" for a number without a name.
[[nodiscard]] COPTERSIM_API std::string to_string(UdpMode mode);

/// What a request asks for, in words: "vehicle 3: put at 10.5 m north, -20.25 m east, yaw 90 degrees".
[[nodiscard]] COPTERSIM_API std::string describe(const InitialiseRequest& request);
[[nodiscard]] COPTERSIM_API std::string describe(const SelectRequest& request);

}  // namespace coptersim
