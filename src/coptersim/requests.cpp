// requests.cpp - see requests.hpp.
#include "coptersim/requests.hpp"

#include <charconv>
#include <cmath>
#include <limits>

namespace coptersim {
namespace {

/// A float, infinite where the value is too large for one, so that validate() finds it.
float narrow(double value) noexcept {
    constexpr double largest = std::numeric_limits<float>::max();
    if (value > largest) return std::numeric_limits<float>::infinity();
    if (value < -largest) return -std::numeric_limits<float>::infinity();
    return static_cast<float>(value);
}

/// The shortest text that reads back to the same value, whatever the locale.
template <class Number>
std::string text(Number number) {
    char digits[32];
    const auto result = std::to_chars(digits, digits + sizeof digits, number);
    return {digits, result.ptr};
}

InitialiseRequest request_for(std::int32_t id, Deployment deployment) noexcept {
    InitialiseRequest request;
    request.id = id;
    request.deployment = deployment;
    return request;
}

bool uses_globe(Deployment deployment) noexcept {
    return deployment == Deployment::gps_origin || deployment == Deployment::gps_position;
}

template <class Number>
Error check_finite(const char* name, Number value) {
    if (std::isfinite(value)) return {};
    return {ErrorCode::not_finite,
            std::string(name) + " is " + text(value) + "; it has to be a finite number"};
}

Error check_angle(const char* name, double value, double limit) {
    if (std::abs(value) <= limit) return {};
    return {ErrorCode::out_of_range, std::string(name) + " is " + text(value) + "; it has to be from " +
                                         text(-limit) + " to " + text(limit) + " degrees"};
}

/// Bytes of the well-formed UTF-8 character that the text begins with; 0 when it begins with none.
std::size_t utf8_length(std::string_view text) noexcept {
    const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return 1;
    const std::size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                               : lead >= 0xE0 && lead <= 0xEF ? 3
                               : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                              : 0;
    if (length == 0 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if (byte(i) >> 6 != 2) return 0;
    }
    const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
    const bool surrogate = lead == 0xED && byte(1) > 0x9F;
    const bool beyond = lead == 0xF4 && byte(1) > 0x8F;
    return overlong || surrogate || beyond ? 0 : length;
}

bool is_utf8(std::string_view text) noexcept {
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

constexpr const char* mode_names[] = {"udp_full",       "udp_simple",      "mavlink_full",
                                      "mavlink_simple", "mavlink_no_send", "mavlink_no_gps",
                                      "mavlink_vision", "redis_full",      "redis_simple"};

std::string describe_deployment(const InitialiseRequest& request) {
    const std::string first = text(request.position[0]);
    const std::string second = text(request.position[1]);
    const std::string yaw = text(request.yaw);
    switch (request.deployment) {
        case Deployment::position:
            return "put at " + first + " m north, " + second + " m east, yaw " + yaw + " degrees";
        case Deployment::gps_origin:
            return "GPS origin at latitude " + first + ", longitude " + second + ", altitude " + yaw + " m";
        case Deployment::gps_position:
            return "put at latitude " + first + ", longitude " + second + ", yaw " + yaw + " degrees";
        case Deployment::gps_display:
            return "show latitude and longitude";
        case Deployment::xy_display:
            return "show north and east";
        case Deployment::none:
            break;
    }
    return {};
}

void append(std::string& list, const std::string& item) {
    if (item.empty()) return;
    if (!list.empty()) list += "; ";
    list += item;
}

}  // namespace

Stream on_wire(Stream wish, bool local) noexcept {
    if (wish == Stream::same_computer) return Stream::not_requested;
    return static_cast<int>(wish) > 0 && local ? Stream::same_computer : wish;
}

InitialiseRequest stream_request(std::int32_t id, bool local) noexcept {
    InitialiseRequest request = request_for(id, Deployment::none);
    request.stream = on_wire(Stream::to_sender, local);
    return request;
}

InitialiseRequest udp_mode_request(std::int32_t id, UdpMode mode) noexcept {
    InitialiseRequest request = request_for(id, Deployment::none);
    request.udp_mode = mode;
    return request;
}

InitialiseRequest place_request(std::int32_t id, const GroundPose& pose) noexcept {
    InitialiseRequest request = request_for(id, Deployment::position);
    request.position = {pose.north_m, pose.east_m};
    request.yaw = narrow(pose.yaw_deg);
    return request;
}

InitialiseRequest place_request(std::int32_t id, const AirPose& pose) noexcept {
    InitialiseRequest request = place_request(id, GroundPose{pose.north_m, pose.east_m, pose.yaw_deg});
    request.attitude = Attitude::given;
    request.z_roll_pitch = {narrow(pose.down_m), narrow(pose.roll_deg), narrow(pose.pitch_deg)};
    return request;
}

InitialiseRequest place_request(std::int32_t id, const GpsPose& pose) noexcept {
    InitialiseRequest request = request_for(id, Deployment::gps_position);
    request.position = {pose.latitude_deg, pose.longitude_deg};
    request.yaw = narrow(pose.yaw_deg);
    return request;
}

InitialiseRequest gps_origin_request(std::int32_t id, const GpsOrigin& origin) noexcept {
    InitialiseRequest request = request_for(id, Deployment::gps_origin);
    request.position = {origin.latitude_deg, origin.longitude_deg};
    request.yaw = narrow(origin.altitude_m);
    return request;
}

InitialiseRequest gps_display_request(std::int32_t id) noexcept {
    return request_for(id, Deployment::gps_display);
}
InitialiseRequest xy_display_request(std::int32_t id) noexcept {
    return request_for(id, Deployment::xy_display);
}

SelectRequest select_request(std::int32_t id, Selection what, std::string_view name) {
    return {id, what, -1, std::string(name)};
}

SelectRequest select_request(std::int32_t id, Selection what, std::int32_t index) {
    return {id, what, index, {}};
}

Error validate_values(const InitialiseRequest& request) {
    const bool globe = uses_globe(request.deployment);
    if (auto error = check_finite(globe ? "latitude" : "north", request.position[0])) return error;
    if (auto error = check_finite(globe ? "longitude" : "east", request.position[1])) return error;
    const bool origin = request.deployment == Deployment::gps_origin;
    if (auto error = check_finite(origin ? "altitude" : "yaw", request.yaw)) return error;
    constexpr const char* names[] = {"down", "roll", "pitch"};
    for (std::size_t i = 0; i < request.z_roll_pitch.size(); ++i) {
        if (auto error = check_finite(names[i], request.z_roll_pitch[i])) return error;
    }
    if (!globe) return {};
    if (auto error = check_angle("latitude", request.position[0], 90)) return error;
    return check_angle("longitude", request.position[1], 180);
}

Error validate(const InitialiseRequest& request) {
    if (request.id < first_id || request.id > last_id) {
        return {ErrorCode::bad_id,
                "no vehicle has the id " + std::to_string(request.id) + "; ids are from 1 to 10000"};
    }
    return validate_values(request);
}

Error validate_values(const SelectRequest& request) {
    SelectBytes ignored{};
    if (auto error = encode(request, ignored)) return error;
    if (request.name.find('\0') != std::string::npos)
        return {ErrorCode::bad_name, "the name has a zero byte in it, at which CopterSim would cut it"};
    if (!is_utf8(request.name)) return {ErrorCode::bad_name, "the name is not UTF-8; convert it first"};
    return {};
}

Error validate(const SelectRequest& request) {
    if (request.id != all_vehicles && request.id < first_id) {
        return {ErrorCode::bad_id, "no vehicle has the id " + std::to_string(request.id) +
                                       "; ids begin with 1, and -1 means all vehicles"};
    }
    if (request.selection != Selection::model && request.selection != Selection::map)
        return {ErrorCode::out_of_range, "only a model (1) or a map (2) can be selected"};
    if (request.index < 0 && request.name.empty())
        return {ErrorCode::bad_name, "neither a name nor an index from 0 says what to select"};
    return validate_values(request);
}

Error udp_mode_from(std::int32_t number, UdpMode& mode) {
    if (number < 0 || number > 127) {
        return {ErrorCode::out_of_range,
                "the UDP mode is " + std::to_string(number) + "; it has to be from 0 to 127"};
    }
    mode = static_cast<UdpMode>(number);
    return {};
}

std::string to_string(UdpMode mode) {
    const auto number = static_cast<int>(mode);
    if (number == -1) return "unchanged";
    if (number >= 0 && number < static_cast<int>(std::size(mode_names))) return mode_names[number];
    return "mode " + std::to_string(number);
}

std::string describe(const InitialiseRequest& request) {
    std::string list;
    if (request.stream == Stream::to_sender) append(list, "stream to this computer");
    if (request.stream == Stream::same_computer) append(list, "stream to this computer, which is its own");
    if (static_cast<int>(request.udp_mode) >= 0) append(list, "UDP mode " + to_string(request.udp_mode));
    append(list, describe_deployment(request));
    if (static_cast<int>(request.attitude) > 0) {
        append(list, text(request.z_roll_pitch[0]) + " m down, roll " + text(request.z_roll_pitch[1]) +
                         ", pitch " + text(request.z_roll_pitch[2]) + " degrees");
    }
    return "vehicle " + std::to_string(request.id) + ": " + (list.empty() ? "nothing" : list);
}

std::string describe(const SelectRequest& request) {
    std::string whom = request.id == all_vehicles ? "all vehicles" : "vehicle " + std::to_string(request.id);
    const char* what = request.selection == Selection::model ? "model"
                       : request.selection == Selection::map ? "map"
                                                             : nullptr;
    if (what == nullptr || request.id == nobody) return whom + ": nothing";
    return whom + ": " + what + " " +
           (request.index >= 0 ? std::to_string(request.index) : "\"" + request.name + "\"");
}

}  // namespace coptersim
