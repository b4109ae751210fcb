// Algorithm A's knowledge of memory: for each byte its last value, its last writer, its access
// clock and its write clock.
//
//     T1 load x                the value 0
//     T2 hook, then store x=1
//     T1 hook of the load      by the hooks, T1 reads after T2's write. The value 0 shows that T1's
//                              read was overtaken: it belongs before the write
//
// Question: what do reads and writes of these bytes, and operations on the objects at these
//   addresses, order?
// Source: JMPaX online, Fig. 2: steps 2 (read) and 3 (write).
// Where we differ: variables are bytes, grouped in pieces of a granule (8 bytes) that have always
//   been accessed together. Clocks are shared bodies (observing/clock.h). Values are kept: a plain
//   access cannot be made under our lock, and its value shows when it happened elsewhere in the
//   order than its hook.
// Cost: a hash and a short list for each granule; about 90 bytes of memory for each granule that
//   was ever accessed.
//
// Hooks of plain writes run before the store, and hooks of reads after the load. So no thread sees
// a value before its hook ran. But a read may be overtaken, as above. `judge_read` detects that.
//
// Everything here needs the observing lock.
#pragma once

#include <cstdint>

#include "capture/runtime/observing/clock.h"

namespace sooth::runtime::observing {

struct ThreadState; // observing/threads.h

enum class Seen : std::uint8_t {
  Fits,      // the bytes are the last that were written, or nothing was known of them
  External,  // no thread that Sooth follows wrote them
  Overtaken, // the read happened before a write whose hook ran first
  Unordered, // two writes of these bytes may have happened in another order than their hooks
};

// Whether the bytes that a read saw fit. Its only effect: it clears suspicions that proved wrong.
Seen judge_read(ThreadState& self, std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size);

// Whether several threads have accessed some of these bytes.
bool is_shared(std::uint64_t address, std::uint64_t size);

// Steps 2 and 3 of the algorithm for [address, address + size), whatever the bytes are.
void shadow_read(ThreadState& self, std::uint64_t address, std::uint64_t size);
void shadow_write(ThreadState& self, std::uint64_t address, std::uint64_t size);
// Sets the bytes' values from now on. Null: not known.
void shadow_values(std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size);
void shadow_fill(std::uint64_t address, std::uint8_t byte, std::uint64_t size);

// Whether another thread wrote some of these bytes and may not have done its store yet. Then this
// thread's write should wait. With `give_up`, the bytes are marked instead: it is unknown which
// store came last.
bool has_rival(ThreadState& self, std::uint64_t address, std::uint64_t size, bool give_up);

// The object at [address, address + size) begins or ends. Its end is after all accesses of it, and
// its beginning before all. That it reuses the memory of an earlier object is an accident, and
// gives no order.
void shadow_object(ThreadState& self, std::uint64_t address, std::uint64_t size, bool ends);

// A synchronisation object is a variable of its own (JMPaX online, section 3.1), apart from the
// bytes at its address.
inline std::uint64_t sync_object(std::uint64_t address) {
  return (address & ~std::uint64_t{7}) ^ std::uint64_t{1} << 62;
}
inline std::uint64_t thread_sync_object(std::uint32_t thread) {
  return std::uint64_t{thread} * 8 ^ std::uint64_t{1} << 61;
}

} // namespace sooth::runtime::observing
