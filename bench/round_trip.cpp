// round_trip.cpp - a servo packet there, a state back, over loopback: our client against the bare system
// calls, with the same bytes, the same two threads and the same way of waiting, in turns.
#include <ap_json/client.hpp>
#include <ap_json/state_json.hpp>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "../tests/count_system_calls.hpp"
#include "report.hpp"

#if defined(_WIN32)

namespace bench {
std::vector<Row> measure_round_trip() { return {}; }
}  // namespace bench

#else

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;
using ap_json::WaitMode;

constexpr int trips_in_a_turn = 1000;
constexpr int turns = 30;

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
}

class BareSocket {
  public:
    BareSocket() : handle(::socket(AF_INET, SOCK_DGRAM, 0)) {
        sockaddr_in address = loopback(0);
        ::bind(handle, reinterpret_cast<sockaddr*>(&address), sizeof address);
        socklen_t length = sizeof address;
        ::getsockname(handle, reinterpret_cast<sockaddr*>(&address), &length);
        port = ntohs(address.sin_port);
    }
    ~BareSocket() { ::close(handle); }
    BareSocket(const BareSocket&) = delete;
    BareSocket& operator=(const BareSocket&) = delete;

    int handle;
    std::uint16_t port = 0;
};

struct Packet {
    std::uint16_t magic = 18458, frame_rate = 400;
    std::uint32_t count = 0;
    std::uint16_t pwm[16] = {};
};

/// The side of SITL: sends, waits, measures. The same for both.
void drive(BareSocket& sitl, std::uint16_t backend, std::uint32_t& count, std::vector<double>& microseconds) {
    const sockaddr_in to = loopback(backend);
    Packet packet;
    char line[4096];
    for (int trip = 0; trip < trips_in_a_turn; ++trip) {
        packet.count = count++;
        const auto start = Clock::now();
        ::sendto(sitl.handle, &packet, sizeof packet, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to);
        ::recv(sitl.handle, line, sizeof line, 0);
        microseconds.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    }
}

ap_json::State rest(double time) {
    ap_json::State state;
    state.timestamp = time;
    return state;
}

/// The bare system calls: receive, send a line that is ready.
void serve_bare(BareSocket& backend, WaitMode mode, const std::string& line) {
    for (int trip = 0; trip < trips_in_a_turn; ++trip) {
        Packet packet;
        sockaddr_in from{};
        socklen_t length = sizeof from;
        const auto take = [&](int flags) {
            length = sizeof from;
            return ::recvfrom(backend.handle, &packet, sizeof packet, flags,
                              reinterpret_cast<sockaddr*>(&from), &length);
        };
        ssize_t size = -1;
        if (mode != WaitMode::block) {
            const auto deadline =
                Clock::now() + std::chrono::microseconds(mode == WaitMode::spin ? 1000000 : 50);
            do {
                size = take(MSG_DONTWAIT);
            } while (size < 0 && Clock::now() < deadline);
        }
        if (size < 0) take(0);
        ::sendto(backend.handle, line.data(), line.size(), 0, reinterpret_cast<sockaddr*>(&from), length);
    }
}

void serve_ours(ap_json::Client& client, double& time) {
    for (int trip = 0; trip < trips_in_a_turn;) {
        const auto frame = client.receive(std::chrono::seconds(1));
        if (!frame) continue;
        ++trip;
        time += 0.0025;
        static_cast<void>(client.send(rest(time)));
    }
}

std::vector<bench::Row> compare(WaitMode mode, const char* name) {
    std::fprintf(stderr, "round_trip: %s\n", name);
    BareSocket sitl, bare;
    ap_json::Client client;
    ap_json::ClientOptions options;
    options.port = 0;
    options.wait_mode = mode;
    if (client.open(options)) return {};
    char line[ap_json::max_state_line];
    std::size_t length = 0;
    if (encode(rest(123.4575), line, sizeof line, length)) return {};

    std::vector<double> ours, theirs;
    std::uint32_t our_count = 0, their_count = 0;
    double time = 0;
    for (int turn = 0; turn < turns; ++turn) {
        std::vector<double> warm_up;
        std::vector<double>& ours_now = turn == 0 ? warm_up : ours;
        std::vector<double>& theirs_now = turn == 0 ? warm_up : theirs;
        // Each side gets the same place in time and the same fresh thread; who is first alternates.
        for (int part = 0; part < 2; ++part) {
            if ((part + turn) % 2 == 0) {
                std::thread server([&] { serve_ours(client, time); });
                drive(sitl, client.port(), our_count, ours_now);
                server.join();
            } else {
                std::thread server([&] { serve_bare(bare, mode, std::string(line, length)); });
                drive(sitl, bare.port, their_count, theirs_now);
                server.join();
            }
        }
    }
    const std::string what = std::string("round trip, ") + name;
    return {{what + ", median", "bare system calls", bench::median(theirs), bench::median(ours), "us",
             bench::Better::lower, 1.05},
            {what + ", 99th percentile", "bare system calls", bench::quantile(theirs, 0.99),
             bench::quantile(ours, 0.99), "us", bench::Better::lower, 1.05}};
}

#if defined(__linux__)
/// System calls for a frame, when waiting blocks.
std::vector<bench::Row> count_calls() {
    constexpr int frames = 100;
    const auto count = count_system_calls::of([] {
        ap_json::Client client;
        ap_json::ClientOptions options;
        options.port = 0;
        if (client.open(options)) return 1;
        BareSocket sitl;
        const sockaddr_in to = loopback(client.port());
        Packet packet;
        for (; packet.count < frames; ++packet.count) {
            ::sendto(sitl.handle, &packet, sizeof packet, 0, reinterpret_cast<const sockaddr*>(&to),
                     sizeof to);
            if (packet.count > 0) count_system_calls::mark();
            const auto frame = client.receive(std::chrono::milliseconds(100));
            const auto error = client.send(rest(0.0025 * packet.count));
            if (packet.count > 0) count_system_calls::mark();
            if (!frame || error) return 1;
        }
        return 0;
    });
    if (count.marks == 0) return {};  // not allowed to watch
    return {{"system calls for a frame, blocking", "recvfrom and sendto", 2,
             static_cast<double>(count.calls) / (frames - 1), "", bench::Better::lower, 1}};
}
#else
std::vector<bench::Row> count_calls() { return {}; }
#endif

}  // namespace

namespace bench {

std::vector<Row> measure_round_trip() {
    std::vector<Row> rows;
    for (const auto& [mode, name] : {std::pair{WaitMode::block, "blocking"},
                                     {WaitMode::spin, "spinning"},
                                     {WaitMode::spin_then_block, "spinning, then blocking"}}) {
        for (auto& row : compare(mode, name)) rows.push_back(std::move(row));
    }
    for (auto& row : count_calls()) rows.push_back(std::move(row));
    return rows;
}

}  // namespace bench

#endif
