// cost_test.cpp - what a frame costs: no allocation after open(), two system calls on Linux.
#include <gmock/gmock.h>

#include <ap_json/client.hpp>
#include <cstdlib>
#include <new>

#include "fake_autopilot.hpp"
#if defined(__linux__)
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WITH_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WITH_SANITIZER 1
#endif
#endif
#ifndef WITH_SANITIZER
#define WITH_SANITIZER 0
#endif

namespace {
thread_local long allocations = 0;
}

#if !WITH_SANITIZER
// NOLINTBEGIN: the allocator itself
void* operator new(std::size_t size) {
    ++allocations;
    void* memory = std::malloc(size == 0 ? 1 : size);
    if (memory == nullptr) std::abort();
    return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
// NOLINTEND
#endif

namespace {

using namespace std::chrono_literals;

ap_json::ClientOptions any_port() {
    ap_json::ClientOptions options;
    options.port = 0;
    return options;
}

ap_json::State full_state() {
    ap_json::State state;
    state.quaternion = ap_json::Quaternion{};
    state.range_finders = {1, 2, 3, 4, 5, 6};
    state.airspeed = 3.25;
    state.battery = ap_json::Battery{12.5, 1};
    return state;
}

TEST(Cost, NoAllocationAfterOpenWhateverHappens) {
    if (WITH_SANITIZER) GTEST_SKIP() << "the sanitizer has an allocator of its own";
    ap_json::Client client;
    ASSERT_FALSE(client.open(any_port()));
    FakeAutopilot sitl(client.port());
    ap_json::State state = full_state();
    std::uint32_t count = 0;
    const auto cost_of = [&](const auto& action) {
        const long before = allocations;
        action();
        return allocations - before;
    };
    long cost = 0;
    for (int round = 0; round < 200; ++round) {
        sitl.send_packet(count++);
        if (round % 7 == 0) sitl.send({1, 2, 3});      // a stray
        if (round % 11 == 0) sitl.send_packet(count);  // a burst
        if (round % 50 == 49) sitl.send_packet(0);     // a restart
        cost += cost_of([&] {
            state.timestamp += 0.0025;
            static_cast<void>(client.receive(1s));
            static_cast<void>(client.send(state));
            static_cast<void>(client.send(state));  // refused
            static_cast<void>(client.receive(0s));  // nothing there
            static_cast<void>(client.status());
            ap_json::State bad = state;
            bad.gyro.x = 1e30;
            static_cast<void>(client.send(bad));
        });
    }
    EXPECT_EQ(cost, 0);
    EXPECT_GT(client.statistics().sent, 190U);
    EXPECT_GT(client.statistics().refused, 190U);
}

#if defined(__linux__)

/// Marks a place in the stream of system calls; the child makes no other use of it.
void mark() { syscall(SYS_getppid); }

constexpr int frames = 50;

[[noreturn]] void be_watched() {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    raise(SIGSTOP);
    ap_json::Client client;
    if (client.open(any_port())) _exit(2);
    FakeAutopilot sitl(client.port());
    ap_json::State state = full_state();
    for (std::uint32_t count = 0; count < 2 + frames; ++count) {
        sitl.send_packet(count);
        state.timestamp += 0.0025;
        if (count >= 2) mark();
        const auto frame = client.receive(100ms);
        const auto error = client.send(state);
        if (count >= 2) mark();
        if (!frame || error) _exit(3);
    }
    _exit(0);
}

/// Follows the child; counts the system calls that it begins between each two marks.
void watch(pid_t child, int& calls, int& marks, int& status) {
    waitpid(child, &status, 0);
    ptrace(PTRACE_SETOPTIONS, child, nullptr,
           reinterpret_cast<void*>(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
    for (;;) {
        if (ptrace(PTRACE_SYSCALL, child, nullptr, nullptr) != 0) return;
        waitpid(child, &status, 0);
        if (WIFEXITED(status) || WIFSIGNALED(status)) return;
        if (!WIFSTOPPED(status) || WSTOPSIG(status) != (SIGTRAP | 0x80)) continue;
        __ptrace_syscall_info info{};
        if (ptrace(static_cast<__ptrace_request>(PTRACE_GET_SYSCALL_INFO), child,
                   reinterpret_cast<void*>(sizeof info), &info) <= 0)
            return;
        if (info.op != PTRACE_SYSCALL_INFO_ENTRY) continue;
        if (info.entry.nr == SYS_getppid) {
            ++marks;
        } else if (marks % 2 == 1) {
            ++calls;
        }
    }
}

TEST(Cost, TwoSystemCallsForAFrame) {
    if (WITH_SANITIZER) GTEST_SKIP() << "a sanitizer makes system calls of its own";
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) be_watched();
    int calls = 0;
    int marks = 0;
    int status = 0;
    watch(child, calls, marks, status);
    if (marks == 0) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        GTEST_SKIP() << "this system does not allow ptrace";
    }
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_EQ(WEXITSTATUS(status), 0);
    ASSERT_EQ(marks, 2 * frames);
    EXPECT_EQ(calls, 2 * frames) << "one that waits and drains, one that answers";
}

#endif

}  // namespace
