// arrivals.hpp - what a client's counters have to say, computed from the datagrams that reached its socket.
#pragma once

#include <ap_json/client.hpp>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace soak {

class Arrivals {
  public:
    void add(std::string_view datagram) { waiting_.push_back(kind_of(datagram)); }

    /// How many the client has not looked at yet.
    [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }

    /// Compares after a call of receive(), which looks at them in the order in which they came.
    /// @return empty, or which counter is wrong
    std::string compare(const ap_json::Statistics& statistics) {
        const std::uint64_t looked_at =
            statistics.received + statistics.rejected_length + statistics.rejected_magic;
        while (seen_ < looked_at) {
            if (waiting_.empty()) return "the client has counted more datagrams than there were";
            ++counts_[waiting_.front()];
            waiting_.pop_front();
            ++seen_;
        }
        if (statistics.received != counts_[packet]) return "the counter `received` is wrong";
        if (statistics.rejected_length != counts_[wrong_length])
            return "the counter `rejected_length` is wrong";
        if (statistics.rejected_magic != counts_[wrong_magic]) return "the counter `rejected_magic` is wrong";
        return {};
    }

  private:
    enum Kind : std::uint8_t { packet, wrong_length, wrong_magic };

    /// By the protocol, not by decode().
    static Kind kind_of(std::string_view datagram) {
        if (datagram.size() != 40 && datagram.size() != 72) return wrong_length;
        const std::string_view magic = datagram.substr(0, 2);
        if (magic == "\x1a\x48") return datagram.size() == 40 ? packet : wrong_length;
        if (magic == "\x81\x73") return datagram.size() == 72 ? packet : wrong_length;
        return wrong_magic;
    }

    std::deque<Kind> waiting_;
    std::uint64_t seen_ = 0;
    std::uint64_t counts_[3] = {};
};

}  // namespace soak
