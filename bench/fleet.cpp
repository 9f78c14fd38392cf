// fleet.cpp - many vehicles on one thread: what a frame of a vehicle costs, whether all get their share, how
// much memory a vehicle takes.
#include <ap_json/fleet.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <thread>

#include "report.hpp"

#if !defined(__linux__)

namespace bench {
std::vector<Row> measure_fleet() { return {}; }
}  // namespace bench

#else

#include <arpa/inet.h>
#include <malloc.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

namespace {

using namespace std::chrono_literals;

/// Many SITLs, as simple as can be, on one thread of their own: each sends its next packet when it is
/// answered. They are served in the order in which their answers came, as independent processes would be.
class Sitls {
  public:
    explicit Sitls(const std::vector<std::uint16_t>& backends)
        : poller_(epoll_create1(0)), counts_(backends.size()) {
        for (std::size_t i = 0; i < backends.size(); ++i) {
            const int handle = ::socket(AF_INET, SOCK_DGRAM, 0);
            sockaddr_in to{};
            to.sin_family = AF_INET;
            to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            to.sin_port = htons(backends[i]);
            ::connect(handle, reinterpret_cast<sockaddr*>(&to), sizeof to);
            epoll_event event{};
            event.events = EPOLLIN;
            event.data.u64 = i;
            epoll_ctl(poller_, EPOLL_CTL_ADD, handle, &event);
            sockets_.push_back(handle);
        }
        thread_ = std::thread([this] { run(); });
    }

    ~Sitls() {
        stop_ = true;
        thread_.join();
        for (const int socket : sockets_) ::close(socket);
        ::close(poller_);
    }

    Sitls(const Sitls&) = delete;
    Sitls& operator=(const Sitls&) = delete;

  private:
    void send(std::size_t i) {
        struct {
            std::uint16_t magic = 18458, frame_rate = 400;
            std::uint32_t count = 0;
            std::uint16_t pwm[16] = {};
        } packet;
        packet.count = counts_[i]++;
        ::send(sockets_[i], &packet, sizeof packet, 0);
    }

    void run() {
        for (std::size_t i = 0; i < sockets_.size(); ++i) send(i);
        char line[4096];
        epoll_event events[16];
        while (!stop_) {
            const int count = epoll_wait(poller_, events, 16, 20);
            for (int event = 0; event < count; ++event) {
                const auto i = static_cast<std::size_t>(events[event].data.u64);
                if (::recv(sockets_[i], line, sizeof line, MSG_DONTWAIT) > 0) send(i);
            }
        }
    }

    int poller_;
    std::vector<int> sockets_;
    std::vector<std::uint32_t> counts_;
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

double cpu_time_of_thread() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

struct Figures {
    double microseconds = 0;  // CPU time of the fleet's thread for one frame of one vehicle
    double unfairness = 0;    // 1 - frames of the slowest vehicle / mean
    double memory = 0;        // KiB for one vehicle
};

Figures run_fleet(std::size_t vehicles, std::size_t frames) {
    const auto memory_before = mallinfo2().uordblks;
    std::deque<ap_json::Client> clients;
    ap_json::Fleet fleet;
    std::vector<std::uint16_t> ports;
    for (std::size_t i = 0; i < vehicles; ++i) {
        ap_json::ClientOptions options;
        options.port = 0;
        clients.emplace_back();
        if (clients.back().open(options) || fleet.add(clients.back())) std::abort();
        ports.push_back(clients.back().port());
    }
    Figures figures;
    figures.memory =
        static_cast<double>(mallinfo2().uordblks - memory_before) / 1024 / static_cast<double>(vehicles);

    const Sitls sitls(ports);
    std::vector<ap_json::State> states(vehicles);
    std::vector<std::size_t> served(vehicles);
    double start = 0;
    std::size_t total = 0;
    const std::size_t warm_up = frames / 4;
    while (total < warm_up + frames) {
        for (const std::size_t i : fleet.wait(100ms)) {
            const auto frame = fleet[i].receive(0s);
            if (!frame) continue;
            states[i].timestamp += 0.0025;
            if (fleet[i].send(states[i])) continue;
            if (++total == warm_up) start = cpu_time_of_thread();
            if (total > warm_up) ++served[i];
        }
    }
    figures.microseconds = (cpu_time_of_thread() - start) / static_cast<double>(total - warm_up);
    std::size_t slowest = served[0];
    for (const std::size_t count : served) slowest = std::min(slowest, count);
    figures.unfairness = 1 - static_cast<double>(slowest * vehicles) / static_cast<double>(total - warm_up);
    return figures;
}

}  // namespace

namespace bench {

std::vector<Row> measure_fleet() {
    constexpr int rounds = 5;
    std::map<std::size_t, std::vector<double> > times;
    std::map<std::size_t, double> unfairness;
    double memory = 0;
    for (int round = 0; round < rounds; ++round) {
        for (const std::size_t vehicles : {1U, 4U, 16U, 64U, 256U}) {
            std::fprintf(stderr, "fleet: %zu vehicles, round %d of %d\n", vehicles, round + 1, rounds);
            // Enough that the beginning, when not all have started, does not count.
            const Figures figures = run_fleet(vehicles, std::max<std::size_t>(60000, 1000 * vehicles));
            times[vehicles].push_back(figures.microseconds);
            if (round == 0) unfairness[vehicles] = figures.unfairness;
            unfairness[vehicles] = std::min(unfairness[vehicles], figures.unfairness);
            memory = figures.memory;
        }
    }
    std::vector<Row> rows;
    const double four = median(times[4]);
    for (auto& [vehicles, values] : times) {
        rows.push_back({"CPU time of a vehicle-frame, " + std::to_string(vehicles) + " vehicles",
                        "4 vehicles", four, median(values), "us", Better::lower, vehicles == 256 ? 1.2 : 0});
    }
    rows.push_back({"rate of the slowest of 256 vehicles", "mean rate", 1, 1 - unfairness[256], "",
                    Better::higher, 0.95});
    rows.push_back({"memory for a vehicle of 256", "64 KiB", 64, memory, "KiB", Better::lower, 1});
    return rows;
}

}  // namespace bench

#endif
