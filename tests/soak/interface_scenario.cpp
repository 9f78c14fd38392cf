// interface_scenario.cpp - a network interface that goes away under the link and comes back: the loopback interface of
// a network namespace that is made for it, then a pair of virtual Ethernet interfaces that is taken out of the machine.
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "processes.hpp"
#include "scenarios.hpp"

namespace soak {
namespace {

using namespace std::chrono_literals;

constexpr auto resend_time = 100ms;
constexpr auto longest_return = 20s;
constexpr auto outage = 30ms;
constexpr std::uint64_t frames_between = 20;
constexpr std::uint32_t veth_address = 10U << 24U | 77U << 16U | 1U;  // 10.77.0.1

/// @return whether this process is in a network of its own now; takes root, or a system that lets users do it
bool enter_own_network() {
    return ::unshare(CLONE_NEWNET) == 0 || ::unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0;
}

bool set_loopback(bool up) {
    const int any_socket = ::socket(AF_INET, SOCK_DGRAM, 0);
    ifreq request{};
    std::strcpy(request.ifr_name, "lo");
    request.ifr_flags = static_cast<short>(up ? IFF_UP : 0);
    const bool done = ::ioctl(any_socket, SIOCSIFFLAGS, &request) == 0;
    ::close(any_socket);
    return done;
}

bool command(const std::string& words) { return std::system((words + " >/dev/null 2>&1").c_str()) == 0; }

bool add_veth(pid_t other_side) {
    const std::string pid = std::to_string(other_side);
    const std::string there = "nsenter -t " + pid + " -n ip ";
    return command("ip link add soak0 type veth peer name soak1 netns " + pid) &&
           command("ip addr add 10.77.0.1/24 dev soak0") && command("ip link set soak0 up") &&
           command(there + "addr add 10.77.0.2/24 dev soak1") && command(there + "link set soak1 up");
}

bool remove_veth() { return command("ip link del soak0"); }

/// An interface, how it goes and how it comes.
struct Interface {
    std::function<bool()> remove;
    std::function<bool()> bring_back;
};

/// @return empty, or what went wrong
std::string lose_and_regain(Board& board, const Interface& interface, int times,
                            std::atomic<std::uint64_t>& lost) {
    const auto goes_on = [&] {
        const std::uint64_t before = board.accepted;
        return time_until([&] { return board.accepted >= before + frames_between; }, longest_return) <=
               longest_return;
    };
    if (!goes_on()) return "the link does not start";
    for (int i = 0; i < times; ++i) {
        if (!interface.remove()) return "the interface cannot be taken away";
        std::this_thread::sleep_for(outage);  // what is in the sockets still arrives
        const std::uint64_t before = board.accepted;
        std::this_thread::sleep_for(outage);
        if (board.accepted != before) return "the interface is still there";
        if (!interface.bring_back()) return "the interface does not come back";
        if (!goes_on()) return "the link does not go on when the interface is back";
        ++lost;
    }
    return {};
}

/// What the process that takes the interfaces away has to say.
struct Verdict {
    std::atomic<bool> impossible{false};
    std::atomic<bool> has_veth{false};
    std::atomic<int> stage{0};  // of the start over veth
    std::atomic<std::uint64_t> lost{0};
    std::atomic<std::uint64_t> not_sent{0};  // answers
    char problem[160] = {};
};

struct Boards {
    Shared<Board> link;
    Shared<Verdict> verdict;

    void note(const char* which, const std::string& problem) {
        if (!problem.empty())
            std::snprintf(verdict->problem, sizeof verdict->problem, "%s: %s", which, problem.c_str());
    }
};

void end(Boards& boards, Process& sitl, Process& backend) {
    boards.link->end_sitl = true;
    if (!sitl.ends_within(longest_return)) ::_exit(1);
    boards.link->end_backend = true;
    if (!backend.ends_within(longest_return)) ::_exit(1);
    boards.verdict->not_sent += boards.link->statistics.send_errors;
}

void over_loopback(Boards& boards, int times) {
    Board& board = *boards.link;
    Process backend([&] { be_backend(board, "127.0.0.1"); });
    if (time_until([&] { return board.port != 0; }, longest_return) > longest_return) ::_exit(1);
    const ap_json::Endpoint to{ap_json::loopback_address, static_cast<std::uint16_t>(board.port)};
    Process sitl([&] { be_sitl(board, 1, resend_time, to); });
    const Interface loopback{[] { return set_loopback(false); }, [] { return set_loopback(true); }};
    boards.note("lo", lose_and_regain(board, loopback, times, boards.verdict->lost));
    end(boards, sitl, backend);
}

/// SITL in a second network, behind the cable.
void over_veth(Boards& boards, int times) {
    Board& board = *boards.link;
    std::atomic<int>& stage = boards.verdict->stage;
    board.end_sitl = board.end_backend = false;
    board.port = 0;
    Process backend([&] { be_backend(board, "0.0.0.0"); });
    Process sitl([&] {
        if (!enter_own_network()) ::_exit(1);
        stage = 1;
        time_until([&] { return board.port != 0 && stage == 2; }, longest_return);
        be_sitl(board, 2, resend_time, {veth_address, static_cast<std::uint16_t>(board.port)});
    });
    time_until([&] { return stage == 1; }, longest_return);
    const Interface veth{remove_veth, [&] { return add_veth(sitl.id()); }};
    if (!veth.bring_back()) return;
    stage = 2;
    boards.verdict->has_veth = true;
    boards.note("veth", lose_and_regain(board, veth, times, boards.verdict->lost));
    end(boards, sitl, backend);
}

}  // namespace

void lost_interface(const Effort& effort, Outcome& outcome) {
    Boards boards;
    Verdict& verdict = *boards.verdict;
    Process controller([&] {
        if (!enter_own_network() || !set_loopback(true)) {
            verdict.impossible = true;
            return;
        }
        over_loopback(boards, effort.kills);
        if (verdict.problem[0] == '\0') over_veth(boards, std::max(effort.kills / 4, 2));
    });
    outcome.expect(controller.ends_within(std::chrono::minutes(2) + effort.kills * 1s),
                   "the link has ended, or hangs");
    if (verdict.impossible) {
        outcome.skipped = true;
        outcome.words = "this system allows no network namespace";
        return;
    }
    outcome.frames = boards.link->accepted;
    outcome.made("interface taken away", verdict.lost);
    outcome.expect(verdict.problem[0] == '\0', verdict.problem);
    outcome.expect(*boards.link->witness.complaint() == '\0', boards.link->witness.complaint());
    outcome.words = verdict.has_veth ? "lo and veth" : "lo; no veth on this system";
    outcome.words += ", answers not sent " + std::to_string(verdict.not_sent);
}

}  // namespace soak
