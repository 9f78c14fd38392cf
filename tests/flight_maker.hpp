// flight_maker.hpp - makes up the records of a flight, for the tests of what reads them.
#pragma once

#include <ap_json/state_json.hpp>
#include <cstdint>
#include <flight.hpp>
#include <recording.hpp>
#include <string>
#include <vector>

inline std::string servo_packet(std::uint32_t count, std::uint16_t pwm = 1500, int channels = 16) {
    std::string bytes;
    const auto add = [&bytes](std::uint32_t value, int size) {
        for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
    };
    add(channels == 16 ? ap_json::magic_16_channels : ap_json::magic_32_channels, 2);
    add(400, 2);
    add(count, 4);
    for (int i = 0; i < channels; ++i) add(pwm, 2);
    return bytes;
}

inline std::string state_line(const ap_json::State& state) {
    char line[ap_json::max_state_line];
    std::size_t length = 0;
    (void)ap_json::encode(state, line, sizeof line, length);
    return {line, length};
}

inline std::string state_line(double timestamp) {
    ap_json::State state;
    state.timestamp = timestamp;
    return state_line(state);
}

/// Gathers records; each is a millisecond later than the one before.
class FlightMaker {
  public:
    FlightMaker& packet(std::uint32_t count, const std::string& peer = "127.0.0.1:40000",
                        const std::string& fate = "") {
        return add(Record::Kind::from_sitl, peer, servo_packet(count), fate);
    }
    FlightMaker& line(const std::string& bytes, const std::string& fate = "") {
        return add(Record::Kind::from_backend, "127.0.0.1:9002", bytes, fate);
    }
    FlightMaker& line(double timestamp, const std::string& fate = "") {
        return line(state_line(timestamp), fate);
    }
    FlightMaker& frame(std::uint32_t count, double timestamp) { return packet(count).line(timestamp); }
    FlightMaker& add(Record::Kind kind, const std::string& peer, const std::string& bytes,
                     const std::string& fate = "") {
        ns_ += 1000000;
        records_.push_back({kind, ns_, 1774008000000000000 + ns_, peer, bytes, fate});
        return *this;
    }

    [[nodiscard]] const std::vector<Record>& records() const { return records_; }

    /// What the assembler makes of them.
    std::vector<FlightFrame> frames(FlightAssembler& assembler) const {
        std::vector<FlightFrame> all;
        for (const Record& record : records_) {
            if (auto frame = assembler.add(record)) all.push_back(*frame);
        }
        if (auto frame = assembler.finish()) all.push_back(*frame);
        return all;
    }
    [[nodiscard]] std::vector<FlightFrame> frames() const {
        FlightAssembler assembler;
        return frames(assembler);
    }

  private:
    std::int64_t ns_ = 0;
    std::vector<Record> records_;
};
