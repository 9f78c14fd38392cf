// program_scenario.cpp - the real programs, `ap_json sitl` and simpleRover, killed and started again in turns. They
// speak through a relay that looks at what they say.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>

#include "processes.hpp"
#include "scenarios.hpp"

namespace soak {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds longest_return =
    20s;  // 1.1 s and the start of a program, on a machine that has much to do
constexpr std::uint32_t frames_between = 20;

/// SITL speaks to it, and it to the backend: from another port for each SITL, as if it were that SITL.
class Relay {
  public:
    Relay() { opened_ = !front_.open({ap_json::loopback_address, 0}); }

    [[nodiscard]] bool opened() const { return opened_; }
    [[nodiscard]] std::uint16_t port() const { return front_.local().port; }
    void set_backend(std::uint16_t port) { backend_ = {ap_json::loopback_address, port}; }
    void expect_restart() { restart_expected_ = true; }

    [[nodiscard]] std::uint64_t frames() const { return frames_; }
    [[nodiscard]] const std::string& complaint() const { return complaint_; }

    void pump() {
        front_.wait(1ms);
        ap_json::Endpoint from;
        for (std::ptrdiff_t size; (size = front_.receive_one(buffer_, sizeof buffer_, from)) >= 0;)
            from_sitl(from, static_cast<std::size_t>(size));
        if (!back_) return;
        for (std::ptrdiff_t size; (size = back_->receive_one(buffer_, sizeof buffer_, from)) >= 0;)
            from_backend(static_cast<std::size_t>(size));
        if (before_ && before_->receive_one(buffer_, sizeof buffer_, from) >= 0 && answered_)
            complaint_ = "an answer went to the SITL that had ended";
    }

  private:
    void from_sitl(const ap_json::Endpoint& from, std::size_t size) {
        if (from != sitl_) {
            sitl_ = from;
            before_ = std::move(back_);
            back_ = std::make_unique<ap_json::UdpSocket>();
            if (back_->open({ap_json::loopback_address, 0})) complaint_ = "no socket";
            answered_ = false;
            last_count_ = 0;
        }
        ap_json::ServoPacket packet;
        if (ap_json::decode(buffer_, size, packet) != ap_json::ErrorCode::ok)
            complaint_ = "SITL sends nonsense";
        if (packet.frame_count != last_count_) ++frames_;
        last_count_ = packet.frame_count;
        back_->send(backend_, buffer_, size);
    }

    void from_backend(std::size_t size) {
        const std::string line(buffer_, size);
        const auto found = line.find("\"timestamp\":");
        if (found == std::string::npos) {
            complaint_ = "the backend sends nonsense";
            return;
        }
        const double time = std::strtod(line.c_str() + found + 12, nullptr);
        if (time < last_time_ && !restart_expected_) complaint_ = "physics time went back without a restart";
        if (time < last_time_) restart_expected_ = false;
        last_time_ = time;
        answered_ = true;
        front_.send(sitl_, buffer_, size);
    }

    ap_json::UdpSocket front_;
    std::unique_ptr<ap_json::UdpSocket> back_;
    std::unique_ptr<ap_json::UdpSocket> before_;  // as the SITL before
    ap_json::Endpoint sitl_;
    ap_json::Endpoint backend_;
    bool opened_ = false;
    bool answered_ = false;  // this SITL
    bool restart_expected_ = false;
    std::uint32_t last_count_ = 0;
    std::uint64_t frames_ = 0;
    double last_time_ = 0;
    std::string complaint_;
    char buffer_[65536];
};

/// A file that is removed in the end.
struct TemporaryFile {
    TemporaryFile() {
        const int file = ::mkstemp(name);
        if (file >= 0) ::close(file);
    }
    ~TemporaryFile() { std::remove(name); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    char name[32] = "/tmp/ap_json_soak_XXXXXX";
};

class Programs {
  public:
    Programs(const Effort& effort, Outcome& outcome) : effort_(effort), outcome_(outcome) {
        std::ofstream(script_.name) << "arm throttle\nrc 3 1900\nwait 1000000\n";
        outcome.expect(relay_.opened(), "no socket");
    }

    void start_rover() {
        relay_.expect_restart();
        rover_.emplace(effort_.simple_rover, std::vector<std::string>{"--port", std::to_string(port_)},
                       output_.name);
        if (port_ != 0) return;
        const auto listens = [this] {
            std::stringstream text;
            text << std::ifstream(output_.name).rdbuf();
            const auto colon = text.str().find("127.0.0.1:");
            if (colon != std::string::npos && text.str().find('\n', colon) != std::string::npos)
                port_ = static_cast<std::uint16_t>(std::atoi(text.str().c_str() + colon + 10));
            return port_ != 0;
        };
        outcome_.expect(time_until(listens, longest_return) <= longest_return, "simpleRover does not start");
        relay_.set_backend(port_);
    }

    void start_sitl() {
        relay_.expect_restart();
        sitl_.emplace(effort_.tool,
                      std::vector<std::string>{"sitl", "--port", std::to_string(relay_.port()), "--speedup",
                                               "0", "--script", script_.name},
                      sitl_output_.name);
    }

    void kill_sitl() { sitl_->kill(); }
    void kill_rover() { rover_->kill(); }

    void wait_for_progress(const char* when) {
        const auto start = steady_clock::now();
        const std::uint64_t before = relay_.frames();
        while (relay_.frames() < before + frames_between && outcome_.broken.empty()) {
            relay_.pump();
            if (!relay_.complaint().empty()) outcome_.expect(false, relay_.complaint());
            if (steady_clock::now() - start > longest_return)
                outcome_.expect(false, std::string("the link does not go on ") + when);
        }
        slowest_ = std::max(slowest_, std::chrono::duration_cast<milliseconds>(steady_clock::now() - start));
    }

    void finish() {
        outcome_.frames = relay_.frames();
        outcome_.words = "back in " + std::to_string(slowest_.count()) + " ms";
    }

  private:
    const Effort& effort_;
    Outcome& outcome_;
    TemporaryFile script_;
    TemporaryFile output_;
    TemporaryFile sitl_output_;
    Relay relay_;
    std::uint16_t port_ = 0;
    std::optional<Process> rover_;
    std::optional<Process> sitl_;
    milliseconds slowest_{0};
};

}  // namespace

void killed_programs(const Effort& effort, Outcome& outcome) {
    if (effort.tool.empty() || effort.simple_rover.empty()) {
        outcome.skipped = true;
        outcome.words = "needs --tool and --simple-rover";
        return;
    }
    Programs programs(effort, outcome);
    programs.start_rover();
    programs.start_sitl();
    programs.wait_for_progress("at the start");
    // Each waits for SITL's real 1.1 s, so not as many as of the soak's own processes.
    for (int kill = 0; kill < std::max(effort.kills / 5, 2) && outcome.broken.empty(); ++kill) {
        programs.kill_sitl();
        programs.start_sitl();
        programs.wait_for_progress("after SITL was killed");
        programs.kill_rover();
        programs.start_rover();
        programs.wait_for_progress("after simpleRover was killed");
        outcome.made("SITL process killed", 1);
        outcome.made("backend process killed", 1);
    }
    programs.finish();
}

}  // namespace soak
