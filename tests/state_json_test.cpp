// state_json_test.cpp - encode() and validate(): what is written is what SITL's search finds, to the last
// digit; what would harm is refused by name.
#include <gmock/gmock.h>

#include <ap_json/state_json.hpp>
#include <charconv>
#include <clocale>
#include <cmath>
#include <functional>
#include <limits>
#include <locale>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "sitl_search.hpp"

namespace {

using ap_json::encode;
using ap_json::ErrorCode;
using ap_json::max_state_line;
using ap_json::State;
using testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

std::string line_of(const State& state) {
    char buffer[max_state_line];
    std::size_t length = 0;
    const auto error = encode(state, buffer, sizeof buffer, length);
    EXPECT_FALSE(error) << error.message();
    return {buffer, length};
}

/// A double of any kind that a double can be, within the limit: whole, tiny, subnormal, with many digits.
double any_double(std::mt19937& random, double limit) {
    std::uniform_real_distribution<double> uniform(-limit, limit);
    switch (random() % 8) {
        case 0:
            return 0;
        case 1:
            return -0.0;
        case 2:
            return std::numeric_limits<double>::denorm_min() * static_cast<double>(1 + random() % 100);
        case 3:
            return std::ldexp(uniform(random), -static_cast<int>(random() % 1000));
        case 4:
            return std::round(uniform(random));
        case 5:
            return random() % 2 == 0 ? limit : -limit;
        default:
            return uniform(random);
    }
}

ap_json::Vector3 any_vector(std::mt19937& random, double limit) {
    return {any_double(random, limit), any_double(random, limit), any_double(random, limit)};
}

ap_json::Quaternion any_quaternion(std::mt19937& random) {
    std::normal_distribution<double> normal;
    double q[4] = {normal(random), normal(random), normal(random), normal(random)};
    const double norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    return {q[0] / norm, q[1] / norm, q[2] / norm, q[3] / norm};
}

/// A state that may be sent, with any subset of the optional parts.
State any_state(std::mt19937& random) {
    const auto coin = [&] { return random() % 2 == 0; };
    State state;
    state.timestamp = std::fabs(any_double(random, 1e9));
    state.gyro = any_vector(random, 35);
    state.specific_force = any_vector(random, 1e6);
    state.position = {any_double(random, 1e7), any_double(random, 1e7), any_double(random, 2e3)};
    state.velocity = any_vector(random, 1e5);
    state.attitude = {any_double(random, 4), any_double(random, 4), any_double(random, 4)};
    if (coin()) state.quaternion = any_quaternion(random);
    for (std::size_t i = 0; i < 6; ++i) {
        if (coin() && (i < 3 || state.range_finders[i - 3])) state.range_finders[i] = any_double(random, 1e7);
    }
    if (coin()) state.wind_vane = ap_json::WindVane{any_double(random, 7), any_double(random, 1e5)};
    if (coin()) state.wind = any_vector(random, 1e5);
    if (coin()) state.airspeed = any_double(random, 1e5);
    for (std::size_t i = 0; i < 12; ++i) {
        if (coin() && (i < 9 || state.rc[0])) state.rc[i] = static_cast<std::uint16_t>(800 + random() % 1401);
    }
    if (coin()) state.battery = ap_json::Battery{any_double(random, 1e4), any_double(random, 1e4)};
    if (coin())
        state.geodetic =
            ap_json::Geodetic{any_double(random, 90), any_double(random, 180), any_double(random, 2e3)};
    if (coin()) state.no_time_sync = coin();
    if (coin()) state.no_lockstep = coin();
    return state;
}

/// The keys that are set in a state, with their values, as sitl_search::search() names them. The values of a
/// computed attitude or quaternion are empty.
std::map<std::string, std::vector<double>> set_in(const State& s) {
    std::map<std::string, std::vector<double>> set;
    const auto list = [](const ap_json::Vector3& v) { return std::vector<double>{v.x, v.y, v.z}; };
    set["timestamp"] = {s.timestamp};
    set["imu.gyro"] = list(s.gyro);
    set["imu.accel_body"] = list(s.specific_force);
    set["position"] = list(s.position);
    set["velocity"] = list(s.velocity);
    bool any_range = false;
    for (std::size_t i = 0; i < 6; ++i) {
        if (s.range_finders[i]) set["rng_" + std::to_string(i + 1)] = {*s.range_finders[i]};
        any_range = any_range || s.range_finders[i];
    }
    if (s.quaternion) {
        set["attitude"] = {};
        set["quaternion"] = {s.quaternion->w, s.quaternion->x, s.quaternion->y, s.quaternion->z};
    } else {
        set["attitude"] = {s.attitude.roll, s.attitude.pitch, s.attitude.yaw};
        if (any_range) set["quaternion"] = {};
    }
    if (s.wind_vane) {
        set["windvane.direction"] = {s.wind_vane->direction};
        set["windvane.speed"] = {s.wind_vane->speed};
    }
    if (s.wind) set["velocity_wind"] = list(*s.wind);
    if (s.airspeed) set["airspeed"] = {*s.airspeed};
    for (std::size_t i = 0; i < 12; ++i) {
        if (s.rc[i]) set["rc.rc_" + std::to_string(i + 1)] = {static_cast<double>(*s.rc[i])};
    }
    if (s.battery) {
        set["battery.voltage"] = {s.battery->voltage};
        set["battery.current"] = {s.battery->current};
    }
    if (s.geodetic) {
        set["latitude"] = {s.geodetic->latitude};
        set["longitude"] = {s.geodetic->longitude};
        set["altitude"] = {s.geodetic->altitude};
    }
    if (s.no_time_sync) set["no_time_sync"] = {*s.no_time_sync ? 1.0 : 0.0};
    if (s.no_lockstep) set["no_lockstep"] = {*s.no_lockstep ? 1.0 : 0.0};
    return set;
}

std::vector<double> numbers_in(const nlohmann::json& value) {
    if (value.is_array()) return value.get<std::vector<double>>();
    if (value.is_boolean()) return {value.get<bool>() ? 1.0 : 0.0};
    return {value.get<double>()};
}

TEST(Encode, WritesTheSafeLine) {
    State state;
    state.timestamp = 2.5;
    EXPECT_EQ(
        line_of(state),
        "\n{\"timestamp\":2.5,\"imu\":{\"gyro\":[0,0,0],\"accel_body\":[0,0,-9.80665]},\"position\":[0,0,0],"
        "\"attitude\":[0,0,0],\"velocity\":[0,0,0]}\n");
}

/// The test that matters: SITL's own search finds exactly the keys that were set, with exactly their values.
TEST(Encode, SitlFindsExactlyWhatWasSet) {
    std::mt19937 random(2);
    for (int round = 0; round < 20000; ++round) {
        const State state = any_state(random);
        const std::string line = line_of(state);
        const auto expected = set_in(state);
        const auto found = sitl_search::search(line);
        ASSERT_EQ(found.size(), expected.size()) << line;
        for (const auto& [key, values] : expected) {
            const auto match = found.find(key);
            ASSERT_NE(match, found.end()) << key << " in " << line;
            if (!values.empty()) {
                ASSERT_EQ(match->second, values) << key << " in " << line;
            }
        }
    }
}

/// An independent reader of JSON agrees, and the form is the safe one.
TEST(Encode, IsJsonWithoutWhiteSpace) {
    std::mt19937 random(3);
    for (int round = 0; round < 5000; ++round) {
        const State state = any_state(random);
        const std::string line = line_of(state);
        ASSERT_EQ(line.front(), '\n');
        ASSERT_EQ(line.back(), '\n');
        const std::string inside = line.substr(1, line.size() - 2);
        ASSERT_EQ(inside.find_first_of(" \t\r\n"), std::string::npos) << inside;
        const auto document = nlohmann::json::parse(inside, nullptr, false);
        ASSERT_TRUE(document.is_object()) << inside;
        std::size_t leaves = 0;
        for (const auto& [key, value] : document.items()) {
            if (!value.is_object()) {
                ++leaves;
                continue;
            }
            leaves += value.size();
        }
        const auto expected = set_in(state);
        ASSERT_EQ(leaves, expected.size()) << inside;
        for (const auto& [key, values] : expected) {
            const auto dot = key.find('.');
            const auto& parent = dot == std::string::npos ? document : document.at(key.substr(0, dot));
            const auto& value = parent.at(dot == std::string::npos ? key : key.substr(dot + 1));
            if (!values.empty()) {
                ASSERT_EQ(numbers_in(value), values) << key << " in " << inside;
            }
        }
    }
}

State longest_state() {
    const double longest = -1.2345678901234567e-308;  // 24 characters, as many as a double can need
    State s;
    s.timestamp = -longest;
    s.gyro = s.specific_force = s.position = s.velocity = {longest, longest, longest};
    s.attitude = {longest, longest, longest};
    s.range_finders = {longest, longest, longest, longest, longest, longest};
    s.wind_vane = ap_json::WindVane{longest, longest};
    s.wind = s.gyro;
    s.airspeed = longest;
    for (auto& pulse : s.rc) pulse = std::uint16_t{2200};
    s.battery = ap_json::Battery{longest, longest};
    s.geodetic = ap_json::Geodetic{longest, longest, longest};
    s.no_time_sync = s.no_lockstep = false;
    return s;
}

TEST(Encode, TheLongestLineFits) { EXPECT_LE(line_of(longest_state()).size(), max_state_line); }

TEST(Encode, KeepsTheSignOfZero) {
    State state;
    state.velocity = {-0.0, 0.0, -0.0};
    EXPECT_THAT(line_of(state), HasSubstr("\"velocity\":[-0,0,-0]"));
}

/// Whatever the capacity: the whole line, or an error and not one byte beyond.
TEST(Encode, KeepsToTheCapacity) {
    State with_range;
    with_range.range_finders[0] = 1.5;
    for (const State& state : {State(), with_range, longest_state()}) {
        const std::string line = line_of(state);
        for (std::size_t capacity = 0; capacity <= max_state_line + 1; ++capacity) {
            std::string buffer(2 * max_state_line, '#');
            std::size_t length = 99;
            const auto error = encode(state, buffer.data(), capacity, length);
            if (capacity < line.size()) {
                ASSERT_EQ(error.code(), ErrorCode::buffer_too_small) << capacity;
                ASSERT_THAT(error.message(), HasSubstr(std::to_string(line.size())));
                ASSERT_EQ(length, 0U);
            } else {
                ASSERT_FALSE(error) << capacity;
                ASSERT_EQ(buffer.substr(0, length), line);
            }
            ASSERT_EQ(buffer.find_first_not_of('#', capacity), std::string::npos) << capacity;
        }
    }
}

class [[maybe_unused]] CommaPunctuation : public std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
};

TEST(Encode, IgnoresTheLocale) {
    State state;
    state.timestamp = 1234567.25;
    const std::string before = line_of(state);
#if defined(__cpp_rtti) || defined(_CPPRTTI)  // without, libstdc++ cannot use a facet of ours
    const std::locale old = std::locale::global(std::locale(std::locale::classic(), new CommaPunctuation));
#else
    const std::locale old = std::locale::classic();
#endif
    const bool comma = std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr;
    EXPECT_EQ(line_of(state), before);
    char buffer[max_state_line];
    std::size_t length = 0;
    state.timestamp = -0.5;
    const auto error = encode(state, buffer, sizeof buffer, length);
    EXPECT_THAT(error.message(), HasSubstr("-0.5"));
    std::locale::global(old);
    std::setlocale(LC_ALL, "C");
    if (!comma) GTEST_SKIP() << "the C library has no locale de_DE.UTF-8; checked with the C++ locale only";
}

// ---- what is refused

struct Field {
    const char* name;  // as in the message
    double limit;      // the largest value that is sent
    std::function<void(State&, double)> set;
};

std::vector<Field> fields() {
    return {
        {"timestamp", 1e9, [](State& s, double v) { s.timestamp = v; }},
        {"gyro.x", 35, [](State& s, double v) { s.gyro.x = v; }},
        {"gyro.y", 35, [](State& s, double v) { s.gyro.y = v; }},
        {"gyro.z", 35, [](State& s, double v) { s.gyro.z = v; }},
        {"specific_force.x", 1e6, [](State& s, double v) { s.specific_force.x = v; }},
        {"specific_force.y", 1e6, [](State& s, double v) { s.specific_force.y = v; }},
        {"specific_force.z", 1e6, [](State& s, double v) { s.specific_force.z = v; }},
        {"position.x", 1e7, [](State& s, double v) { s.position.x = v; }},
        {"position.y", 1e7, [](State& s, double v) { s.position.y = v; }},
        {"position.z", 5e4, [](State& s, double v) { s.position.z = v; }},
        {"velocity.x", 1e5, [](State& s, double v) { s.velocity.x = v; }},
        {"velocity.y", 1e5, [](State& s, double v) { s.velocity.y = v; }},
        {"velocity.z", 1e5, [](State& s, double v) { s.velocity.z = v; }},
        {"attitude.roll", 1e4, [](State& s, double v) { s.attitude.roll = v; }},
        {"attitude.pitch", 1e4, [](State& s, double v) { s.attitude.pitch = v; }},
        {"attitude.yaw", 1e4, [](State& s, double v) { s.attitude.yaw = v; }},
        {"rng_1", 1e7, [](State& s, double v) { s.range_finders[0] = v; }},
        {"rng_6", 1e7, [](State& s, double v) { s.range_finders = {1, 2, 3, 4, 5, v}; }},
        {"wind.x", 1e5,
         [](State& s, double v) {
             s.wind = ap_json::Vector3{v, 0, 0};
         }},
        {"wind.y", 1e5,
         [](State& s, double v) {
             s.wind = ap_json::Vector3{0, v, 0};
         }},
        {"wind.z", 1e5,
         [](State& s, double v) {
             s.wind = ap_json::Vector3{0, 0, v};
         }},
        {"wind_vane.direction", 1e4,
         [](State& s, double v) {
             s.wind_vane = ap_json::WindVane{v, 0};
         }},
        {"wind_vane.speed", 1e5,
         [](State& s, double v) {
             s.wind_vane = ap_json::WindVane{0, v};
         }},
        {"airspeed", 1e5, [](State& s, double v) { s.airspeed = v; }},
        {"battery.voltage", 1e4,
         [](State& s, double v) {
             s.battery = ap_json::Battery{v, 0};
         }},
        {"battery.current", 1e4,
         [](State& s, double v) {
             s.battery = ap_json::Battery{0, v};
         }},
        {"latitude", 90,
         [](State& s, double v) {
             s.geodetic = ap_json::Geodetic{v, 0, 0};
         }},
        {"longitude", 180,
         [](State& s, double v) {
             s.geodetic = ap_json::Geodetic{0, v, 0};
         }},
        {"altitude", 5e4,
         [](State& s, double v) {
             s.geodetic = ap_json::Geodetic{0, 0, v};
         }},
    };
}

void expect_refused(const State& state, ErrorCode code, const std::string& part, const std::string& value) {
    char buffer[max_state_line];
    std::size_t length = 99;
    const auto error = encode(state, buffer, sizeof buffer, length);
    EXPECT_EQ(error.code(), code) << error.message();
    EXPECT_EQ(length, 0U);
    EXPECT_THAT(error.message(), HasSubstr(part));
    EXPECT_THAT(error.message(), HasSubstr(value));
    EXPECT_EQ(validate(state).code(), code);
}

TEST(Refuse, EveryFieldThatIsNotFinite) {
    for (const Field& field : fields()) {
        for (const auto& [value, text] : {std::pair{nan, "nan"}, {infinity, "inf"}, {-infinity, "-inf"}}) {
            State state;
            field.set(state, value);
            expect_refused(state, ErrorCode::not_finite, field.name, text);
            EXPECT_THAT(validate(state).message(), testing::Not(HasSubstr("1970")));
        }
    }
}

/// "between -35 and 35", as the message says it.
std::string limits_of(const Field& field) {
    const auto text = [](double value) {
        char digits[32];
        return std::string(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
    };
    const std::string name = field.name;
    const double lowest = name == "timestamp" ? 0 : name == "altitude" ? -2000 : -field.limit;
    const double highest = name == "position.z" ? 2000 : field.limit;
    return "between " + text(lowest) + " and " + text(highest);
}

/// Good values beside a bad one do not hide it.
TEST(Refuse, EveryFieldAlsoBesideAllOthers) {
    State full = longest_state();
    full.quaternion.reset();
    ASSERT_FALSE(validate(full));
    for (const Field& field : fields()) {
        State state = full;
        field.set(state, nan);
        expect_refused(state, ErrorCode::not_finite, field.name, "nan");
    }
}

TEST(Refuse, EveryFieldThatIsTooLarge) {
    for (const Field& field : fields()) {
        const double beyond = std::nextafter(field.limit, infinity);
        for (double value : {beyond, -beyond, 1e30, -1e30, std::numeric_limits<double>::max()}) {
            State state;
            field.set(state, value);
            expect_refused(state, ErrorCode::out_of_range, field.name, limits_of(field));
        }
        State state;
        field.set(state, std::string(field.name) == "position.z" ? -field.limit : field.limit);
        EXPECT_FALSE(validate(state)) << field.name << ": " << validate(state).message();
    }
}

TEST(Refuse, TimesThatCannotBePhysicsTime) {
    State state;
    for (double time : {-std::numeric_limits<double>::denorm_min(), -1e-9, -1.0}) {
        state.timestamp = time;
        expect_refused(state, ErrorCode::out_of_range, "timestamp", "begin at 0");
    }
    state.timestamp = 1764522000;
    expect_refused(state, ErrorCode::out_of_range, "timestamp", "1970");
}

TEST(Refuse, DepthsBelowTheGroundThatEndSitl) {
    State state;
    state.position.z = 2000;
    EXPECT_FALSE(validate(state));
    state.position.z = std::nextafter(2000, infinity);
    expect_refused(state, ErrorCode::out_of_range, "position.z", "2000.0000");
    state.position.z = 0;
    state.geodetic = ap_json::Geodetic{0, 0, -2000};
    EXPECT_FALSE(validate(state));
    state.geodetic->altitude = -std::nextafter(2000, infinity);
    expect_refused(state, ErrorCode::out_of_range, "altitude", "-2000.0000");
}

TEST(Refuse, QuaternionsThatAreNoRotation) {
    for (const auto& q : {ap_json::Quaternion{0, 0, 0, 0},
                          {2, 0, 0, 0},
                          {0.5, 0.5, 0.5, 0.49},
                          {1, 0.05, 0, 0},
                          {1e200, 0, 0, 0}}) {
        State state;
        state.quaternion = q;
        expect_refused(state, ErrorCode::not_normalised, "quaternion", "norm");
    }
    for (double value : {nan, infinity, -infinity}) {
        const ap_json::Quaternion bad[] = {
            {value, 0, 0, 0}, {1, value, 0, 0}, {1, 0, value, 0}, {1, 0, 0, value}};
        const char* parts[] = {"quaternion.w", "quaternion.x", "quaternion.y", "quaternion.z"};
        for (int i = 0; i < 4; ++i) {
            State state;
            state.quaternion = bad[i];
            expect_refused(state, ErrorCode::not_finite, parts[i], "finite");
        }
    }
}

TEST(Refuse, ABadAttitudeDoesNotMatterBesideAQuaternion) {
    State state;
    state.attitude.roll = nan;
    state.quaternion = ap_json::Quaternion{};
    EXPECT_EQ(line_of(state).find("nan"), std::string::npos);
}

TEST(Refuse, PulsesThatAreNone) {
    for (int i = 0; i < 12; ++i) {
        for (int pulse : {0, 1, 799, 2201, 65535}) {
            State state;
            state.rc.fill(std::uint16_t{1500});
            state.rc[static_cast<std::size_t>(i)] = static_cast<std::uint16_t>(pulse);
            expect_refused(state, ErrorCode::out_of_range, "rc_" + std::to_string(i + 1) + " ",
                           std::to_string(pulse));
        }
    }
}

/// Every subset of the RC inputs: either SITL reads exactly that, or it is refused.
TEST(Refuse, RcInputsThatSitlWouldMisread) {
    for (unsigned subset = 0; subset < 4096; ++subset) {
        State state;
        for (unsigned i = 0; i < 12; ++i) {
            if ((subset >> i & 1) != 0) state.rc[i] = static_cast<std::uint16_t>(1000 + i);
        }
        const bool misread = (subset & 1) == 0 && (subset & 0xE00) != 0;
        EXPECT_EQ(validate(state).code(), misread ? ErrorCode::incomplete : ErrorCode::ok) << subset;
    }
}

TEST(Refuse, SaysWhatIsMissingBesideWhat) {
    for (std::size_t i = 3; i < 6; ++i) {
        State state;
        state.range_finders[i] = 1;
        EXPECT_THAT(validate(state).message(), HasSubstr("rng_" + std::to_string(i + 1) + " is set but rng_" +
                                                         std::to_string(i - 2) + " is not"));
    }
    for (std::size_t i = 9; i < 12; ++i) {
        State state;
        state.rc[i] = std::uint16_t{1500};
        EXPECT_THAT(validate(state).message(),
                    HasSubstr("rc_" + std::to_string(i + 1) + " is set but rc_1 is not"));
    }
}

/// The same for range finders: SITL hands over the fourth only beside the first, and so on.
TEST(Refuse, RangeFindersThatSitlWouldNotTake) {
    for (unsigned subset = 0; subset < 64; ++subset) {
        State state;
        for (unsigned i = 0; i < 6; ++i) {
            if ((subset >> i & 1) != 0) state.range_finders[i] = 1.0 + i;
        }
        const bool lost = ((subset >> 3) & ~subset & 7) != 0;
        EXPECT_EQ(validate(state).code(), lost ? ErrorCode::incomplete : ErrorCode::ok) << subset;
        if (!lost && subset != 0) {
            const std::string line = line_of(state);
            EXPECT_THAT(line, testing::AllOf(HasSubstr("\"attitude\""), HasSubstr("\"quaternion\"")));
        }
    }
}

// ---- attitude

using Matrix = std::array<std::array<double, 3>, 3>;

/// Body to NED, from the definition: yaw, then pitch, then roll.
Matrix matrix_of(const std::vector<double>& euler) {
    const double cr = std::cos(euler[0]), sr = std::sin(euler[0]), cp = std::cos(euler[1]),
                 sp = std::sin(euler[1]), cy = std::cos(euler[2]), sy = std::sin(euler[2]);
    return {{{cp * cy, sr * sp * cy - cr * sy, cr * sp * cy + sr * sy},
             {cp * sy, sr * sp * sy + cr * cy, cr * sp * sy - sr * cy},
             {-sp, sr * cp, cr * cp}}};
}

Matrix matrix_of_quaternion(const std::vector<double>& q) {
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    return {{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
             {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
             {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}

TEST(Attitude, BothFormsInALineAreTheSameRotation) {
    std::mt19937 random(4);
    for (int round = 0; round < 5000; ++round) {
        State state = any_state(random);
        state.range_finders[0] = 1;  // so that both are written
        const auto found = sitl_search::search(line_of(state));
        const Matrix a = matrix_of(found.at("attitude"));
        const Matrix b = matrix_of_quaternion(found.at("quaternion"));
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j < 3; ++j) ASSERT_NEAR(a[i][j], b[i][j], 1e-7) << round;
        }
    }
}

TEST(Attitude, NoseEastIsYawPlusNinety) {
    State state;
    state.quaternion = ap_json::Quaternion{std::sqrt(0.5), 0, 0, std::sqrt(0.5)};
    const auto attitude = sitl_search::search(line_of(state)).at("attitude");
    EXPECT_NEAR(attitude[0], 0, 1e-15);
    EXPECT_NEAR(attitude[1], 0, 1e-15);
    EXPECT_NEAR(attitude[2], std::acos(-1) / 2, 1e-15);
}

TEST(Attitude, StraightUpIsNoSpecialCase) {
    for (double up : {std::sqrt(0.5), -std::sqrt(0.5)}) {
        State state;
        state.quaternion = ap_json::Quaternion{std::sqrt(0.5), 0, up, 0};
        const auto attitude = sitl_search::search(line_of(state)).at("attitude");
        EXPECT_NEAR(std::fabs(attitude[1]), std::acos(-1) / 2, 1e-7);
    }
}

}  // namespace
