// flight_reader.hpp - reads a recording's frames from its file, one at a time.
#pragma once

#include <optional>
#include <string>

#include "flight.hpp"
#include "recording.hpp"

class FlightReader {
  public:
    explicit FlightReader(bool repair) : reader_(repair) {}

    /// @return empty, or why not
    std::string open(const std::string& path) { return reader_.open(path); }

    /// Nothing at the end, or at damage (see problem()).
    std::optional<FlightFrame> next() {
        while (const auto record = reader_.next()) {
            if (auto frame = assembler_.add(*record)) return frame;
        }
        // What damage cut short is not a frame.
        return reader_.problem().empty() ? assembler_.finish() : std::nullopt;
    }

    [[nodiscard]] const std::string& problem() const { return reader_.problem(); }
    [[nodiscard]] double progress() const { return reader_.progress(); }
    [[nodiscard]] std::uint64_t skipped() const { return reader_.skipped(); }
    [[nodiscard]] const FlightCounts& counts() const { return assembler_.counts(); }

  private:
    RecordingReader reader_;
    FlightAssembler assembler_;
};
