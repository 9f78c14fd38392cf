// coptersim_fuzz_replay_test.cpp - plays the corpus in data/corpus, and damaged copies of it, through the fuzzer's
// target, which aborts when something does not hold.
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size);

namespace {

void play(const std::string& bytes) {
    EXPECT_EQ(LLVMFuzzerTestOneInput(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()), 0);
}

TEST(CoptersimFuzz, TheCorpusAndDamagedCopiesOfIt) {
    std::mt19937 random(3);  // NOLINT(cert-msc51-cpp): the same in each run
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(TEST_DATA "corpus")) {
        std::ifstream file(entry.path(), std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
        ++files;
        for (std::size_t size = 0; size <= bytes.size(); ++size) play(bytes.substr(0, size));
        for (int i = 0; i < 2000; ++i) {
            std::string damaged = bytes;
            for (int n = 0; n < 4 && !damaged.empty(); ++n)
                damaged[random() % damaged.size()] = static_cast<char>(random());
            play(damaged);
        }
    }
    EXPECT_GE(files, 12);
}

}  // namespace
