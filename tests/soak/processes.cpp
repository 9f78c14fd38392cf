// processes.cpp - see processes.hpp.
#include "processes.hpp"

#include <fcntl.h>
#include <linux/sock_diag.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ap_json/lockstep.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>

#include "memory.hpp"

namespace soak {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr std::chrono::microseconds physics_step(2500);
constexpr auto longest_wait = 20ms;  // until a process looks whether it should end
constexpr std::uint64_t seconds_to_ns = 1'000'000'000;

Time now() { return steady_clock::now().time_since_epoch(); }

}  // namespace

void* share_memory(std::size_t size) {
    void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) return memory;
    std::perror("no shared memory");
    std::exit(2);
}

void unshare_memory(void* memory, std::size_t size) { ::munmap(memory, size); }

// ---- processes

Process::Process(const std::function<void()>& action) {
    std::fflush(stdout);
    id_ = ::fork();
    if (id_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    action();
    ::_exit(0);
}

Process::Process(const std::string& program, const std::vector<std::string>& arguments,
                 const std::string& output) {
    std::vector<char*> words = {const_cast<char*>(program.c_str())};
    for (const std::string& each : arguments) words.push_back(const_cast<char*>(each.c_str()));
    words.push_back(nullptr);
    std::fflush(stdout);
    id_ = ::fork();
    if (id_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(file, STDOUT_FILENO);
    ::dup2(file, STDERR_FILENO);
    ::execv(words[0], words.data());
    ::_exit(127);
}

void Process::kill() {
    if (id_ <= 0) return;
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
    id_ = -1;
}

void Process::stop() {
    if (id_ > 0) ::kill(id_, SIGSTOP);
}

void Process::go_on() {
    if (id_ > 0) ::kill(id_, SIGCONT);
}

bool Process::ends_within(std::chrono::milliseconds time) {
    int status = 0;
    if (id_ <= 0) return false;
    const bool ended = time_until([&] { return ::waitpid(id_, &status, WNOHANG) == id_; }, time) <= time;
    if (!ended) return false;
    id_ = -1;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::chrono::milliseconds time_until(const std::function<bool()>& condition, std::chrono::milliseconds most) {
    const auto start = steady_clock::now();
    while (!condition()) {
        if (steady_clock::now() - start > most) return std::chrono::milliseconds::max();
        std::this_thread::sleep_for(1ms);
    }
    return std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - start);
}

std::uint64_t dropped_by(std::intptr_t socket) {
    std::uint32_t figures[SK_MEMINFO_VARS] = {};
    socklen_t size = sizeof figures;
    ::getsockopt(static_cast<int>(socket), SOL_SOCKET, SO_MEMINFO, figures, &size);
    return figures[SK_MEMINFO_DROPS];
}

// ---- what they do

void be_sitl(Board& board, Identity identity, std::chrono::nanoseconds resend,
             const ap_json::Endpoint& backend) {
    BareSitl sitl(identity, now(), false, resend, 0);
    std::vector<char> buffer(65536);
    const auto send = [&](const std::optional<std::string>& packet) {
        if (!packet) return;
        sitl.socket().send(backend, packet->data(), packet->size());
        ++board.packets;
    };
    while (!board.end_sitl && sitl.is_open() && !sitl.dead()) {
        send(sitl.packet_when_due(now()));
        sitl.socket().wait(std::min<Time>(longest_wait, sitl.next_time() - now()));
        ap_json::Endpoint from;
        const std::ptrdiff_t size = sitl.socket().receive_one(buffer.data(), buffer.size(), from);
        if (size < 0) continue;
        const std::uint64_t before = sitl.accepted();
        send(sitl.take(now(), {buffer.data(), static_cast<std::size_t>(size)}));
        board.accepted += sitl.accepted() - before;
    }
    if (!board.end_sitl) ::_exit(1);
}

void be_backend(Board& board, const char* address) {
    ap_json::Client client;
    ap_json::ClientOptions options;
    options.address = address;
    options.port = static_cast<std::uint16_t>(board.port.load());
    Witness& witness = board.witness;
    if (const auto error = client.open(options)) {
        witness.complain(error.message(), options.port, 0);
        ::_exit(1);
    }
    witness.forget();
    ap_json::Lockstep<Witness> loop(client, witness, physics_step);
    board.port = client.port();
    const std::uint64_t steps = witness.steps();
    const long allocated = allocations();
    std::uint64_t looked_at = 0;
    const auto exchange = [&] {
        if (loop.exchange(longest_wait)) witness.complain("the answer was refused", 0, 0);
        const ap_json::Statistics& s = client.statistics();
        if (s.received != witness.steps() - steps + s.repeated + s.drained + s.stale)
            witness.complain("received is not handed over + drained + stale", s.received, s.stale);
        if (s.missed != witness.missed())
            witness.complain("the counter `missed` is wrong", s.missed, witness.missed());
        const std::uint64_t before = looked_at;
        looked_at = s.received + s.rejected_length + s.rejected_magic;
        return looked_at != before;
    };
    while (!board.end_backend) exchange();
    while (exchange()) {
    }
    if (allocations() != allocated) witness.complain("the client has allocated", 0, 0);
    board.statistics = client.statistics();
    board.dropped = dropped_by(client.native_handle());
}

/// Noise from one socket and valid packets of a second SITL from another, so many a second.
void be_strays(Board& board, double rate) {
    ap_json::UdpSocket noise;
    const ap_json::Endpoint elsewhere{ap_json::loopback_address + 1, 0};
    BareSitl second(first_stranger, now(), false, BareSitl::resend_time, elsewhere.address);
    second.model().set_frame_count(0xF0000000U);
    if (noise.open(elsewhere) || !second.is_open()) ::_exit(1);
    const ap_json::Endpoint backend{ap_json::loopback_address, static_cast<std::uint16_t>(board.port.load())};
    const std::string packet = *second.packet_when_due(second.next_time());
    std::mt19937_64 random(1);
    std::string bytes(300, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    const Time start = now();
    std::uint64_t sent = 0;
    while (!board.end_strays) {
        const auto elapsed = static_cast<std::uint64_t>((now() - start).count());
        const auto due = static_cast<std::uint64_t>(rate * static_cast<double>(elapsed) / seconds_to_ns);
        for (int burst = 0; sent < due && burst < 50; ++burst, ++sent) {
            const bool is_packet = sent % 2 == 0;
            const std::size_t size = is_packet ? packet.size() : random() % bytes.size();
            const auto& from = is_packet ? second.socket() : noise;
            if (from.send(backend, is_packet ? packet.data() : bytes.data(), size) == 0) ++board.strays;
        }
        if (sent >= due) std::this_thread::sleep_for(50us);
    }
    if (second.socket().wait(0ms) || noise.wait(0ms)) ++board.answered_strays;
}

}  // namespace soak
