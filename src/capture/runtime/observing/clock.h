// Multithreaded vector clocks inside the program (JMPaX online, section 3), for Algorithm A.
//
// A clock never changes once it is made. It has a number, and threads, variables and locks keep
// only that number: 0 is the clock that is zero everywhere. Threads that learned the same have the
// same number. A checkpoint restarts all counts: from then on, clocks of an earlier epoch count as
// zero.
//
// Clocks are made inside a hook, and read by any thread that is inside (section.h). They are freed
// by a thread that is alone, once no thread and no variable has their number (collect.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace sooth::runtime::observing {

struct ThreadState; // observing/threads.h

using ClockNumber = std::uint32_t;

struct VectorClock {
  std::uint32_t epoch;
  std::uint32_t size; // components, by slot (slots.h); those behind are zero
  std::uint32_t room;
  bool used; // while unused ones are collected
  std::uint32_t counts[];
};

extern std::uint32_t g_epoch; // changed by a thread that is alone

// Memory that never goes back to the system, in sizes of powers of two. Null if there is none left.
void* take_memory(std::size_t bytes);
void drop_memory(void* p, std::size_t bytes);

// Null: zero everywhere.
const VectorClock* find_clock(ClockNumber number);

// The thread's clock becomes the maximum of both.
void learn(ThreadState& self, ClockNumber number);
// Whether it would learn nothing.
bool is_covered(const ThreadState& self, ClockNumber number);
// The maximum of both clocks.
ClockNumber joined(ThreadState& self, ClockNumber number);
// Sets the thread's own component.
void raise_clock(ThreadState& self, std::uint32_t count);

// For collect.cc, which runs alone.
bool has_many_clocks();
void begin_collecting();
// Returns the number, or 0 if it is a clock of an earlier epoch.
ClockNumber mark_clock(ClockNumber number);
void end_collecting();
// Makes the component zero in all clocks that are used: everybody knows as much.
void clear_component(std::uint32_t slot);

} // namespace sooth::runtime::observing
