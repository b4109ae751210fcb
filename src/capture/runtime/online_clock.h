// Multithreaded vector clocks inside the program (JMPaX online, section 3), for Algorithm A.
//
// A clock never changes once it is shared: threads, variables and locks that know the same have one body between them, and
// taking over a clock is taking a reference. Null is the clock that is zero everywhere. A checkpoint starts all counts
// anew: clocks of an earlier epoch count as null from then on.
//
// Everything here is used with the online lock held (online_lock.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace sooth::runtime {

struct VectorClock {
  std::uint32_t references;
  std::uint32_t epoch;
  std::uint32_t size; // components; those behind are zero
  std::uint32_t room;
  std::uint32_t counts[];
};

extern std::uint32_t g_epoch;

// Memory that never goes back to the system, in sizes of powers of two; null if there is none left.
void* online_new(std::size_t bytes);
void online_delete(void* p, std::size_t bytes);

void drop_clock(VectorClock* clock);
// The slot's clock becomes `clock`.
void assign_clock(VectorClock*& slot, VectorClock* clock);
// The slot's clock becomes the maximum of both.
void join_clock(VectorClock*& slot, VectorClock* other);
// The slot's clock gets this component.
void raise_clock(VectorClock*& slot, std::uint32_t thread, std::uint32_t count);

inline bool is_current(const VectorClock* clock) { return clock != nullptr && clock->epoch == g_epoch; }

} // namespace sooth::runtime
