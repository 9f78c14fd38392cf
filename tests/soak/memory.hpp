// memory.hpp - what the program holds and takes: that neither grows in a link that lives for long.
#pragma once

#include <cstddef>

namespace soak {

/// Whether the two functions below say anything: a sanitizer has an allocator of its own.
bool memory_is_countable();

/// Allocations of this thread so far.
long allocations();

/// Bytes of memory in use, from /proc/self/statm; 0 where there is none.
std::size_t resident_bytes();

}  // namespace soak
