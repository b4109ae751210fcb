// Components of clocks. A thread that has ended gives its component back, so that clocks stay as
// small as the number of threads that are there.
//
// Question: when does nobody need the component of a thread that has ended?
// When every thread that is there knows all its relevant events. Then no clock that a thread could
// learn has more of it, and all later events come after it. From then on it is part of the floor:
// what every message's clock has in addition to its components. The clocks of an earlier epoch do
// not count, so a checkpoint empties the floor.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sooth::runtime::observing {

struct ThreadState; // observing/threads.h
struct VectorClock; // observing/clock.h

inline constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};

struct ThreadCount {
  std::uint32_t thread;
  std::uint32_t count;
};

// Gives the thread a component. False: no memory.
bool take_slot(ThreadState& thread);
// The clock as a message has it: all that is not zero, with the floor, by ascending threads.
struct ClockEntries {
  const ThreadCount* at; // valid until the thread's next call; null: no memory
  std::size_t count;
};
ClockEntries entries_of(ThreadState& self, const VectorClock& clock);

// The rest is for a thread that is alone.
void clear_floor();
// Whether so many threads have ended that looking for components to give back pays.
bool has_many_ended();
// Takes the components of ended threads that nobody needs. Calls `freed` for each slot, of which no
// clock may have more than zero before the next hook.
void give_slots_back(void (*freed)(std::uint32_t slot));

} // namespace sooth::runtime::observing
