// codec.cpp - encode, decode and track against what people write by hand, by Google Benchmark.
#include <benchmark/benchmark.h>

#include <ap_json/frame_tracker.hpp>
#include <ap_json/nlohmann.hpp>
#include <ap_json/servo_packet.hpp>
#include <ap_json/state_json.hpp>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>

#include "report.hpp"

namespace {

/// A vehicle in motion: no value is zero or short.
ap_json::State moving() {
    ap_json::State state;
    state.timestamp = 123.4575;
    state.gyro = {0.0123456789, -0.2345678901, 0.3456789012};
    state.specific_force = {0.5123456789, -1.0234567891, -9.7012345678};
    state.position = {12.345678901, -23.456789012, -34.567890123};
    state.attitude = {0.0456789012, -0.0567890123, 1.2345678901};
    state.velocity = {1.2345678901, -2.3456789012, 0.1234567890};
    return state;
}

void encode_ours(benchmark::State& run) {
    ap_json::State state = moving();
    char line[ap_json::max_state_line];
    for (auto _ : run) {
        std::size_t length = 0;
        state.timestamp += 0.0025;
        benchmark::DoNotOptimize(encode(state, line, sizeof line, length).code());
        benchmark::DoNotOptimize(line);
    }
}

void encode_snprintf(benchmark::State& run) {
    ap_json::State s = moving();
    char line[ap_json::max_state_line];
    for (auto _ : run) {
        s.timestamp += 0.0025;
        benchmark::DoNotOptimize(std::snprintf(line, sizeof line,
                                               "\n{\"timestamp\":%.17g,\"imu\":{\"gyro\":[%.17g,%.17g,%.17g],"
                                               "\"accel_body\":[%.17g,%.17g,%.17g]},"
                                               "\"position\":[%.17g,%.17g,%.17g],\"attitude\":[%.17g,%.17g,%."
                                               "17g],\"velocity\":[%.17g,%.17g,%.17g]}\n",
                                               s.timestamp, s.gyro.x, s.gyro.y, s.gyro.z, s.specific_force.x,
                                               s.specific_force.y, s.specific_force.z, s.position.x,
                                               s.position.y, s.position.z, s.attitude.roll, s.attitude.pitch,
                                               s.attitude.yaw, s.velocity.x, s.velocity.y, s.velocity.z));
        benchmark::DoNotOptimize(line);
    }
}

void encode_to_string(benchmark::State& run) {
    ap_json::State s = moving();
    const auto list = [](double x, double y, double z) {
        return "[" + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z) + "]";
    };
    for (auto _ : run) {
        s.timestamp += 0.0025;
        std::string line = "\n{\"timestamp\":" + std::to_string(s.timestamp) +
                           ",\"imu\":{\"gyro\":" + list(s.gyro.x, s.gyro.y, s.gyro.z) + ",\"accel_body\":" +
                           list(s.specific_force.x, s.specific_force.y, s.specific_force.z) +
                           "},\"position\":" + list(s.position.x, s.position.y, s.position.z) +
                           ",\"attitude\":" + list(s.attitude.roll, s.attitude.pitch, s.attitude.yaw) +
                           ",\"velocity\":" + list(s.velocity.x, s.velocity.y, s.velocity.z) + "}\n";
        benchmark::DoNotOptimize(line);
    }
}

void encode_nlohmann(benchmark::State& run) {
    ap_json::State state = moving();
    for (auto _ : run) {
        state.timestamp += 0.0025;
        std::string line = "\n" + nlohmann::json(state).dump() + "\n";
        benchmark::DoNotOptimize(line);
    }
}

/// The same packet as a struct that is copied from the wire, as little-endian C programs do.
struct WirePacket {
    std::uint16_t magic, frame_rate;
    std::uint32_t frame_count;
    std::uint16_t pwm[16];
};

WirePacket wire_packet() {
    WirePacket packet{18458, 400, 1000, {}};
    for (auto& pwm : packet.pwm) pwm = 1500;
    return packet;
}

void decode_ours(benchmark::State& run) {
    WirePacket wire = wire_packet();
    for (auto _ : run) {
        benchmark::DoNotOptimize(wire);
        ap_json::ServoPacket packet;
        benchmark::DoNotOptimize(decode(&wire, sizeof wire, packet));
        benchmark::DoNotOptimize(packet);
    }
}

void decode_memcpy(benchmark::State& run) {
    WirePacket wire = wire_packet();
    for (auto _ : run) {
        benchmark::DoNotOptimize(wire);
        WirePacket packet;
        std::memcpy(&packet, &wire, sizeof packet);
        bool good = packet.magic == 18458;
        benchmark::DoNotOptimize(good);
        benchmark::DoNotOptimize(packet);
    }
}

void track_ours(benchmark::State& run) {
    ap_json::FrameTracker tracker;
    std::uint32_t count = 0;
    for (auto _ : run) benchmark::DoNotOptimize(tracker.track(++count));
}

/// Keeps the middle of the repetitions of each benchmark.
class Collector : public benchmark::BenchmarkReporter {
  public:
    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs) {
            if (run.run_type == Run::RT_Iteration)
                times_[run.run_name.function_name].push_back(run.GetAdjustedCPUTime());
        }
    }
    double of(const std::string& name) { return bench::median(times_[name]); }

  private:
    std::map<std::string, std::vector<double>> times_;
};

}  // namespace

namespace bench {

std::vector<Row> measure_codec() {
    std::fprintf(stderr, "codec: encode, decode, track\n");
    char name[] = "bench", interleave[] = "--benchmark_enable_random_interleaving=true",
         repeat[] = "--benchmark_repetitions=9", time[] = "--benchmark_min_time=0.03";
    char* arguments[] = {name, interleave, repeat, time};
    int count = 4;
    benchmark::Initialize(&count, arguments);
    for (const auto& [id, function] : {std::pair{"encode", encode_ours},
                                       {"snprintf", encode_snprintf},
                                       {"to_string", encode_to_string},
                                       {"nlohmann", encode_nlohmann},
                                       {"decode", decode_ours},
                                       {"memcpy", decode_memcpy},
                                       {"track", track_ours}}) {
        benchmark::RegisterBenchmark(id, function);
    }
    Collector times;
    benchmark::RunSpecifiedBenchmarks(&times);
    return {{"encode a moving vehicle", "snprintf %.17g", times.of("snprintf"), times.of("encode"), "ns",
             Better::lower, 0.25},
            {"encode a moving vehicle", "std::to_string (6 decimals)", times.of("to_string"),
             times.of("encode"), "ns", Better::lower, 0.25},
            {"encode a moving vehicle", "nlohmann_json dump", times.of("nlohmann"), times.of("encode"), "ns",
             Better::lower, 0.25},
            {"decode a servo packet", "memcpy and compare", times.of("memcpy"), times.of("decode"), "ns",
             Better::lower, 0},
            {"track a frame count", "decode", times.of("decode"), times.of("track"), "ns", Better::lower, 0}};
}

}  // namespace bench
