// fuzz.hpp - what the fuzzers share: an input's bytes taken apart, and the check of a property.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

/// What libFuzzer, or replay_main.cpp, calls with each input. Each fuzzer defines it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace fuzz {

/// Ends the process when a property does not hold, which is a crash to the fuzzer.
inline void check(bool holds, const char* property) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s\n", property);
    std::abort();
}

/// Takes values from an input, one after the other; zeros when it has ended.
class Input {
  public:
    Input(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

    [[nodiscard]] bool empty() const { return size_ == 0; }

    std::uint8_t byte() { return number<std::uint8_t>(); }

    /// Any bit pattern.
    template <class Number>
    Number number() {
        unsigned char bytes[sizeof(Number)] = {};
        const std::size_t taken = size_ < sizeof bytes ? size_ : sizeof bytes;
        if (taken > 0) std::memcpy(bytes, data_, taken);
        skip(taken);
        Number result;
        std::memcpy(&result, bytes, sizeof result);
        return result;
    }

    /// A byte that says how many, and so many bytes.
    std::string text() {
        const std::size_t wanted = byte();
        const std::size_t taken = size_ < wanted ? size_ : wanted;
        std::string result(reinterpret_cast<const char*>(data_), taken);
        skip(taken);
        return result;
    }

  private:
    void skip(std::size_t count) {
        data_ += count;
        size_ -= count;
    }

    const std::uint8_t* data_;
    std::size_t size_;
};

}  // namespace fuzz
