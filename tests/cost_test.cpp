// cost_test.cpp - what a frame costs: no allocation after open(), two system calls on Linux.
#include <gmock/gmock.h>

#include <ap_json/client.hpp>
#include <ap_json/fleet.hpp>
#include <cstdlib>
#include <new>

#include "count_system_calls.hpp"
#include "fake_autopilot.hpp"
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

TEST(Cost, WaitingForAFleetAllocatesNothing) {
    if (WITH_SANITIZER) GTEST_SKIP() << "the sanitizer has an allocator of its own";
    ap_json::Client clients[3];
    ap_json::Fleet fleet;
    for (auto& client : clients) {
        ASSERT_FALSE(client.open(any_port()));
        ASSERT_FALSE(fleet.add(client));
        FakeAutopilot(client.port()).send_packet(0);
    }
    const long before = allocations;
    EXPECT_EQ(fleet.wait(1s).size(), 3U);
    EXPECT_EQ(allocations - before, 0);
}

#if defined(__linux__) && !defined(AP_JSON_POSIX_ONLY)

constexpr int frames = 50;

int exchange_frames() {
    ap_json::Client client;
    if (client.open(any_port())) return 2;
    FakeAutopilot sitl(client.port());
    ap_json::State state = full_state();
    for (std::uint32_t count = 0; count < 2 + frames; ++count) {
        sitl.send_packet(count);
        state.timestamp += 0.0025;
        if (count >= 2) count_system_calls::mark();
        const auto frame = client.receive(100ms);
        const auto error = client.send(state);
        if (count >= 2) count_system_calls::mark();
        if (!frame || error) return 3;
    }
    return 0;
}

TEST(Cost, TwoSystemCallsForAFrame) {
    if (WITH_SANITIZER) GTEST_SKIP() << "a sanitizer makes system calls of its own";
    const auto count = count_system_calls::of(exchange_frames);
    if (count.marks == 0) GTEST_SKIP() << "this system does not allow ptrace";
    ASSERT_TRUE(WIFEXITED(count.status));
    ASSERT_EQ(WEXITSTATUS(count.status), 0);
    ASSERT_EQ(count.marks, 2 * frames);
    EXPECT_EQ(count.calls, 2 * frames) << "one that waits and drains, one that answers";
}

#endif

}  // namespace
