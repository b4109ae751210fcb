// Accesses of more bytes than a register: structures, vectors, memcpy, what libc functions read and write.
#pragma once

#include "capture/runtime/thread.h"

namespace sooth::runtime {

// The bytes that were or will be at `address` are at `bytes`.
void range_access(Thread* t, EventKind kind, const void* address, const void* bytes, std::uint64_t size, std::uint32_t site);
void range_fill(Thread* t, const void* address, std::uint8_t byte, std::uint64_t size, std::uint32_t site);

} // namespace sooth::runtime
