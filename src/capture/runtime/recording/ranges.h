// Accesses of more bytes than a register: structures, vectors, memcpy, reads and writes of libc
// functions.
#pragma once

#include "capture/runtime/thread.h"

namespace sooth::runtime {

// `bytes` points to the bytes that were, or will be, at `address`.
void range_access(Thread* t, EventKind kind, const void* address, const void* bytes, std::uint64_t size,
                  std::uint32_t site);
// A copy reads and writes. What is at `to` changes afterwards.
void copy_access(Thread* t, const void* to, const void* from, std::uint64_t size, std::uint32_t site);
// Records one range as an event, with its contents if they are few or always kept.
void append_range(Thread* t, EventKind kind, std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size,
                  std::uint32_t site, std::uint8_t flags);
// A loop walked over the range (abi.h, SoothLoop).
void loop_access(Thread* t, const void* address, std::uint64_t size, std::uint32_t element, std::uint32_t site,
                 std::uint32_t what);
void range_fill(Thread* t, const void* address, std::uint8_t byte, std::uint64_t size, std::uint32_t site);

} // namespace sooth::runtime
