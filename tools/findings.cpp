// findings.cpp - see findings.hpp.
#include "findings.hpp"

#include <algorithm>

namespace {

constexpr std::size_t longest_line = 400;  // of an example, in characters

std::string shortened(const std::string& line) {
    std::string text;
    for (const char c : line.substr(0, longest_line)) {
        if (c == '\n') {
            text += "\\n";
        } else if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) {
            text += '?';
        } else {
            text += c;
        }
    }
    return line.size() > longest_line ? text + "..." : text;
}

}  // namespace

void Findings::add(const Kind& kind, const std::string& seen, const std::string& line, std::int64_t time_ns) {
    const auto known = std::find_if(all_.begin(), all_.end(),
                                    [&kind](const Finding& finding) { return finding.id == kind.id; });
    if (known != all_.end()) {
        ++known->times;
        known->last_ns = time_ns;
        return;
    }
    all_.push_back({kind.id, kind.part, kind.title, seen, kind.means, kind.pilot, kind.change,
                    shortened(line), 1, time_ns, time_ns});
}

std::uint64_t Findings::times(const char* id) const {
    const auto known =
        std::find_if(all_.begin(), all_.end(), [id](const Finding& finding) { return finding.id == id; });
    return known == all_.end() ? 0 : known->times;
}
