// Multithreaded vector clocks inside the program (JMPaX online, section 3), for Algorithm A.
//
// A clock never changes once it is shared. Threads, variables and locks with the same knowledge
// share one body, so copying a clock only takes a reference. Null is the clock that is zero
// everywhere. A checkpoint restarts all counts: from then on, clocks of an earlier epoch count as
// null.
//
// Everything here needs the observing lock (observing/lock.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace sooth::runtime::observing {

struct VectorClock {
  std::uint32_t references;
  std::uint32_t epoch;
  std::uint32_t size; // components; those behind are zero
  std::uint32_t room;
  std::uint32_t counts[];
};

extern std::uint32_t g_epoch;

// Memory that never goes back to the system, in sizes of powers of two. Null if there is none left.
void* take_memory(std::size_t bytes);
void drop_memory(void* p, std::size_t bytes);

void drop_clock(VectorClock* clock);
// Sets the slot's clock to `clock`.
void assign_clock(VectorClock*& slot, VectorClock* clock);
// Sets the slot's clock to the maximum of both.
void join_clock(VectorClock*& slot, VectorClock* other);
// Sets this component of the slot's clock.
void raise_clock(VectorClock*& slot, std::uint32_t thread, std::uint32_t count);

inline bool is_current(const VectorClock* clock) { return clock != nullptr && clock->epoch == g_epoch; }

} // namespace sooth::runtime::observing
