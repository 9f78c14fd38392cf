// finding.hpp - one thing that is wrong with a backend, in words for its author.
#pragma once

#include <cstdint>
#include <string>

struct Finding {
    std::string id;             // short and stable, for scripts: "specific-force-sign"
    std::string part;           // "wire", "clock" or "physics"
    std::string title;          // one sentence: what is wrong
    std::string seen;           // what was seen, with numbers
    std::string means;          // what it probably means
    std::string pilot;          // what the pilot sees in ArduPilot
    std::string change;         // what to change
    std::string line;           // the first line it was seen in; may be empty
    std::uint64_t times = 0;    // how often
    std::int64_t first_ns = 0;  // when first, on the clock of the recording
    std::int64_t last_ns = 0;   // when last
};
