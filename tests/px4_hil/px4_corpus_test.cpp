// px4_corpus_test.cpp - replays the corpus of the fuzz target, and inputs of its own making, without a fuzzer.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "vectors.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size);

namespace {

TEST(Px4Corpus, IsReplayed) {
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(TEST_DATA "../corpus")) {
        std::ifstream file(entry.path(), std::ios::binary);
        const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        EXPECT_EQ(LLVMFuzzerTestOneInput(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()),
                  0);
        ++files;
    }
    EXPECT_GT(files, 10);
}

TEST(Px4Corpus, FramesAndTheirRuins) {
    std::vector<Bytes> frames;
    for (const Json& each : vectors()["frames"]) frames.push_back(from_hex(each["frame_hex"]));
    std::mt19937 random(3);
    for (int round = 0; round < 1000; ++round) {
        Bytes input{static_cast<unsigned char>(random() & 255), static_cast<unsigned char>(random() & 1)};
        for (int i = 0; i < 12; ++i) {
            Bytes frame = frames[random() % frames.size()];
            if (random() % 2 == 0)
                frame[random() % frame.size()] = static_cast<unsigned char>(random() & 255);
            if (random() % 8 == 0) frame.resize(random() % frame.size());
            input.insert(input.end(), frame.begin(), frame.end());
        }
        EXPECT_EQ(LLVMFuzzerTestOneInput(input.data(), input.size()), 0);
    }
}

}  // namespace
