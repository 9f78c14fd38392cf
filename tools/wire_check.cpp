// wire_check.cpp - see wire_check.hpp. What SITL does with a line was measured with the real one; its reader's
// faults are in ap_json::SitlReader.
#include "wire_check.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "state_fields.hpp"

using ap_json::SitlReader;
using ap_json::SitlVerdict;
using ap_json::State;
using nlohmann::json;

namespace {

using Kind = Findings::Kind;

constexpr const char* sitl_waits =
    "SITL repeats its packet and waits: \"No JSON sensor message received\" for ever.";
constexpr const char* sitl_dies = "SITL ends with a floating point exception. One such line is enough.";

constexpr Kind no_leading_newline = {
    "no-leading-newline",
    "wire",
    "The line does not begin with a newline.",
    "SITL reads what is between the last two newlines in its buffer.",
    "The first line is rejected: SITL asks again, and the link starts only when the backend answers that.",
    "Begin each datagram with a newline: \\n{...}\\n"};
constexpr Kind no_trailing_newline = {"no-trailing-newline",
                                      "wire",
                                      "The line does not end with a newline.",
                                      "SITL reads what is between the last two newlines in its buffer: it "
                                      "gets each line with the next one only.",
                                      "Everything acts one step late, or SITL waits for ever.",
                                      "End each datagram with a newline: \\n{...}\\n"};
constexpr Kind newline_inside = {
    "newline-inside",
    "wire",
    "There are newlines inside the object.",
    "The JSON is printed with indentation; SITL reads only what follows the last newline but one.",
    sitl_waits,
    "Write the object on one line, without white space."};
constexpr Kind several_lines = {"several-lines",
                                "wire",
                                "There are several lines in a datagram.",
                                "SITL reads the last one only, and counts one frame.",
                                "States are lost; time moves in larger steps.",
                                "Answer each servo packet with one line."};
constexpr Kind not_json = {
    "not-json",
    "wire",
    "The line is not JSON.",
    "Text is missing, or doubled, or a number has a decimal comma.",
    "SITL searches for key names and may take something else for a value.",
    "Write it with a JSON library in the C locale, and look at it with a JSON parser."};
constexpr Kind not_a_number = {"not-a-number",
                               "wire",
                               "A value is not a number.",
                               "The physics has diverged, or divides by zero (a step of 0, a vector of "
                               "length 0), or a sensor has nothing to say.",
                               sitl_dies,
                               "Check values with isfinite() before sending; leave out what is unknown."};
constexpr Kind too_large = {"value-too-large",
                            "wire",
                            "A value is too large for SITL.",
                            "The physics has diverged, or the unit is another one.",
                            sitl_dies,
                            "Bound what is sent to what the vehicle can do."};
constexpr Kind missing_field = {"missing-field",
                                "wire",
                                "A mandatory field is missing.",
                                "timestamp, imu.gyro, imu.accel_body, position, velocity, and attitude or "
                                "quaternion have to be in each line.",
                                sitl_waits,
                                "Send all of them in each line."};
constexpr Kind wrong_type = {
    "wrong-type",
    "wire",
    "A field has the wrong type.",
    "Vectors are arrays of three numbers, a quaternion of four, the others numbers; flags are true or false.",
    "SITL takes the next digits in the text for the value, wherever they are, or stops reading the line "
    "there.",
    "Send numbers as numbers, without quotes."};
constexpr Kind misread = {
    "misread",
    "wire",
    "SITL reads another value than the line has.",
    "SITL does not parse JSON: it searches for the name, and takes the first place where that occurs, also "
    "inside of "
    "another key, an object or a text.",
    "A value jumps to that of something else.",
    "Rename or remove what contains the name, and keep this order: timestamp, imu, position, attitude, "
    "quaternion, "
    "velocity, then the rest; velocity_wind after velocity, rc_10 after rc_1, airspeed after windvane."};
constexpr Kind mistaken_key = {"mistaken-key",
                               "wire",
                               "SITL takes something else in the line for a field.",
                               "A key or a text contains the name of a field that is not sent itself.",
                               "A sensor appears that nobody sends.",
                               "Rename or remove what contains the name."};
constexpr Kind flag_after_space = {
    "flag-after-space",
    "wire",
    "A flag is read as false.",
    "SITL reads true only directly behind the colon; here is white space.",
    "The flag has no effect.",
    "Write \"no_time_sync\":true without a space (in Python: json.dumps(..., separators=(',', ':')))."};
constexpr Kind range_finder_not_taken = {
    "range-finder-not-taken",
    "wire",
    "SITL does not take over a range finder.",
    "SITL takes rng_1 only beside attitude, rng_2 only beside quaternion, and rng_4, 5, 6 only beside rng_1, "
    "2, 3.",
    "The range finder shows no distance.",
    "Send attitude as well as quaternion, and fill gaps between the range finders."};
constexpr Kind geodetic_incomplete = {
    "geodetic-incomplete",
    "wire",
    "The geodetic position is not complete.",
    "SITL uses latitude, longitude and altitude only when all three are there.",
    "They have no effect.",
    "Send all three, or none."};
constexpr Kind too_long = {"too-long",
                           "wire",
                           "The line is very long.",
                           "SITL's buffer holds 65000 bytes; the network may drop what is longer than 1472.",
                           "SITL slows down, or gets nothing.",
                           "Send only what SITL reads."};
constexpr Kind rejected = {"rejected",
                           "wire",
                           "SITL rejects the line.",
                           "It lacks something that SITL looks for.",
                           sitl_waits,
                           "See the line; the stand-in says why."};

constexpr std::size_t longest_good_line = 1472;  // bytes, what fits into one Ethernet frame

using Values = std::vector<double>;

/// What SITL does not accept a line without.
bool is_required(const StateField& field) {
    constexpr std::string_view required[] = {"timestamp", "imu.gyro", "imu.accel_body", "velocity"};
    return std::find(std::begin(required), std::end(required), field.name) != std::end(required);
}

Values values_of(const StateField& field, const State& state) {
    Values values(field.parts.size());
    field.read(state, values.data());
    return values;
}

const json* find(const json& document, const StateField& field) {
    const json* parent = &document;
    const std::size_t point = field.name.find('.');
    if (point != std::string::npos) {
        const auto section = document.find(field.name.substr(0, point));
        if (section == document.end() || !section->is_object()) return nullptr;
        parent = &*section;
    }
    const auto value = parent->find(field.name.substr(point + 1));  // npos + 1 is 0
    return value == parent->end() ? nullptr : &*value;
}

/// The numbers of a field; nothing when it has another type.
std::optional<Values> numbers(const json& value, const StateField& field) {
    if (field.kind == StateField::Kind::flag) {
        if (value.is_boolean()) return Values{value.get<bool>() ? 1.0 : 0.0};
        if (value.is_number()) return Values{value.get<double>() != 0 ? 1.0 : 0.0};
        return std::nullopt;
    }
    if (field.parts.size() == 1)
        return value.is_number() ? std::optional(Values{value.get<double>()}) : std::nullopt;
    if (!value.is_array() || value.size() != field.parts.size()) return std::nullopt;
    Values result;
    for (const json& part : value) {
        if (!part.is_number()) return std::nullopt;
        result.push_back(part.get<double>());
    }
    return result;
}

bool same(const Values& a, const Values& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) {
               return x == y || std::fabs(x - y) <= 1e-9 * std::max(std::fabs(x), std::fabs(y));
           });
}

std::string text_of(const Values& v) {
    json list = v;
    return v.size() == 1 ? list[0].dump() : list.dump();
}

/// The text outside of quotes, in lower case.
std::string bare_text(const std::string& line) {
    std::string bare;
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (quoted && line[i] == '\\') {
            ++i;
        } else if (line[i] == '"') {
            quoted = !quoted;
            bare += '"';
        } else if (!quoted) {
            bare += static_cast<char>(std::tolower(static_cast<unsigned char>(line[i])));
        }
    }
    return bare;
}

std::string word_that_is_no_number(const std::string& line) {
    const std::string bare = bare_text(line);
    for (const char* word : {"-nan", "nan", "-inf", "inf", "null"}) {
        if (bare.find(word) != std::string::npos) return word;
    }
    return {};
}

/// One datagram, looked at from all sides.
class Look {
  public:
    Look(Findings& findings, const std::string& datagram, std::int64_t time_ns)
        : findings_(findings), datagram_(datagram), time_ns_(time_ns) {}

    void newlines() {
        if (datagram_.empty() || datagram_.front() != '\n')
            add(no_leading_newline, "it begins with " + quoted(0));
        if (datagram_.empty() || datagram_.back() != '\n') {
            add(no_trailing_newline, "it ends with " + (datagram_.empty() ? std::string("nothing")
                                                                          : quoted(datagram_.size() - 1)));
        }
        const std::size_t begin = datagram_.find_first_not_of('\n');
        const std::size_t end = datagram_.find_last_not_of('\n');
        body_ = begin == std::string::npos ? "" : datagram_.substr(begin, end - begin + 1);
        const std::size_t inner = body_.find('\n');
        if (inner == std::string::npos) return;
        const json first = json::parse(body_.substr(0, inner), nullptr, false);
        if (first.is_object()) {
            add(several_lines, std::to_string(1 + std::count(body_.begin(), body_.end(), '\n')) + " lines");
            body_ = body_.substr(body_.rfind('\n') + 1);
        } else {
            add(newline_inside,
                std::to_string(std::count(body_.begin(), body_.end(), '\n')) + " newlines inside");
        }
    }

    void length() {
        if (datagram_.size() > longest_good_line) add(too_long, std::to_string(datagram_.size()) + " bytes");
    }

    /// @return whether it is a JSON object
    bool parse() {
        const std::string word = word_that_is_no_number(body_);
        if (!word.empty()) add(not_a_number, "the line contains " + word);
        document_ = json::parse(body_, nullptr, false);
        if (document_.is_object()) return true;
        if (word.empty())
            add(not_json, body_.empty() ? "there is nothing in it" : "a JSON parser refuses it");
        return false;
    }

    void fields() {
        bool any_attitude = false;
        for (const StateField& field : state_fields()) {
            const json* value = find(document_, field);
            if (value == nullptr) {
                if (is_required(field)) add(missing_field, "there is no " + field.key);
                continue;
            }
            if (field.name == "attitude" || field.name == "quaternion") any_attitude = true;
            if (!numbers(*value, field) && !contains_null(*value)) {
                std::string shown = value->is_structured() && value->size() > 8
                                        ? "..."
                                        : value->dump(-1, ' ', true, json::error_handler_t::replace);
                if (shown.size() > 60) shown = shown.substr(0, 60) + "...";
                add(wrong_type, field.key + " is " + shown);
            }
        }
        if (!any_attitude) add(missing_field, "there is neither attitude nor quaternion");
        const auto has = [this](const char* key) { return document_.contains(key); };
        const int geodetic = int{has("latitude")} + int{has("longitude")} + int{has("altitude")};
        if (geodetic != 0 && geodetic != 3)
            add(geodetic_incomplete, std::to_string(geodetic) + " of the three are there");
        if (!has("position") && geodetic != 3) add(missing_field, "there is no position");
        range_finders();
    }

    /// What SITL took, against what the line says.
    void taken(const SitlReader& reader) {
        const std::vector<std::string> keys = reader.keys();
        for (const StateField& field : state_fields()) {
            const bool found = std::find(keys.begin(), keys.end(), field.key) != keys.end();
            const json* value = find(document_, field);
            if (value == nullptr) {
                if (found)
                    add(mistaken_key, "SITL finds " + field.key + " = " +
                                          text_of(values_of(field, reader.state())) + ", which is not sent");
                continue;
            }
            const auto meant = numbers(*value, field);
            if (!meant || !found) continue;
            const Values read = values_of(field, reader.state());
            if (same(*meant, read)) continue;
            if (field.kind == StateField::Kind::flag) {
                add(flag_after_space, field.key + " is " + (meant->front() != 0 ? "true" : "false") +
                                          " in the line, and SITL reads the other");
            } else {
                add(misread,
                    field.key + " is " + text_of(*meant) + " in the line, and SITL reads " + text_of(read));
            }
        }
    }

    void verdict(SitlVerdict verdict, const SitlReader& reader) {
        if (verdict == SitlVerdict::fatal && findings_.times(not_a_number.id) == 0)
            add(too_large, reader.advice());
        const bool refused = verdict == SitlVerdict::rejected || verdict == SitlVerdict::incomplete;
        if (refused && added_ == 0) add(rejected, reader.advice());
    }

    [[nodiscard]] bool values_are_right() const { return values_are_right_; }

  private:
    void add(const Kind& kind, const std::string& seen) {
        ++added_;
        const Kind* const harmless[] = {&no_leading_newline,  &too_long,
                                        &flag_after_space,    &mistaken_key,
                                        &geodetic_incomplete, &range_finder_not_taken};
        if (std::find(std::begin(harmless), std::end(harmless), &kind) == std::end(harmless))
            values_are_right_ = false;
        findings_.add(kind, seen, datagram_, time_ns_);
    }

    [[nodiscard]] std::string quoted(std::size_t at) const {
        if (at >= datagram_.size()) return "nothing";
        const auto byte = static_cast<unsigned char>(datagram_[at]);
        return byte > 0x20 && byte < 0x7f ? "'" + std::string(1, datagram_[at]) + "'"
                                          : "byte " + std::to_string(byte);
    }

    static bool contains_null(const json& value) {
        if (value.is_null()) return true;
        return value.is_array() &&
               std::any_of(value.begin(), value.end(), [](const json& v) { return v.is_null(); });
    }

    void range_finders() {
        const auto has = [this](const std::string& key) { return document_.contains(key); };
        constexpr const char* needs[] = {"attitude", "quaternion", nullptr, "rng_1", "rng_2", "rng_3"};
        for (int i = 0; i < 6; ++i) {
            const std::string name = "rng_" + std::to_string(i + 1);
            if (needs[i] == nullptr || !has(name) || has(needs[i])) continue;
            // With attitude and quaternion both there SITL takes them all.
            add(range_finder_not_taken, name + " is sent without " + needs[i]);
        }
    }

    Findings& findings_;
    const std::string& datagram_;
    std::int64_t time_ns_;
    std::string body_;
    json document_;
    int added_ = 0;
    bool values_are_right_ = true;
};

}  // namespace

bool WireCheck::add(const std::string& datagram, SitlVerdict verdict, const SitlReader& reader,
                    std::int64_t time_ns) {
    Look look(findings_, datagram, time_ns);
    look.newlines();
    look.length();
    if (look.parse()) {
        look.fields();
        // Without the newline at its end SITL has taken the line before.
        if (verdict == SitlVerdict::accepted && datagram.back() == '\n') look.taken(reader);
    }
    look.verdict(verdict, reader);
    return look.values_are_right();
}
