// make_recording.cpp - writes a recording of the example's rover and a modelled SITL, without a clock and without a
// network: always the same one. For the tests of replay and report.
//
// usage: make_recording FILE KIND [SECONDS]
// KIND: drive     armed after 2.5 s, forwards, backwards
//       idle      never armed
//       restart   idle; ArduPilot is started again halfway
//       repeats   drive; every 100th answer is late, so that SITL asks again
//       spoilt    drive; from 3 s on the recorded velocity is 0.5 m/s too large
//       servos    drive, but only what SITL sent
//       states    drive, but only what the backend sent
//       hostile   drive, with a mark, a peer and a note that try to be HTML
#include <ap_json/servo_packet.hpp>
#include <ap_json/sitl_model.hpp>
#include <ap_json/state_json.hpp>
#include <cstdio>
#include <cstdlib>
#include <recording.hpp>
#include <string>

#include "../examples/simple_rover.hpp"

namespace {

constexpr const char* attack = "</title></style></script><script>alert(1)</script><img src=x onerror='a'>\"&";

class Recorder {
  public:
    Recorder(RecordingWriter& writer, const std::string& kind) : writer_(writer), kind_(kind) {}

    void run(double until) {
        ap_json::SitlModel sitl;
        SimpleRover rover;
        ap_json::State state;
        int steps = 0;
        ++session_;
        while (sitl.clock() < until) {
            fly(sitl);
            unsigned char packet[ap_json::servo_packet_size_32] = {};
            const std::size_t size = sitl.write_packet(packet);
            ap_json::ServoPacket servos;
            if (ap_json::decode(packet, size, servos) != ap_json::ErrorCode::ok) std::abort();
            const std::string bytes(reinterpret_cast<const char*>(packet), size);
            from_sitl(bytes);
            rover.step(servos, 0.0025, state);
            state.timestamp = 2500.0 * ++steps / 1e6;  // as ap_json::Lockstep counts it
            if (kind_ == "repeats" && servos.frame_count % 100 == 99) {
                time_ns_ += 1102000000;
                from_sitl(bytes);
            }
            const std::string line = encoded(state);
            const bool spoilt = kind_ == "spoilt" && state.timestamp >= 3;
            ap_json::State recorded = state;
            if (spoilt) recorded.velocity.x += 0.5;
            from_backend(spoilt ? encoded(recorded) : line);
            sitl.receive(line.data(), line.size());
        }
    }

    void mark(const std::string& text) { write(Record::Kind::mark, "", text); }

  private:
    void fly(ap_json::SitlModel& sitl) const {
        const bool drives = kind_ != "idle" && kind_ != "restart";
        if (!drives || sitl.clock() < 2.5) return;
        if (!sitl.armed()) (void)sitl.arm();
        (void)sitl.set_rc(3, sitl.clock() < 3.5 ? 1900 : 1100);
    }

    static std::string encoded(const ap_json::State& state) {
        char line[ap_json::max_state_line];
        std::size_t length = 0;
        if (ap_json::encode(state, line, sizeof line, length)) std::abort();
        return {line, length};
    }

    void from_sitl(const std::string& bytes) {
        time_ns_ += 200000;
        if (kind_ != "states")
            write(Record::Kind::from_sitl, "127.0.0.1:" + std::to_string(40000 + session_), bytes);
    }

    void from_backend(const std::string& bytes) {
        time_ns_ += 40000;
        if (kind_ != "servos")
            write(Record::Kind::from_backend, kind_ == "hostile" ? attack : "127.0.0.1:9002", bytes);
    }

    void write(Record::Kind kind, const std::string& peer, const std::string& bytes) {
        if (!writer_.write({kind, time_ns_, 1774008000000000000 + time_ns_, peer, bytes, ""})) {
            std::fprintf(stderr, "%s\n", writer_.problem().c_str());
            std::exit(1);
        }
    }

    RecordingWriter& writer_;
    std::string kind_;
    std::int64_t time_ns_ = 0;
    int session_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    const std::string kind = argv[2];
    const double until = argc > 3 ? std::atof(argv[3]) : 5;
    RecordingWriter writer;
    if (const std::string problem = writer.open(argv[1], kind == "hostile" ? attack : kind);
        !problem.empty()) {
        std::fprintf(stderr, "%s\n", problem.c_str());
        return 1;
    }
    Recorder recorder(writer, kind);
    if (kind == "hostile") recorder.mark(attack);
    recorder.run(kind == "restart" ? until / 2 : until);
    if (kind == "restart") recorder.run(until / 2);
    return 0;
}
