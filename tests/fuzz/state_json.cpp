// state_json.cpp - fuzzes encode() with arbitrary states: either an error that names the field, or a line that a JSON
// parser takes, that SITL's reader accepts, and in which both find exactly what was meant.
#include <ap_json/sitl_reader.hpp>
#include <ap_json/state_json.hpp>
#include <nlohmann/json.hpp>

#include "any_state.hpp"
#include "same_state.hpp"

using ap_json::State;
using fuzz::check;

namespace {

void check_refusal(const ap_json::Error& error, std::size_t length) {
    static constexpr const char* fields[] = {
        "timestamp",  "gyro",     "specific_force", "position", "velocity", "attitude",
        "quaternion", "rng_",     "wind",           "airspeed", "rc_",      "battery",
        "wind_vane",  "latitude", "longitude",      "altitude"};
    const std::string message = error.message();
    bool names_field = false;
    for (const char* field : fields) names_field = names_field || message.rfind(field, 0) == 0;
    check(names_field, "the message begins with the field");
    check(length == 0, "no line after an error");
}

/// What encode() adds: SITL reads some range finders only beside a quaternion.
State as_sent(const State& state, const State& read) {
    State sent = state;
    bool any_range = false;
    for (const auto& range : state.range_finders) any_range = any_range || range;
    if (state.quaternion) {
        sent.attitude = read.attitude;  // computed
    } else if (any_range) {
        sent.quaternion = read.quaternion;
    }
    return sent;
}

void check_attitude(const State& state, const State& read) {
    const auto turn = [](const ap_json::Quaternion& a, const ap_json::Quaternion& b) {
        const double product = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
        return product * product;  // 1 when they are the same rotation, up to what the norms differ
    };
    const auto meant = state.quaternion.value_or(ap_json::to_quaternion(state.attitude));
    check(std::fabs(turn(meant, ap_json::to_quaternion(read.attitude)) - 1) < 0.01, "the attitude is that");
    if (read.quaternion) check(std::fabs(turn(meant, *read.quaternion) - 1) < 0.01, "the quaternion is that");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const State state = fuzz::any_state(input);
    char line[ap_json::max_state_line];
    std::size_t length = 77;
    if (const auto error = encode(state, line, sizeof line, length)) {
        check_refusal(error, length);
        check(validate(state).code() == error.code(), "validate() says the same");
        return 0;
    }
    check(!validate(state), "validate() says the same");
    check(length > 2 && length <= ap_json::max_state_line, "the length");
    check(line[0] == '\n' && line[length - 1] == '\n', "newlines around the line");
    check(nlohmann::json::accept(line, line + length), "it is JSON");

    ap_json::SitlReader reader;
    check(reader.feed(line, length) == ap_json::SitlVerdict::accepted, "SITL accepts what encode() does");
    check(fuzz::same(as_sent(state, reader.state()), reader.state()), "SITL reads what was meant");
    check_attitude(state, reader.state());

    std::string small(length, '?');
    std::size_t small_length = 0;
    check(!encode(state, small.data(), length, small_length) && small == std::string(line, length),
          "a buffer of that size suffices");
    check(
        encode(state, small.data(), length - 1, small_length).code() == ap_json::ErrorCode::buffer_too_small,
        "a smaller one does not");
    return 0;
}
