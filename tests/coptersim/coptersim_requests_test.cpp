// coptersim_requests_test.cpp - each operation as bytes, what cannot be meant, addresses and routes.
#include <gmock/gmock.h>

#include <cmath>
#include <coptersim/address.hpp>
#include <coptersim/requests.hpp>
#include <coptersim/route.hpp>
#include <functional>
#include <limits>
#include <map>
#include <variant>

#include "vectors.hpp"

namespace {

using coptersim::Error;
using coptersim::ErrorCode;
using coptersim::InitialiseRequest;
using coptersim::Selection;
using coptersim::SelectRequest;
using coptersim::UdpMode;
using nlohmann::json;
using testing::HasSubstr;

/// A message, or why there is none.
struct Made {
    std::variant<InitialiseRequest, SelectRequest> message;
    Error error;
};

double number(const json& value) { return value.is_string() ? std::nan("") : value.get<double>(); }

Made made(InitialiseRequest request) { return {request, validate(request)}; }
Made made(SelectRequest request) { return {request, validate(request)}; }

Made raw_initialise(const json& a) {
    InitialiseRequest request;
    request.id = a["copter_id"];
    request.stream = coptersim::on_wire(static_cast<coptersim::Stream>(a["is_req_ip"].get<int>()),
                                        a["target_ip"] == "127.0.0.1");
    request.udp_mode = static_cast<UdpMode>(a["udp_mode"].get<int>());
    request.deployment = static_cast<coptersim::Deployment>(a["is_xy_yaw"].get<int>());
    request.attitude = static_cast<coptersim::Attitude>(a["is_zrp"].get<int>());
    for (std::size_t i = 0; i < 2; ++i) request.position[i] = a["xy_yaw"][i];
    request.yaw = a["xy_yaw"][2];
    for (std::size_t i = 0; i < 3; ++i) request.z_roll_pitch[i] = a["z_roll_pitch"][i];
    for (std::size_t i = 0; i < 4; ++i) request.reserved[i] = a["other"][i];
    return {request, validate_values(request)};
}

/// The vectors' names of the operations, and ours.
const std::map<std::string, std::function<Made(const json&)>> operations = {
    {"request_ip",
     [](const json& a) {
         return made(coptersim::stream_request(a["copter_id"], a.value("target_ip", "") == "127.0.0.1"));
     }},
    {"set_udp_mode",
     [](const json& a) {
         UdpMode mode{};
         if (auto error = coptersim::udp_mode_from(a["udp_mode"], mode)) return Made{{}, error};
         return made(coptersim::udp_mode_request(a["copter_id"], mode));
     }},
    {"set_xy_yaw",
     [](const json& a) {
         return made(coptersim::place_request(
             a["copter_id"], coptersim::GroundPose{number(a["x"]), number(a["y"]), number(a["yaw_deg"])}));
     }},
    {"set_xyz_rpy",
     [](const json& a) {
         return made(coptersim::place_request(
             a["copter_id"],
             coptersim::AirPose{number(a["x"]), number(a["y"]), number(a["z"]), number(a["roll_deg"]),
                                number(a["pitch_deg"]), number(a["yaw_deg"])}));
     }},
    {"set_gps_origin",
     [](const json& a) {
         return made(coptersim::gps_origin_request(
             a["copter_id"],
             coptersim::GpsOrigin{number(a["lat_deg"]), number(a["lon_deg"]), number(a["alt_m"])}));
     }},
    {"set_gps_position",
     [](const json& a) {
         return made(coptersim::place_request(
             a["copter_id"],
             coptersim::GpsPose{number(a["lat_deg"]), number(a["lon_deg"]), number(a["yaw_deg"])}));
     }},
    {"enable_gps_display",
     [](const json& a) { return made(coptersim::gps_display_request(a["copter_id"])); }},
    {"enable_xy_display", [](const json& a) { return made(coptersim::xy_display_request(a["copter_id"])); }},
    {"init_raw", raw_initialise},
    {"set_dll_name",
     [](const json& a) {
         return made(
             coptersim::select_request(a["copter_id"], Selection::model, a["name"].get<std::string>()));
     }},
    {"set_dll_index",
     [](const json& a) {
         return made(
             coptersim::select_request(a["copter_id"], Selection::model, a["index"].get<std::int32_t>()));
     }},
    {"set_map_name",
     [](const json& a) {
         return made(coptersim::select_request(a["copter_id"], Selection::map, a["name"].get<std::string>()));
     }},
    {"set_map_index",
     [](const json& a) {
         return made(
             coptersim::select_request(a["copter_id"], Selection::map, a["index"].get<std::int32_t>()));
     }},
    {"dll_map_raw",
     [](const json& a) {
         const SelectRequest request{a["copter_id"], static_cast<Selection>(a["flag"].get<int>()), a["index"],
                                     a["name"]};
         return Made{request, validate_values(request)};
     }},
};

Made make(const json& vector) {
    const auto operation = operations.find(vector["call"]);
    if (operation == operations.end()) return {{}, {ErrorCode::bad_option, "no such operation"}};
    return operation->second(vector["args"]);
}

std::string hex_of(const Made& result) {
    if (const auto* request = std::get_if<InitialiseRequest>(&result.message))
        return to_hex(encode(*request));
    coptersim::SelectBytes bytes{};
    EXPECT_FALSE(encode(*std::get_if<SelectRequest>(&result.message), bytes));
    return to_hex(bytes);
}

TEST(Requests, EveryOperationToTheByte) {
    for (const char* list : {"init_messages", "command_messages"}) {
        for (const auto& vector : vectors()[list]) {
            const Made result = make(vector);
            EXPECT_FALSE(result.error) << vector["id"] << result.error.message();
            EXPECT_EQ(hex_of(result), vector["hex"]) << vector["id"];
        }
    }
}

TEST(Requests, WhatCannotBeMeant) {
    EXPECT_EQ(vectors()["invalid"].size(), 6U);
    for (const auto& vector : vectors()["invalid"]) {
        std::string expected = vector["error"];
        for (char& letter : expected) letter = static_cast<char>(std::tolower(letter));
        const Made result = make(vector);
        EXPECT_EQ(to_string(result.error.code()), expected) << vector;
        EXPECT_FALSE(result.error.message().empty());
    }
}

/// The test of one field at a time: the value is refused with this code, and the message names it.
void expect_refused(const Error& error, ErrorCode code, const char* words) {
    EXPECT_EQ(error.code(), code) << words;
    EXPECT_THAT(error.message(), HasSubstr(words));
}

TEST(Requests, EveryNumberHasToBeFinite) {
    using coptersim::AirPose;
    using coptersim::GpsOrigin;
    using coptersim::GpsPose;
    struct Field {
        const char* name;
        double AirPose::*member;
    };
    constexpr Field fields[] = {{"north", &AirPose::north_m},   {"east", &AirPose::east_m},
                                {"down", &AirPose::down_m},     {"roll", &AirPose::roll_deg},
                                {"pitch", &AirPose::pitch_deg}, {"yaw", &AirPose::yaw_deg}};
    const double infinity = std::numeric_limits<double>::infinity();
    for (const Field& field : fields) {
        for (const double value : {std::nan(""), infinity, -infinity}) {
            AirPose pose;
            pose.*field.member = value;
            expect_refused(validate(coptersim::place_request(1, pose)), ErrorCode::not_finite, field.name);
        }
    }
    expect_refused(validate(coptersim::place_request(1, GpsPose{infinity, 0, 0})), ErrorCode::not_finite,
                   "latitude");
    expect_refused(validate(coptersim::place_request(1, GpsPose{0, infinity, 0})), ErrorCode::not_finite,
                   "longitude");
    expect_refused(validate(coptersim::place_request(1, GpsPose{0, 0, infinity})), ErrorCode::not_finite,
                   "yaw");
    expect_refused(validate(coptersim::gps_origin_request(1, GpsOrigin{0, 0, infinity})),
                   ErrorCode::not_finite, "altitude");
    expect_refused(validate(coptersim::place_request(1, AirPose{0, 0, 1e39, 0, 0, 0})), ErrorCode::not_finite,
                   "down");
    expect_refused(validate(coptersim::place_request(1, AirPose{0, 0, -1e39, 0, 0, 0})),
                   ErrorCode::not_finite, "down");
}

TEST(Requests, TheGlobeHasEdges) {
    using coptersim::GpsPose;
    for (const double sign : {-1.0, 1.0}) {
        EXPECT_FALSE(validate(coptersim::place_request(1, GpsPose{sign * 90, sign * 180, 720})));
        expect_refused(validate(coptersim::place_request(1, GpsPose{sign * 90.0001, 0, 0})),
                       ErrorCode::out_of_range, "from -90 to 90");
        expect_refused(validate(coptersim::place_request(1, GpsPose{0, sign * 180.0001, 0})),
                       ErrorCode::out_of_range, "from -180 to 180");
        EXPECT_FALSE(validate(coptersim::place_request(1, coptersim::GroundPose{sign * 1e6, sign * 1e6, 0})))
            << "metres have no such edges";
    }
}

TEST(Requests, Ids) {
    for (const std::int32_t id : {1, 10000}) EXPECT_FALSE(validate(coptersim::xy_display_request(id)));
    for (const std::int32_t id : {0, -1, 10001, std::numeric_limits<std::int32_t>::min()}) {
        expect_refused(validate(coptersim::xy_display_request(id)), ErrorCode::bad_id,
                       std::to_string(id).c_str());
        EXPECT_FALSE(validate_values(coptersim::xy_display_request(id)));
    }
    for (const std::int32_t id : {coptersim::all_vehicles, 1, 20000})
        EXPECT_FALSE(validate(coptersim::select_request(id, Selection::map, 0)));
    for (const std::int32_t id : {coptersim::nobody, -2})
        EXPECT_EQ(validate(coptersim::select_request(id, Selection::map, 0)).code(), ErrorCode::bad_id);
}

TEST(Requests, Names) {
    const auto code = [](std::string_view name) {
        return validate(coptersim::select_request(1, Selection::map, name)).code();
    };
    EXPECT_EQ(code("Grasslands"), ErrorCode::ok);
    EXPECT_EQ(code("\xE8\x8D\x89\xE5\x9C\xB0"), ErrorCode::ok);
    EXPECT_EQ(code("\xF0\x9F\x9A\x81"), ErrorCode::ok);
    EXPECT_EQ(code(std::string(48, 'x')), ErrorCode::ok);
    EXPECT_EQ(code(std::string(46, 'x') + "\xE8\x8D\x89"), ErrorCode::name_too_long)
        << "not cut in a character";
    EXPECT_EQ(code(""), ErrorCode::bad_name);
    EXPECT_EQ(code(std::string_view("a\0b", 3)), ErrorCode::bad_name);
    for (const char* wrong : {"\x80", "\xC0\xAF", "\xC1\xBF", "\xE0\x80\xAF", "\xED\xA0\x80",
                              "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "a\xE8\x8D",
                              "\xE8\x8D"
                              "b",
                              "\xC3"})
        EXPECT_EQ(code(wrong), ErrorCode::bad_name) << to_hex(std::string(wrong));
    for (const char* right : {"\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
                              "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"})
        EXPECT_EQ(code(right), ErrorCode::ok) << to_hex(std::string(right));
}

TEST(Requests, SomethingHasToBeSelected) {
    EXPECT_EQ(validate(coptersim::select_request(1, Selection::none, 3)).code(), ErrorCode::out_of_range);
    EXPECT_EQ(validate(coptersim::select_request(1, static_cast<Selection>(3), 3)).code(),
              ErrorCode::out_of_range);
    EXPECT_EQ(validate(coptersim::select_request(1, Selection::model, -1)).code(), ErrorCode::bad_name);
}

TEST(Requests, UdpModes) {
    for (int number = 0; number <= 127; ++number) {
        UdpMode mode{};
        ASSERT_FALSE(coptersim::udp_mode_from(number, mode));
        EXPECT_EQ(static_cast<int>(mode), number);
    }
    UdpMode mode = UdpMode::mavlink_full;
    for (const int number : {-1, -128, 128, 256}) {
        EXPECT_EQ(coptersim::udp_mode_from(number, mode).code(), ErrorCode::out_of_range) << number;
        EXPECT_EQ(mode, UdpMode::mavlink_full) << "left untouched";
    }
    EXPECT_EQ(to_string(UdpMode::udp_full), "udp_full");
    EXPECT_EQ(to_string(UdpMode::redis_simple), "redis_simple");
    EXPECT_EQ(to_string(UdpMode::unchanged), "unchanged");
    EXPECT_EQ(to_string(static_cast<UdpMode>(9)), "mode 9");
    EXPECT_EQ(to_string(static_cast<UdpMode>(-2)), "mode -2");
}

TEST(Requests, AStreamToThisComputerFromThisComputerIsZeroAndNothingElseIs) {
    using coptersim::Stream;
    for (int wish = -128; wish <= 127; ++wish) {
        const Stream stream{static_cast<std::int8_t>(wish)};
        EXPECT_EQ(on_wire(stream, false), wish == 0 ? Stream::not_requested : stream);
        EXPECT_EQ(on_wire(stream, true), wish == 0  ? Stream::not_requested
                                         : wish > 0 ? Stream::same_computer
                                                    : stream);
    }
}

TEST(Requests, InWords) {
    EXPECT_EQ(describe(coptersim::place_request(3, coptersim::GroundPose{10.5, -20.25, 90})),
              "vehicle 3: put at 10.5 m north, -20.25 m east, yaw 90 degrees");
    EXPECT_EQ(
        describe(coptersim::place_request(3, coptersim::AirPose{1, 2, -15, 1.5, -2.5, 45})),
        "vehicle 3: put at 1 m north, 2 m east, yaw 45 degrees; -15 m down, roll 1.5, pitch -2.5 degrees");
    EXPECT_EQ(describe(coptersim::place_request(1, coptersim::GpsPose{40, 116, 180})),
              "vehicle 1: put at latitude 40, longitude 116, yaw 180 degrees");
    EXPECT_EQ(describe(coptersim::gps_origin_request(1, coptersim::GpsOrigin{40, 116, 43.5})),
              "vehicle 1: GPS origin at latitude 40, longitude 116, altitude 43.5 m");
    EXPECT_EQ(describe(coptersim::gps_display_request(1)), "vehicle 1: show latitude and longitude");
    EXPECT_EQ(describe(coptersim::xy_display_request(1)), "vehicle 1: show north and east");
    EXPECT_EQ(describe(coptersim::stream_request(1, false)), "vehicle 1: stream to this computer");
    EXPECT_EQ(describe(coptersim::udp_mode_request(1, UdpMode::mavlink_full)),
              "vehicle 1: UDP mode mavlink_full");
    EXPECT_EQ(describe(coptersim::udp_mode_request(1, UdpMode::unchanged)), "vehicle 1: nothing");
    EXPECT_EQ(describe(coptersim::select_request(2, Selection::model, 3)), "vehicle 2: model 3");
    EXPECT_EQ(describe(coptersim::select_request(-1, Selection::map, "Town")), "all vehicles: map \"Town\"");
    EXPECT_EQ(describe(SelectRequest{}), "vehicle 0: nothing");
}

// ---- addresses and routes

TEST(Addresses, Syntax) {
    EXPECT_EQ(vectors()["ip_syntax"].size(), 12U);
    for (const auto& vector : vectors()["ip_syntax"]) {
        const std::string text = vector["ip"];
        const auto address = coptersim::parse_address(text);
        EXPECT_EQ(address.has_value(), vector["valid"] == 1) << text;
        EXPECT_EQ(address ? to_string(*address) : text, text);
    }
    for (const char* text : {"1.2.3.04", "1.2.3.", ".1.2.3", "1.2.3.4444", "1.2.3.99999999999", "1,2,3,4",
                             "\xEF\xBC\x91.2.3.4", " 1.2.3.4"})
        EXPECT_FALSE(coptersim::parse_address(text)) << text;
    EXPECT_FALSE(coptersim::parse_address(std::string_view("1.2.3.4\0", 8)));
    EXPECT_EQ(to_string(coptersim::Endpoint{coptersim::loopback, 20002}), "127.0.0.1:20002");
}

TEST(Routes, AsTheVectorsSay) {
    EXPECT_EQ(vectors()["routing"].size(), 5U);
    for (const auto& vector : vectors()["routing"]) {
        json sends = json::array();
        for (const auto& to :
             coptersim::route(!vector["false_multicast"].get<bool>(), coptersim::multicast_group,
                              coptersim::parse_address(vector["known_ip"].get<std::string>()),
                              vector["copter_id"], coptersim::Ports{}))
            sends.push_back({to_string(to.address), to.port});
        EXPECT_EQ(sends, vector["sends"]) << vector["id"];
    }
}

TEST(Routes, VehiclePorts) {
    for (const auto& vector : vectors()["wake_requests"])
        EXPECT_EQ(coptersim::vehicle_port({}, vector["args"]["copter_id"]), vector["port"]);
    EXPECT_EQ(coptersim::vehicle_port({}, 17718), 65534);
    for (const std::int32_t id :
         {0, -1, 17719, std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::min()})
        EXPECT_FALSE(coptersim::vehicle_port({}, id)) << id;
    EXPECT_THAT(coptersim::route(false, coptersim::multicast_group, coptersim::loopback, 17719, {}),
                testing::ElementsAre(coptersim::Endpoint{coptersim::loopback, 20002}));
}

}  // namespace
