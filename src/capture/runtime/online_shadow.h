// What Algorithm A knows of memory: for each byte its last value, who wrote it, its access clock and its write clock.
//
// Question: what do reads and writes of these bytes, and operations on the objects at these addresses, order?
// Source: JMPaX online, Fig. 2: steps 2 (read) and 3 (write). We differ: variables are bytes,
// grouped in pieces of a granule (8 bytes) that have always been accessed together; clocks are
// shared bodies (online_clock.h); and values are kept, because a plain access cannot be made under
// our lock, and a value tells when it happened elsewhere in the order than its hook.
// Cost: a hash and a short list for each granule; about 90 bytes of memory for each granule that was ever accessed.
//
// Hooks of plain writes run before the store and those of reads after the load, so nobody sees a value before its hook ran.
// But a read may be overtaken: load, then another thread's hook and store, then the read's hook. `read` finds that out.
//
// Everything here is used with the online lock held.
#pragma once

#include <cstdint>

#include "capture/runtime/online_clock.h"

namespace sooth::runtime {

struct OnlineThread; // online_threads.h

enum class Seen : std::uint8_t {
  Fits,      // the bytes are the last that were written, or nothing was known of them
  External,  // nobody whom we follow wrote them
  Overtaken, // the read happened before a write whose hook ran first
  Unordered, // two writes of these bytes may have happened in another order than their hooks
};

// Whether the bytes that a read saw fit; changes nothing but what was only a suspicion.
Seen judge_read(OnlineThread& self, std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size);

// Whether several threads have accessed some of these bytes.
bool is_shared(std::uint64_t address, std::uint64_t size);

// Steps 2 and 3 of the algorithm for [address, address + size), whatever the bytes are.
void shadow_read(OnlineThread& self, std::uint64_t address, std::uint64_t size);
void shadow_write(OnlineThread& self, std::uint64_t address, std::uint64_t size);
// The bytes' values from now on. null: not known.
void shadow_values(std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size);
void shadow_fill(std::uint64_t address, std::uint8_t byte, std::uint64_t size);

// Another thread that wrote some of these bytes and may not have done its store yet: then this thread's write had better wait.
// With `give_up`, the bytes are marked instead: whose store came last is not known.
bool has_rival(OnlineThread& self, std::uint64_t address, std::uint64_t size, bool give_up);

// The object at [address, address + size) begins or ends. Its end is after all accesses of it, and its beginning before all;
// but that it lies where another one was before is an accident, and no order.
void shadow_object(OnlineThread& self, std::uint64_t address, std::uint64_t size, bool ends);

// What is synchronised on is a variable of its own (JMPaX online, section 3.1), apart from the
// bytes at its address.
inline std::uint64_t sync_object(std::uint64_t address) {
  return (address & ~std::uint64_t{7}) ^ std::uint64_t{1} << 62;
}
inline std::uint64_t thread_sync_object(std::uint32_t thread) {
  return std::uint64_t{thread} * 8 ^ std::uint64_t{1} << 61;
}

} // namespace sooth::runtime
