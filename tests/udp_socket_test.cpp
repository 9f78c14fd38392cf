// udp_socket_test.cpp - the socket that client, fleet and stand-in share: addresses, waits, batches, errors. Reaches into
// the library, since the header is private.
#include "../src/ap_json/udp_socket.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <thread>
#if !defined(_WIN32)
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace {

using namespace std::chrono_literals;
using ap_json::Datagram;
using ap_json::Endpoint;
using ap_json::ErrorCode;
using ap_json::loopback_address;
using ap_json::UdpSocket;
using testing::HasSubstr;

constexpr Endpoint any_port{loopback_address, 0};

class SocketTest : public testing::Test {
  protected:
    SocketTest() {
        EXPECT_FALSE(socket_.open(any_port));
        EXPECT_FALSE(peer_.open(any_port));
    }
    void say(const std::string& text) { EXPECT_EQ(peer_.send(socket_.self(), text.data(), text.size()), 0); }
    static std::string text_of(const Datagram& datagram) {
        return {reinterpret_cast<const char*>(datagram.data), datagram.size};
    }

    UdpSocket socket_, peer_;
    Datagram datagrams_[UdpSocket::batch_size];
};

TEST(Address, IsFourNumbersWithPointsBetween) {
    const std::pair<const char*, std::uint32_t> good[] = {{"0.0.0.0", 0},
                                                          {"1.2.3.4", 0x01020304},
                                                          {"255.255.255.255", 0xFFFFFFFF},
                                                          {"127.0.0.1", loopback_address},
                                                          {"099.100.10.09", 0x63640A09}};
    for (const auto& [text, number] : good) {
        std::uint32_t address = 77;
        EXPECT_TRUE(ap_json::parse_address(text, address)) << text;
        EXPECT_EQ(address, number) << text;
    }
    for (const char* text : {"", "1", "1.2.3", "1.2.3.", "1.2.3.4.", "1.2.3.4.5", "1.2.3.256", "256.2.3.4",
                             "1.2.3.1000", "1.2.3.0001", "1..3.4", ".1.2.3", "1.2.3.4 ", "a.2.3.4", "1:2.3.4",
                             "1.2.3./", "1.2.3.:", "-1.2.3.4"}) {
        std::uint32_t address = 77;
        EXPECT_FALSE(ap_json::parse_address(text, address)) << text;
        EXPECT_EQ(address, 77U) << text;
    }
}

TEST(Address, AsText) {
    EXPECT_EQ(ap_json::to_text({0x01020304, 9002}).view(), "1.2.3.4:9002");
    EXPECT_EQ(ap_json::to_text({0, 0}).view(), "0.0.0.0:0");
    EXPECT_EQ(ap_json::to_text({0xFFFEFDFC, 65535}).view(), "255.254.253.252:65535");
    EXPECT_EQ(ap_json::to_text({0xFFFFFFFF, 65535}).view(), "255.255.255.255:65535") << "the longest";
}

TEST(Address, IsTheSameWhenBothPartsAre) {
    const Endpoint a{1, 2};
    EXPECT_TRUE(a == (Endpoint{1, 2}));
    EXPECT_FALSE(a == (Endpoint{1, 3}));
    EXPECT_FALSE(a == (Endpoint{2, 2}));
    EXPECT_TRUE(a != (Endpoint{2, 2}));
    EXPECT_FALSE(a != (Endpoint{1, 2}));
}

TEST_F(SocketTest, SaysWhereItIs) {
    EXPECT_TRUE(socket_.is_open());
    EXPECT_NE(socket_.native_handle(), -1);
    EXPECT_EQ(socket_.local().address, loopback_address);
    EXPECT_NE(socket_.local().port, 0);
    EXPECT_EQ(socket_.self(), socket_.local());
    socket_.close();
    EXPECT_FALSE(socket_.is_open());
    EXPECT_EQ(socket_.native_handle(), -1);
    EXPECT_EQ(socket_.local(), Endpoint{});
    socket_.close();
    ASSERT_FALSE(socket_.open({0, 0}));
    EXPECT_EQ(socket_.self(), (Endpoint{loopback_address, socket_.local().port}));
    say("on all addresses");
    EXPECT_TRUE(socket_.wait(10s));
}

TEST_F(SocketTest, OpenErrorsSayWhatToDo) {
    UdpSocket second;
    const auto busy = second.open(socket_.local());
    EXPECT_EQ(busy.code(), ErrorCode::port_busy);
    EXPECT_THAT(busy.message(), testing::AllOf(testing::StartsWith("cannot listen on UDP 127.0.0.1:"),
                                               HasSubstr("instance")));
    EXPECT_FALSE(second.is_open());
    const auto elsewhere = second.open({0xC0000201, 0});
    EXPECT_EQ(elsewhere.code(), ErrorCode::address_unavailable);
    EXPECT_THAT(elsewhere.message(), testing::AllOf(HasSubstr("192.0.2.1"), HasSubstr("0.0.0.0 listens")));
}

TEST_F(SocketTest, OpenAgainLeavesTheOldPort) {
    const Endpoint old = socket_.local();
    ASSERT_FALSE(socket_.open(any_port));
    EXPECT_FALSE(UdpSocket().open(old)) << "it is free";
    EXPECT_FALSE(socket_.open(socket_.local())) << "one's own port is not busy";
}

#if !defined(_WIN32)
/// The lowest number that a file descriptor can have now.
int next_descriptor() {
    const int lowest = dup(0);
    close(lowest);
    return lowest;
}

TEST_F(SocketTest, LeavesNothingOpen) {
    const int before = next_descriptor();
    {
        UdpSocket good, bad;
        EXPECT_FALSE(good.open(any_port));
        EXPECT_TRUE(bad.open(socket_.local()));
        EXPECT_GT(next_descriptor(), before);
    }
    EXPECT_EQ(next_descriptor(), before);
}

TEST_F(SocketTest, SaysWhenTheSystemHasNothingLeft) {
    rlimit old{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &old), 0);
    rlimit none = old;
    none.rlim_cur = static_cast<rlim_t>(next_descriptor());
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    UdpSocket third;
    const auto error = third.open(any_port);
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &old), 0);
    EXPECT_EQ(error.code(), ErrorCode::system_error);
    EXPECT_THAT(error.message(), testing::EndsWith(UdpSocket::error_text(EMFILE).c_str()));
    EXPECT_FALSE(third.is_open());
}
#endif

/// The wait of the socket before is not that of the new one.
TEST_F(SocketTest, OpenAgainWaitsAsBefore) {
    for (int opened = 0; opened < 2; ++opened) {
        EXPECT_EQ(socket_.receive_batch(datagrams_, 25ms), 0);
        ASSERT_FALSE(socket_.open(any_port));
    }
}

TEST(Socket, KnowsItsOwnAddress) {
    UdpSocket socket;
    if (socket.open({0x7F000009, 0})) GTEST_SKIP() << "this system has no 127.0.0.9";
    EXPECT_EQ(socket.self(), socket.local());
    EXPECT_EQ(socket.self().address, 0x7F000009U);
}

/// Short waits and long ones are made in different ways; in each the time of the wait before must not stay.
TEST_F(SocketTest, WaitsAsLongAsAskedEachTime) {
    for (int opened = 0; opened < 2; ++opened) {
        for (const auto timeout : {0us, 1500us, 19999us, 20000us, 30500us, 30500us, 25000us, 1000us, 0us}) {
            const auto start = std::chrono::steady_clock::now();
            EXPECT_EQ(socket_.receive_batch(datagrams_, timeout), 0);
            EXPECT_GE(std::chrono::steady_clock::now() - start, timeout - 100us) << timeout.count();
            const auto again = std::chrono::steady_clock::now();
            EXPECT_FALSE(socket_.wait(timeout));
            EXPECT_GE(std::chrono::steady_clock::now() - again, timeout);
        }
        ASSERT_FALSE(socket_.open(any_port));
    }
    EXPECT_FALSE(socket_.wait(-1h));
    say("there");
    EXPECT_TRUE(socket_.wait(-1h));
}

TEST_F(SocketTest, WaitsForSecondsToo) {
    for (int way = 0; way < 2; ++way) {
        const auto start = std::chrono::steady_clock::now();
        if (way == 0) {
            EXPECT_FALSE(socket_.wait(1100ms));
        } else {
            EXPECT_EQ(socket_.receive_batch(datagrams_, 1100ms), 0);
        }
        EXPECT_GE(std::chrono::steady_clock::now() - start, 1090ms);
    }
}

/// An hour that is not waited for: what is there, or comes, ends the wait.
TEST_F(SocketTest, WhatComesEndsAWait) {
    for (const auto timeout : {std::chrono::nanoseconds(10ms), std::chrono::nanoseconds(1h)}) {
        say("first");
        EXPECT_TRUE(socket_.wait(timeout));
        EXPECT_EQ(socket_.receive_batch(datagrams_, timeout), 1);
        EXPECT_EQ(text_of(datagrams_[0]), "first");
        EXPECT_EQ(socket_.receive_batch(datagrams_, 0s), 0);
    }
    std::thread later([this] { say("second"); });
    EXPECT_EQ(socket_.receive_batch(datagrams_, 1h), 1);
    later.join();
    EXPECT_EQ(text_of(datagrams_[0]), "second");
}

TEST_F(SocketTest, TakesEightAtOnceInOrder) {
    for (int i = 0; i < 19; ++i) say(std::string(static_cast<std::size_t>(i), static_cast<char>('a' + i)));
    std::size_t next = 0;
    for (int expected : {8, 8, 3, 0}) {
        const int count = socket_.receive_batch(datagrams_, 0s);
        ASSERT_EQ(count, expected);
        for (int i = 0; i < count; ++i, ++next) {
            EXPECT_EQ(text_of(datagrams_[i]),
                      std::string(next, static_cast<char>('a' + static_cast<int>(next))));
            EXPECT_EQ(datagrams_[i].from, peer_.self());
        }
    }
}

TEST_F(SocketTest, TakesOneWhenOneIsAskedFor) {
    EXPECT_EQ(socket_.receive_batch(datagrams_, 0s, 1), 0);
    say("a");
    say("");
    say("bc");
    for (const char* text : {"a", "", "bc"}) {
        datagrams_[0] = {};
        ASSERT_EQ(socket_.receive_batch(datagrams_, 0s, 1), 1);
        EXPECT_EQ(text_of(datagrams_[0]), text);
        EXPECT_EQ(datagrams_[0].from, peer_.self());
    }
    EXPECT_EQ(socket_.receive_batch(datagrams_, 0s, 1), 0);
}

TEST_F(SocketTest, CutsWhatIsTooLong) {
    for (const std::size_t size :
         {Datagram::capacity - 1, Datagram::capacity, Datagram::capacity + 1, std::size_t{60000}}) {
        const std::size_t kept = std::min(size, Datagram::capacity);
        for (int most : {1, UdpSocket::batch_size}) {
            say(std::string(size, 'x'));
            ASSERT_EQ(socket_.receive_batch(datagrams_, 0s, most), 1);
            EXPECT_EQ(datagrams_[0].size, kept);
        }
    }
}

TEST_F(SocketTest, TakesOneByItself) {
    char buffer[4] = {};
    Endpoint from{1, 2};
    EXPECT_EQ(socket_.receive_one(buffer, sizeof buffer, from), -1);
    EXPECT_EQ(from, (Endpoint{1, 2})) << "untouched";
    say("");
    EXPECT_EQ(socket_.receive_one(buffer, sizeof buffer, from), 0);
    EXPECT_EQ(from, peer_.self());
    say("abcdef");
    EXPECT_EQ(socket_.receive_one(buffer, sizeof buffer, from), 4);
    EXPECT_EQ(std::string(buffer, 4), "abcd");
}

#if !defined(_WIN32)
TEST_F(SocketTest, ErrorsAreNumbersWithWords) {
    const int number = socket_.send({loopback_address, 0}, "x", 1);
    EXPECT_EQ(number, EINVAL);
    EXPECT_EQ(UdpSocket::error_text(number).view(),
              std::string(std::strerror(EINVAL)) + " (error " + std::to_string(EINVAL) + ")");
    socket_.close();
    EXPECT_EQ(socket_.send(peer_.self(), "x", 1), EBADF);
    for (const auto timeout : {0ms, 30ms}) EXPECT_EQ(socket_.receive_batch(datagrams_, timeout), -1);
    EXPECT_EQ(socket_.receive_batch(datagrams_, 0s, 1), -1);
}

/// Nobody is where the answer went: that says nothing about this socket.
TEST_F(SocketTest, AnAnswerToNobodyIsNoError) {
    const Endpoint gone = peer_.self();
    peer_.close();
    EXPECT_EQ(socket_.send(gone, "x", 1), 0);
    EXPECT_EQ(socket_.receive_batch(datagrams_, 0s), 0);
    EXPECT_EQ(socket_.receive_batch(datagrams_, 0s, 1), 0);
}
#endif

}  // namespace
