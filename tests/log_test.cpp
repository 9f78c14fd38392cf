// log_test.cpp - the log's callback, and how often it is told: five events at once, then one a second.
#include <gmock/gmock.h>

#include <ap_json/log.hpp>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using ap_json::LogCallback;
using ap_json::LogLimit;

int allowed(LogLimit& limit, std::chrono::steady_clock::time_point now, int asked) {
    int count = 0;
    for (int i = 0; i < asked; ++i) count += limit.allows(now) ? 1 : 0;
    return count;
}

TEST(LogLimit, FiveAtOnceThenOneASecond) {
    LogLimit limit;
    const std::chrono::steady_clock::time_point start(1000s);
    EXPECT_EQ(allowed(limit, start, 100), 5);
    EXPECT_EQ(allowed(limit, start + 1s - 1ns, 100), 0);
    for (int second = 1; second < 10; ++second) EXPECT_EQ(allowed(limit, start + second * 1s, 100), 1);
    EXPECT_EQ(allowed(limit, start + 9s + 3s, 100), 3) << "quiet seconds are made up for";
    EXPECT_EQ(allowed(limit, start + 1h, 100), 5) << "but no more than five of them";
}

TEST(LogLimit, AnEventNowAndThenIsAlwaysTold) {
    LogLimit limit;
    for (int second = 1000; second < 2000; ++second) {
        EXPECT_TRUE(limit.allows(std::chrono::steady_clock::time_point(second * 1s)));
    }
}

TEST(LogCallback, IsFalseWhenThereIsNone) {
    EXPECT_FALSE(LogCallback());
    EXPECT_FALSE(LogCallback(nullptr));
    EXPECT_TRUE(LogCallback([](std::string_view) {}));
}

TEST(LogCallback, CopiesShareWhatTheyHold) {
    std::vector<std::string> told;
    const LogCallback original = [&told, number = 0](std::string_view text) mutable {
        told.push_back(std::string(text) + std::to_string(++number));
    };
    const LogCallback copy = original;
    original("a");
    copy("b");
    EXPECT_THAT(told, testing::ElementsAre("a1", "b2"));
}

}  // namespace
