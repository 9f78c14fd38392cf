// examination.hpp - shows a record to the doctor.
#pragma once

#include "doctor.hpp"
#include "recording.hpp"

inline void examine(Doctor& doctor, const Record& record) {
    for (const char* fate : {"lost", "truncated", "flipped"}) {
        if (record.fate.find(fate) != std::string::npos) return;  // it did not arrive, or not as it was sent
    }
    if (record.kind == Record::Kind::from_backend) {
        doctor.line(record.bytes, record.steady_ns);
    } else if (record.kind == Record::Kind::from_sitl) {
        ap_json::ServoPacket packet;
        if (ap_json::decode(record.bytes.data(), record.bytes.size(), packet) == ap_json::ErrorCode::ok)
            doctor.packet(packet);
    }
}
