// wire_check.hpp - the doctor's look at each datagram: is it a line that SITL reads, and reads as it was meant?
#pragma once

#include <ap_json/sitl_reader.hpp>
#include <cstdint>
#include <string>

#include "findings.hpp"

class WireCheck {
  public:
    /// @param verdict  what the reader made of the datagram
    /// @return whether what SITL took is what the line says
    bool add(const std::string& datagram, ap_json::SitlVerdict verdict, const ap_json::SitlReader& reader,
             std::int64_t time_ns);

    [[nodiscard]] const Findings& findings() const { return findings_; }

  private:
    Findings findings_;
};
