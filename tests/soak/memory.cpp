// memory.cpp - see memory.hpp.
#include "memory.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <new>

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
thread_local long count = 0;
}

#if !WITH_SANITIZER
// NOLINTBEGIN: the allocator itself
void* operator new(std::size_t size) {
    ++count;
    void* memory = std::malloc(size == 0 ? 1 : size);
    if (memory == nullptr) std::abort();
    return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
// NOLINTEND
#endif

namespace soak {

bool memory_is_countable() { return WITH_SANITIZER == 0; }

long allocations() { return count; }

std::size_t resident_bytes() {
    std::FILE* const file = std::fopen("/proc/self/statm", "r");
    if (file == nullptr) return 0;
    unsigned long size = 0;
    unsigned long resident = 0;
    const bool read = std::fscanf(file, "%lu %lu", &size, &resident) == 2;
    std::fclose(file);
    return read ? resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace soak
