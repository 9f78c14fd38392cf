// fleet_test.cpp - many vehicles on one thread: who is ready, who is waited for, who is left out.
#include <gmock/gmock.h>

#include <ap_json/fleet.hpp>
#include <ap_json/sitl_stand_in.hpp>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <thread>
#if !defined(_WIN32)
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>
#endif

#include "fake_autopilot.hpp"

namespace {

using namespace std::chrono_literals;
using ap_json::Client;
using ap_json::ErrorCode;
using ap_json::Fleet;
using ap_json::InStep;
using testing::ElementsAre;
using testing::IsEmpty;

ap_json::State at(double time) {
    ap_json::State state;
    state.timestamp = time;
    return state;
}

/// Some clients and an autopilot for each.
class FleetTest : public testing::Test {
  protected:
    void make(std::size_t vehicles) {
        ap_json::ClientOptions options;
        options.port = 0;
        options.link_loss_time = 200ms;
        for (std::size_t i = 0; i < vehicles; ++i) {
            ASSERT_FALSE(clients_.emplace_back().open(options));
            ASSERT_FALSE(fleet_.add(clients_.back()));
            sitls_.emplace_back(clients_.back().port());
        }
    }

    std::deque<Client> clients_;
    std::deque<FakeAutopilot> sitls_;
    Fleet fleet_;
};

TEST_F(FleetTest, SaysWhoHasSomething) {
    make(4);
    EXPECT_THAT(fleet_.wait(0s), IsEmpty());
    sitls_[2].send_packet(0);
    EXPECT_THAT(fleet_.wait(10s), ElementsAre(2));
    EXPECT_THAT(fleet_.wait(10s), ElementsAre(2)) << "until it is taken";
    EXPECT_TRUE(fleet_[2].receive(0s));
    EXPECT_THAT(fleet_.wait(0s), IsEmpty());
    sitls_[3].send_packet(0);
    sitls_[0].send_packet(0);
    EXPECT_THAT(fleet_.wait(10s), testing::UnorderedElementsAre(0, 3));
}

TEST_F(FleetTest, WaitsAsLongAsAsked) {
    make(2);
    for (const auto timeout : {0ms, 5ms, 30ms}) {
        const auto start = std::chrono::steady_clock::now();
        EXPECT_THAT(fleet_.wait(timeout), IsEmpty());
        EXPECT_GE(std::chrono::steady_clock::now() - start, timeout);
    }
    clients_[1].cancel();
    EXPECT_THAT(fleet_.wait(std::chrono::nanoseconds::max()), ElementsAre(1)) << "cancel ends the wait";
    EXPECT_FALSE(fleet_[1].receive(0s));
    EXPECT_FALSE(fleet_[1].receive(0s));
    EXPECT_THAT(fleet_.wait(0s), IsEmpty());
}

TEST_F(FleetTest, LessThanNothingLooksAndReturns) {
    make(1);
    EXPECT_THAT(fleet_.wait(-1h), IsEmpty());
    EXPECT_THAT(fleet_.wait(std::chrono::nanoseconds::min()), IsEmpty());
    sitls_[0].send_packet(0);
    EXPECT_THAT(fleet_.wait(-1h), ElementsAre(0));
}

#if !defined(_WIN32)
TEST_F(FleetTest, ASignalDoesNotEndAWait) {
    make(1);
    struct sigaction action {};
    action.sa_handler = [](int) {};
    struct sigaction old {};
    ASSERT_EQ(sigaction(SIGUSR1, &action, &old), 0);  // without SA_RESTART
    const pthread_t self = pthread_self();
    std::atomic<bool> stop{false};
    std::thread sender([&] {
        for (; !stop; std::this_thread::sleep_for(1ms)) pthread_kill(self, SIGUSR1);
    });
    const auto start = std::chrono::steady_clock::now();
    EXPECT_THAT(fleet_.wait(40ms), IsEmpty());
    EXPECT_GE(std::chrono::steady_clock::now() - start, 40ms);
    stop = true;
    sender.join();
    sigaction(SIGUSR1, &old, nullptr);
}
#endif

TEST_F(FleetTest, RefusesAClientThatIsNotOpen) {
    Client closed;
    EXPECT_EQ(fleet_.add(closed).code(), ErrorCode::not_open);
    EXPECT_EQ(fleet_.size(), 0U);
    const auto start = std::chrono::steady_clock::now();
    EXPECT_THAT(fleet_.wait(10ms), IsEmpty());
    EXPECT_GE(std::chrono::steady_clock::now() - start, 10ms) << "a loop around an empty fleet does not spin";
    make(1);
    EXPECT_EQ(fleet_.add(clients_[0]).code(), ErrorCode::system_error) << "twice";
    EXPECT_EQ(fleet_.size(), 1U);
}

#if !defined(_WIN32)
/// The lowest number that a file descriptor can have now.
int next_descriptor() {
    const int lowest = dup(0);
    close(lowest);
    return lowest;
}

TEST_F(FleetTest, LeavesNothingOpen) {
    make(1);
    const int before = next_descriptor();
    {
        Fleet other;
        EXPECT_FALSE(other.add(clients_[0]));
        EXPECT_GT(next_descriptor(), before);
    }
    EXPECT_EQ(next_descriptor(), before);
}

TEST_F(FleetTest, SaysWhenTheSystemHasNothingLeft) {
    make(1);
    rlimit old{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &old), 0);
    rlimit none = old;
    none.rlim_cur = static_cast<rlim_t>(next_descriptor());
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    Fleet other;
    const auto error = other.add(clients_[0]);
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &old), 0);
    EXPECT_EQ(error.code(), ErrorCode::system_error);
    EXPECT_THAT(error.message(), testing::HasSubstr(std::strerror(EMFILE)));
    EXPECT_EQ(other.size(), 0U);
}
#endif

TEST_F(FleetTest, InStepWaitsForAll) {
    make(3);
    InStep step(fleet_, 10s);
    for (auto& sitl : sitls_) sitl.send_packet(0);
    EXPECT_THAT(fleet_.wait(1s), testing::Not(IsEmpty()));
    step.gather();
    while (step.participants() < 3) step.gather();
    for (std::size_t i : {0U, 1U, 2U}) static_cast<void>(step.answer(i, at(1)));
    std::thread late([this] {
        for (auto& sitl : sitls_) {
            std::this_thread::sleep_for(2ms);
            sitl.send_packet(1);
        }
    });
    const auto& frames = step.gather();
    late.join();
    for (const auto& frame : frames) {
        ASSERT_TRUE(frame);
        EXPECT_EQ(frame->servos.frame_count, 1U);
    }
    EXPECT_EQ(step.left_out(), 0U);
}

/// While nobody takes part, `idle` is the time that counts; then it is the patience.
TEST_F(FleetTest, NobodyIsWaitedForAsLongAsAsked) {
    make(2);
    InStep step(fleet_, 1h);  // one such wait is over the time limit of the tests
    for (const auto idle : {0ms, 20ms}) {
        const auto start = std::chrono::steady_clock::now();
        step.gather(idle);
        EXPECT_GE(std::chrono::steady_clock::now() - start, idle);
        EXPECT_EQ(step.participants(), 0U);
    }
    sitls_[1].send_packet(0);
    EXPECT_TRUE(step.gather(1h)[1]) << "the first one ends the wait";
    EXPECT_FALSE(step.answer(1, at(1)));
    std::thread late([this] {
        std::this_thread::sleep_for(20ms);
        sitls_[1].send_packet(1);
    });
    EXPECT_TRUE(step.gather(0s)[1]) << "now there is one to be patient with";
    late.join();
}

TEST_F(FleetTest, WhoeverIsQuietIsLeftOut) {
    for (std::size_t quiet : {0U, 1U, 2U}) {
        fleet_ = Fleet();
        clients_.clear();
        sitls_.clear();
        make(3);
        InStep step(fleet_, 20ms);
        for (auto& sitl : sitls_) sitl.send_packet(0);
        while (fleet_.wait(1s).size() < 3) {
        }
        step.gather();
        ASSERT_EQ(step.participants(), 3U);
        for (std::size_t i = 0; i < 3; ++i) EXPECT_FALSE(step.answer(i, at(1)));
        for (std::size_t i = 0; i < 3; ++i) {
            if (i != quiet) sitls_[i].send_packet(1);
        }
        step.gather();
        EXPECT_FALSE(step.takes_part(quiet)) << quiet;
        EXPECT_EQ(step.left_out(), 1U);
    }
}

TEST_F(FleetTest, AQuietOneIsLeftOutUntilItComesBack) {
    make(2);
    InStep step(fleet_, 30ms);
    for (const auto& frame : step.gather(0s)) EXPECT_FALSE(frame);
    EXPECT_EQ(step.participants(), 0U);
    const auto ask = [&](std::size_t i, std::uint32_t count) { sitls_[i].send_packet(count); };
    ask(0, 0);
    ask(1, 0);
    for (double time = 1; step.participants() < 2; ++time) {
        const auto& frames = step.gather();
        for (std::size_t i : {0U, 1U}) {
            if (frames[i]) {
                EXPECT_FALSE(step.answer(i, at(time)));
            }
        }
    }
    ask(0, 1);  // 1 stays quiet
    const auto& frames = step.gather();
    EXPECT_TRUE(frames[0]);
    EXPECT_FALSE(frames[1]);
    EXPECT_EQ(step.left_out(), 1U);
    EXPECT_FALSE(step.takes_part(1));
    EXPECT_FALSE(step.answer(0, at(10)));
    for (std::uint32_t count = 2; count < 100; ++count) {
        ask(0, count);
        EXPECT_TRUE(step.gather()[0]) << "the others go on, and at once";
        EXPECT_FALSE(step.answer(0, at(10 + count)));
    }
    EXPECT_EQ(step.left_out(), 1U);
    for (std::uint32_t count = 100; clients_[1].status() != ap_json::LinkStatus::lost; ++count) {
        ask(0, count);
        EXPECT_TRUE(step.gather()[0]);
        EXPECT_FALSE(step.answer(0, at(1000 + count)));
        std::this_thread::sleep_for(1ms);
    }
    ask(0, 100000);
    ask(1, 0);
    bool back = false;
    for (int round = 0; round < 2 && !back; ++round) back = step.gather()[1].has_value();
    EXPECT_TRUE(back);
    EXPECT_TRUE(step.takes_part(1));
    EXPECT_FALSE(step.answer(1, at(200)));
}

/// A repetition gets the last state that was sent, not one that was refused.
TEST_F(FleetTest, ARefusedStateIsNotRepeated) {
    make(1);
    InStep step(fleet_, 10s);
    sitls_[0].send_packet(0);
    while (step.participants() < 1) step.gather();
    EXPECT_FALSE(step.answer(0, at(1)));
    const auto first_answer = sitls_[0].receive();
    sitls_[0].send_packet(1);
    step.gather();
    EXPECT_EQ(step.answer(0, at(1)).code(), ErrorCode::time_not_advanced);
    ap_json::State bad = at(2);
    bad.gyro.x = 99;
    EXPECT_EQ(step.answer(0, bad).code(), ErrorCode::out_of_range);
    std::thread autopilot([&] {
        sitls_[0].send_packet(1);
        EXPECT_EQ(sitls_[0].receive(5s), first_answer);
        sitls_[0].send_packet(2);
    });
    EXPECT_EQ(step.gather()[0]->servos.frame_count, 2U);
    autopilot.join();
}

#if !defined(_WIN32)
/// An answer that the system did not take is what a repetition gets: the vehicle has stepped.
TEST_F(FleetTest, AnAnswerThatWasNotTakenIsRepeated) {
    make(1);
    InStep step(fleet_, 10s);
    sitls_[0].send_packet(0);
    while (step.participants() < 1) step.gather();
    EXPECT_FALSE(step.answer(0, at(1)));
    EXPECT_TRUE(sitls_[0].receive());
    sitls_[0].send_packet(1);
    step.gather();
    const int socket = static_cast<int>(clients_[0].native_handle());
    const int spare = dup(socket);
    const int null = open("/dev/null", O_RDWR);
    ASSERT_EQ(dup2(null, socket), socket);
    EXPECT_EQ(step.answer(0, at(2)).code(), ErrorCode::not_sent);
    ASSERT_EQ(dup2(spare, socket), socket);
    close(spare);
    close(null);
    std::thread autopilot([&] {
        sitls_[0].send_packet(1);
        EXPECT_THAT(sitls_[0].receive(5s).value_or(""), testing::HasSubstr("{\"timestamp\":2,"));
        sitls_[0].send_packet(2);
    });
    EXPECT_EQ(step.gather()[0]->servos.frame_count, 2U);
    autopilot.join();
}
#endif

/// One that asks twice before another has asked at all counts once.
TEST_F(FleetTest, ANewerFrameOfOneIsNotTheOthers) {
    make(2);
    InStep step(fleet_, 10s);
    for (auto& sitl : sitls_) sitl.send_packet(0);
    while (step.participants() < 2) step.gather();
    std::uint32_t count = 0;
    for (int round = 1; round < 20; ++round) {
        for (std::size_t i : {0U, 1U}) static_cast<void>(step.answer(i, at(round)));
        std::thread autopilots([&] {
            for (int frame = 0; frame < 3; ++frame) {
                sitls_[0].send_packet(++count);
                std::this_thread::sleep_for(1ms);  // so that they are taken one by one, mostly
            }
            sitls_[1].send_packet(static_cast<std::uint32_t>(round));
        });
        const auto& frames = step.gather();
        EXPECT_TRUE(frames[0] && frames[1]) << round;
        autopilots.join();
    }
    EXPECT_EQ(step.left_out(), 0U);
}

TEST_F(FleetTest, ALostAnswerIsRepeatedAndNobodyGetsOutOfStep) {
    make(2);
    InStep step(fleet_, 10s);
    sitls_[0].send_packet(0);
    sitls_[1].send_packet(0);
    while (step.participants() < 2) step.gather();
    EXPECT_FALSE(step.answer(0, at(1)));
    EXPECT_FALSE(step.answer(1, at(1)));
    const auto first_answer = sitls_[1].receive();
    sitls_[0].send_packet(1);
    std::thread second([&] {
        sitls_[1].send_packet(0);  // asks again
        EXPECT_EQ(sitls_[1].receive(5s), first_answer);
        sitls_[1].send_packet(1);
    });
    const auto& frames = step.gather();
    second.join();
    ASSERT_TRUE(frames[0] && frames[1]);
    EXPECT_EQ(frames[1]->kind, ap_json::FrameKind::next);
}

/// Eight SITLs, one of them restarted underway and one ended: all that are there advance together.
TEST_F(FleetTest, EightStandInsInStep) {
    make(8);
    std::deque<ap_json::SitlStandIn> sitls(8);
    for (std::size_t i = 0; i < 8; ++i) {
        ap_json::SitlStandInOptions options;
        options.backend_port = clients_[i].port();
        options.speedup = 0;
        ASSERT_FALSE(sitls[i].start(options));
    }
    InStep step(fleet_, 50ms);
    double time = 0;
    const auto advance = [&](int steps) {
        for (int done = 0; done < steps;) {
            const auto& frames = step.gather(1s);
            if (step.participants() == 0) continue;
            time += 0.0025;
            ++done;
            for (std::size_t i = 0; i < 8; ++i) {
                if (frames[i]) {
                    ASSERT_FALSE(step.answer(i, at(time)));
                }
            }
        }
    };
    while (step.participants() < 8) advance(1);
    advance(500);
    ASSERT_FALSE(sitls[3].restart());
    sitls[5].stop();
    advance(500);
    EXPECT_EQ(step.participants(), 7U);
    EXPECT_FALSE(step.takes_part(5));
    EXPECT_EQ(clients_[3].statistics().restarts, 1U);
    for (std::size_t i = 0; i < 8; ++i) {
        EXPECT_EQ(clients_[i].statistics().refused, 0U) << i;
        EXPECT_EQ(sitls[i].traffic().rejected, 0U) << i;
    }
}

}  // namespace
