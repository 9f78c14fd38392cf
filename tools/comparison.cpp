// comparison.cpp - see comparison.hpp.
#include "comparison.hpp"

#include <ap_json/sitl_reader.hpp>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace {

constexpr double turn = 6.283185307179586;
constexpr double infinite = std::numeric_limits<double>::infinity();

/// Slot of what concerns the line as a whole; the fields' are their indices plus 1.
constexpr std::size_t line_slot = 0;

std::optional<double> to_tolerance(const std::string& text) {
    // Not std::from_chars: the standard library of macOS has it for whole numbers only.
    if (text.empty() || text.find_first_not_of("0123456789.eE+-") != std::string::npos) return std::nullopt;
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (*end != '\0' || !(value >= 0) || std::isinf(value)) return std::nullopt;
    return value;
}

double plain_difference(double a, double b) {
    if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
    const double difference = std::fabs(a - b);
    if (std::isnan(difference)) return infinite;
    return difference;
}

/// q and -q are the same attitude: the sign with which the second is nearer to the first.
double nearer_sign(const double* a, const double* b) {
    double product = 0;
    for (int i = 0; i < 4; ++i) product += a[i] * b[i];
    return product < 0 ? -1 : 1;
}

}  // namespace

double angle_difference(double a, double b) {
    const double difference = plain_difference(a, b);
    return std::isfinite(difference) ? std::fabs(std::remainder(difference, turn)) : difference;
}

std::string Tolerances::set(const std::string& text) {
    const auto equals = text.find('=');
    const auto value = to_tolerance(equals == std::string::npos ? text : text.substr(equals + 1));
    if (!value) {
        return "\"" + text +
               "\" is no tolerance: it has to be a number that is not negative, such as 1e-6, or a field "
               "and such a number, such as position=0.01";
    }
    if (equals == std::string::npos) {
        relative_ = *value;
        absolute_ = std::min(absolute_, *value);  // 0 means that not a bit may differ
        return {};
    }
    const std::string name = text.substr(0, equals);
    if (name == "servo") {
        servo_ = *value;
        return {};
    }
    const int index = find_state_field(name);
    if (index >= 0) {
        fields_[static_cast<std::size_t>(index)] = *value;
        return {};
    }
    std::string known = "servo";
    for (const StateField& field : state_fields()) known += ", " + field.name;
    return "\"" + name + "\" is no field; the fields are " + known;
}

double Tolerances::of_state(std::size_t field, double recorded) const {
    const auto found = fields_.find(field);
    if (found != fields_.end()) return found->second;
    return std::isfinite(recorded) ? absolute_ + relative_ * std::fabs(recorded) : 0;
}

void Comparison::compare(const ComparedFrame& frame, const StateAnswer& recorded, const StateAnswer& now) {
    ++frames_;
    frame_differs_ = false;
    ++results_[line_slot].compared;
    if (recorded.accepted() && !now.accepted()) {
        Difference difference;
        difference.frame = frame;
        difference.field = "the line";
        difference.problem =
            "SITL would not take it over (" + std::string(to_string(now.verdict)) + "): " + now.advice;
        note_problem(line_slot, difference);
    } else {
        for (std::size_t i = 0; i < state_fields().size(); ++i) compare_field(frame, i, recorded, now);
    }
    if (frame_differs_) ++different_frames_;
}

void Comparison::compare_field(const ComparedFrame& frame, std::size_t index, const StateAnswer& recorded,
                               const StateAnswer& now) {
    const bool was = has_field(recorded.fields, index);
    const bool is = has_field(now.fields, index);
    if (!was && !is) return;
    const StateField& field = state_fields()[index];
    if (was != is) {
        Difference difference;
        difference.frame = frame;
        difference.field = field.name;
        difference.problem = was ? "recorded, but not in the line now" : "in the line now, but not recorded";
        return note_problem(index + 1, difference);
    }
    double a[most_parts] = {};
    double b[most_parts] = {};
    field.read(recorded.state, a);
    field.read(now.state, b);
    const double sign = field.kind == StateField::Kind::quaternion ? nearer_sign(a, b) : 1;
    std::vector<Difference> parts(field.parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        Difference& part = parts[i];
        part.frame = frame;
        part.unit = field.unit;
        part.recorded = a[i];
        part.now = b[i];
        part.difference = field.kind == StateField::Kind::angle ? angle_difference(a[i], b[i])
                                                                : plain_difference(a[i], sign * b[i]);
        part.allowed = tolerances_.of_state(index, a[i]);
        if (part.difference > 0) part.field = field.part_name(i);
    }
    note(index + 1, field.name, parts);
}

void Comparison::compare(const ComparedFrame& frame, const ap_json::ServoPacket& recorded,
                         const ap_json::ServoPacket& now) {
    ++frames_;
    frame_differs_ = false;
    for (std::size_t i = 0; i < recorded.pwm.size(); ++i) {
        if (recorded.pwm[i] == 0 && now.pwm[i] == 0) continue;
        std::vector<Difference> one(1);
        one[0].frame = frame;
        one[0].field = "servo " + std::to_string(i + 1);
        one[0].unit = "us";
        one[0].recorded = recorded.pwm[i];
        one[0].now = now.pwm[i];
        one[0].difference = plain_difference(recorded.pwm[i], now.pwm[i]);
        one[0].allowed = tolerances_.of_servo();
        note(i + 1, one[0].field, one);
    }
    if (frame_differs_) ++different_frames_;
}

/// Takes the parts of one field in one frame.
void Comparison::note(std::size_t slot, const std::string& field, std::vector<Difference>& parts) {
    FieldResult& result = results_[slot];
    if (result.compared++ == 0) {
        result.field = result.largest.field = field;
        result.largest.unit = parts.front().unit;
    }
    bool differs = false;
    for (Difference& part : parts) {
        if (part.difference > result.largest.difference) result.largest = part;
        if (part.difference <= part.allowed) continue;
        differs = true;
        if (!first_) first_ = part;
    }
    if (!differs) return;
    ++result.different;
    frame_differs_ = true;
}

void Comparison::note_problem(std::size_t slot, const Difference& difference) {
    FieldResult& result = results_[slot];
    if (slot != line_slot) ++result.compared;
    ++result.different;
    result.field = difference.field;
    if (result.largest.problem.empty()) {
        result.largest = difference;
        result.largest.difference = infinite;
    }
    frame_differs_ = true;
    if (!first_) first_ = difference;
}

std::vector<FieldResult> Comparison::fields() const {
    std::vector<FieldResult> all;
    for (const auto& [slot, result] : results_) {
        if (!result.field.empty()) all.push_back(result);
    }
    return all;
}
