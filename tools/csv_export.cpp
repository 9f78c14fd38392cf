// csv_export.cpp - see csv_export.hpp.
#include "csv_export.hpp"

#include <ap_json/frame_tracker.hpp>

#include "number_text.hpp"

namespace {

std::string with_unit(const std::string& name, const std::string& unit) {
    return unit.empty() ? name : name + " [" + unit + "]";
}

}  // namespace

std::string csv_header() {
    std::string row =
        "time [s],recorded [s],answer_time [s],frame_count,frame_rate [Hz],kind,missed,repeats,verdict";
    for (const StateField& field : state_fields()) {
        for (std::size_t i = 0; i < field.parts.size(); ++i)
            row += "," + with_unit(field.part_name(i), field.unit);
    }
    for (std::size_t i = 1; i <= ap_json::ServoPacket::max_channels; ++i)
        row += "," + with_unit("servo_" + std::to_string(i), "us");
    return row + "\n";
}

std::string csv_row(const FlightFrame& frame) {
    if (!frame.answered) return {};
    const auto seconds = [](std::int64_t ns) { return exact_text(static_cast<double>(ns) / 1e9); };
    std::string row = exact_text(frame.time) + "," + seconds(frame.asked_ns) + ",";
    if (frame.has_servos) {
        row += seconds(frame.answered_ns - frame.asked_ns) + "," + std::to_string(frame.servos.frame_count) +
               "," + std::to_string(frame.servos.frame_rate) + "," + to_string(frame.kind) + "," +
               std::to_string(frame.missed) + "," + std::to_string(frame.repeats);
    } else {
        row += ",,,,,";
    }
    row += std::string(",") + to_string(frame.answer.verdict);
    const auto& fields = state_fields();
    for (std::size_t i = 0; i < fields.size(); ++i) {
        double values[most_parts] = {};
        const bool present = has_field(frame.answer.fields, i);
        if (present) fields[i].read(frame.answer.state, values);
        for (std::size_t part = 0; part < fields[i].parts.size(); ++part)
            row += present ? "," + exact_text(values[part]) : ",";
    }
    for (std::size_t i = 0; i < ap_json::ServoPacket::max_channels; ++i)
        row +=
            frame.has_servos && i < frame.servos.channels ? "," + std::to_string(frame.servos.pwm[i]) : ",";
    return row + "\n";
}
