// text_writer_test.cpp - short texts in a fixed buffer: what does not fit is cut, and nothing is written beyond. Reaches
// into the library, since the header is private.
#include "../src/ap_json/text_writer.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

namespace {

using ap_json::TextWriter;

TEST(TextWriter, BeginsEmpty) {
    const TextWriter<8> text;
    EXPECT_STREQ(text.c_str(), "");
    EXPECT_EQ(text.view(), "");
}

TEST(TextWriter, AppendsTextsAndNumbers) {
    TextWriter<64> text;
    text << "a " << 1 << std::string_view(" b") << -2.5 << std::uint16_t{7} << "";
    EXPECT_EQ(text.view(), "a 1 b-2.57");
    EXPECT_EQ(text.c_str(), std::string("a 1 b-2.57"));
}

TEST(TextWriter, NumbersReadBackToTheSameValue) {
    for (double number : {0.1, 1e300, -1.2345678901234567e-308, std::numeric_limits<double>::max()}) {
        TextWriter<64> text;
        text << number;
        EXPECT_EQ(std::strtod(text.c_str(), nullptr), number);
    }
    TextWriter<64> longest;
    longest << std::numeric_limits<std::int64_t>::min();
    EXPECT_EQ(longest.view(), "-9223372036854775808");
}

/// Every length around the capacity, in one piece and in two.
TEST(TextWriter, CutsWhatDoesNotFit) {
    const std::string alphabet = "abcdefghijklmnopqrstuvwxyz";
    for (std::size_t length = 0; length <= alphabet.size(); ++length) {
        for (std::size_t first = 0; first <= length; ++first) {
            struct {
                TextWriter<8> text;
                char behind[8] = {'#', '#', '#', '#', '#', '#', '#', '#'};
            } both;
            both.text << std::string_view(alphabet).substr(0, first)
                      << std::string_view(alphabet).substr(first, length - first);
            EXPECT_EQ(both.text.view(), alphabet.substr(0, std::min<std::size_t>(length, 7)));
            EXPECT_EQ(both.text.c_str(), std::string(both.text.view())) << "ends with a zero";
            EXPECT_EQ(std::string(both.behind, 8), "########");
        }
    }
}

}  // namespace
