// flight.cpp - fuzzes what the tools make of a recording that is sound as a file: any datagrams, in any order, at any time.
#include <ap_json/state_json.hpp>

#include "any_state.hpp"
#include "examine_flight.hpp"

namespace {

constexpr std::size_t most_records = 400;

class Recorder {
  public:
    explicit Recorder(fuzz::Input& input) : input_(input) {}

    std::vector<Record> record() {
        while (!input_.empty() && records_.size() < most_records) add();
        return std::move(records_);
    }

  private:
    void add() {
        static constexpr const char* fates[] = {"lost", "delayed", "truncated", "flipped,delayed",
                                                "duplicated"};
        const unsigned action = input_.byte();
        Record record;
        now_ += action < 240 ? 2500000 : any_interval();
        record.steady_ns = now_;
        record.wall_ns = 1774008000000000000 + now_;
        record.peer = action % 32 == 31 ? "another" : "sitl";
        if (action % 64 == 63) record.fate = fates[input_.byte() % std::size(fates)];
        switch (action % 8) {
            case 0:
                record.kind = Record::Kind::mark;
                record.bytes = input_.text();
                break;
            case 1:
            case 2:
            case 3:
                record.kind = Record::Kind::from_sitl;
                record.bytes = packet();
                break;
            default:
                record.kind = Record::Kind::from_backend;
                record.bytes = line(action % 8);
                break;
        }
        records_.push_back(record);
    }

    /// ns, up to 10 years at once.
    std::int64_t any_interval() {
        return static_cast<std::int64_t>(input_.number<std::uint64_t>() % 315576000000000000);
    }

    std::string packet() {
        const unsigned kind = input_.byte();
        if (kind == 255) return input_.text();
        if (kind >= 200) count_ = kind >= 250 ? input_.number<std::uint32_t>() : count_ + kind - 225;
        if (kind < 128) ++count_;
        std::string bytes;
        const auto put = [&bytes](unsigned value) {
            bytes += static_cast<char>(value & 255);
            bytes += static_cast<char>(value >> 8 & 255);
        };
        put(kind % 8 == 7 ? ap_json::magic_32_channels : ap_json::magic_16_channels);
        put(400);
        put(count_ & 0xFFFF);
        put(count_ >> 16);
        const unsigned pwm = kind % 16 == 9 ? input_.number<std::uint16_t>() : 1500U;
        for (unsigned i = 0; i < (kind % 8 == 7 ? 32U : 16U); ++i) put(pwm + 10 * i);
        return bytes;
    }

    /// The next state's line; or any, the one before, the one before with a byte changed, or text.
    std::string line(unsigned kind) {
        if (kind == 7) return input_.text();
        if (kind == 6 && !line_.empty()) {
            const std::size_t at = input_.number<std::uint16_t>() % line_.size();
            const std::uint8_t byte = input_.byte();
            if (byte == 0) line_.resize(at);
            if (byte > 1 && at < line_.size()) line_[at] = static_cast<char>(byte);
            return line_;
        }
        ap_json::State state = kind == 5 ? fuzz::any_state(input_) : state_;
        time_ += 0.0025;
        state.timestamp += time_;
        if (kind == 4) {
            state_.velocity.x += input_.number<std::int8_t>() / 100.0;
            state_.position.x += state_.velocity.x * 0.0025;
            state_.attitude.yaw += input_.number<std::int8_t>() / 1000.0;
        }
        char buffer[ap_json::max_state_line];
        std::size_t length = 0;
        static_cast<void>(encode(state, buffer, sizeof buffer, length));
        return line_ = std::string(buffer, length);
    }

    fuzz::Input& input_;
    std::vector<Record> records_;
    std::int64_t now_ = 0;
    std::uint32_t count_ = 0;
    double time_ = 0;
    ap_json::State state_;
    std::string line_;
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const unsigned what = input.byte();
    Tolerances tolerances;
    if (what % 8 == 7) static_cast<void>(tolerances.set(input.text()));
    const std::vector<Record> records = Recorder(input).record();
    const auto clock = (what & 16) != 0 ? FlightClock::recording : FlightClock::simulated;
    const auto frames = fuzz::assemble(records, clock, (what & 32) != 0);
    fuzz::watch(records);
    fuzz::compare(frames, tolerances);
    return 0;
}
