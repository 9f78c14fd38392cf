// sitl_reader.hpp - reads state lines the way ArduPilot SITL does, faults included: a search for key names in
// the text between the last two newlines of its buffer. For tests and tools; part of the target
// ap_json::sitl_stand_in. Pure: no socket, no clock.
//
// Behaviour measured with ArduPilot master of March 2026. Known differences: SITL computes in single
// precision, this reader keeps doubles; SITL's crashes are reported as `fatal` by rule of thumb (a value that
// is not finite, or far too large), not reproduced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ap_json/export.hpp"
#include "ap_json/state.hpp"

namespace ap_json {

/// What SITL would do with what has been fed to it.
enum class SitlVerdict : std::uint8_t {
    accepted,    ///< the line was taken over; the frame count rises
    rejected,    ///< the line lacks something; it stays in the buffer, and the same frame is asked for again
    incomplete,  ///< no text between two newlines yet; the same frame is asked for again
    full,        ///< the buffer is full of rejected lines: nothing is ever read again until SITL is restarted
    fatal,       ///< the line was taken over, and SITL would die of it
};

/// The name of a verdict, as in the enumeration. Never null.
[[nodiscard]] AP_JSON_API const char* to_string(SitlVerdict verdict) noexcept;

/// SITL's reader of state lines, with its buffer. One object is one SITL process. Thread rule: one thread at a time.
class AP_JSON_API SitlReader {
  public:
    /// Size of SITL's buffer in bytes.
    static constexpr std::size_t buffer_size = 65000;

    SitlReader();

    /// Takes one datagram, as SITL's socket would hand it over.
    SitlVerdict feed(const char* data, std::size_t size);

    /// What SITL has taken over so far. Optional parts are set once they have been seen, and then keep their
    /// last value, as in SITL; which of them the newest line had is in keys(). Numbers the search misread are
    /// here as SITL misread them.
    [[nodiscard]] const State& state() const noexcept { return state_; }

    /// The keys the search found in the newest accepted line, in SITL's order and spelling ("timestamp",
    /// "imu: gyro", ...).
    [[nodiscard]] std::vector<std::string> keys() const;

    /// Whether the newest line was accepted and had other keys than the one before. SITL then prints them.
    [[nodiscard]] bool keys_changed() const noexcept { return changed_; }

    /// What SITL's console says of the newest datagram; empty when nothing.
    [[nodiscard]] const std::vector<std::string>& console() const noexcept { return console_; }

    /// In words what is wrong with the newest datagram and what to do about it; empty when nothing.
    [[nodiscard]] const std::string& advice() const noexcept { return advice_; }

    /// Bytes in the buffer.
    [[nodiscard]] std::size_t buffered() const noexcept { return used_; }

    /// Forgets the keys seen, as SITL does when the physics' time goes back.
    void forget_keys() noexcept { found_ = 0; }

  private:
    SitlVerdict parse(const char* text);
    bool look_for_keys(const char* text, std::uint64_t& found);
    bool values_are_fatal();

    // Newlines are kept as zeros. What lies behind `used_` is left over from before; SITL reads some of it.
    std::vector<char> buffer_;
    std::size_t used_ = 0;
    State state_;
    std::uint64_t found_ = 0;  // in the newest accepted line; one bit for each key of the table in the .cpp
    bool changed_ = false;
    std::vector<std::string> console_;
    std::string advice_;
};

}  // namespace ap_json
