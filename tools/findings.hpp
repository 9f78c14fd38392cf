// findings.hpp - collects findings: the same one many times is one finding with a count.
#pragma once

#include <string>
#include <vector>

#include "finding.hpp"

class Findings {
  public:
    /// The texts of a kind of finding; what was seen is told by each occurrence.
    struct Kind {
        const char* id;
        const char* part;
        const char* title;
        const char* means;
        const char* pilot;
        const char* change;
    };

    /// Counts an occurrence; only the first one's words and line are kept.
    void add(const Kind& kind, const std::string& seen, const std::string& line, std::int64_t time_ns);

    /// The number of occurrences so far.
    [[nodiscard]] std::uint64_t times(const char* id) const;

    [[nodiscard]] const std::vector<Finding>& all() const { return all_; }

  private:
    std::vector<Finding> all_;
};
