// When events happened: a hybrid logical clock.
//
// The simple definition is one counter for the process; every synchronisation moves it by one. That
// is correct, but on two cores the counter is most of the cost of a lock. So each thread has its
// own clock, and so has every object that threads synchronise on:
//
//     touch(object):  thread's clock = max(thread's clock, object's clock) + 1
//                     object's clock = thread's clock
//
// A thread does this while it holds the object. Events of one thread, and events on one object,
// then have ascending numbers. Sorting all events by number gives a linear extension of both
// (Lamport, 1978). One legal order needs no more.
//
// That does not order accesses that race. For them, the clocks follow real time through a global
// clock that only rises: exactly for a thread's first kExactTickets synchronisations, then in steps
// of kStep.
//
// Where the order of certain accesses has to be known (exact.h), the simple definition holds.
#pragma once

#include "capture/runtime/thread.h"

namespace sooth::runtime {

inline constexpr std::uint64_t kExactTickets = 4096;
inline constexpr std::uint64_t kStep = 64;

extern bool g_exact; // every ticket is a number of the global clock

struct alignas(64) Clock {
  std::uint64_t value;
};
extern Clock g_time __asm__("sooth_time"); // by this name hook_entry.S knows it
inline constexpr std::size_t kObjectClocks = 4096;
extern Clock
    g_object_clocks[kObjectClocks]; // objects that share one are ordered more than they need be, which is harmless

// Relaxed, where only numbers are compared: the real synchronisation on the object brings the
// barriers.
inline std::uint64_t look(const Clock& clock) { return __atomic_load_n(&clock.value, __ATOMIC_RELAXED); }
inline void raise(Clock& clock, std::uint64_t to) {
  std::uint64_t seen = look(clock);
  while (seen < to && !__atomic_compare_exchange_n(&clock.value, &seen, to, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
  }
}

// Brings the thread's clock up to the global one. A reading for plain accesses.
inline std::uint64_t reading(Thread* t) {
  const std::uint64_t now = look(g_time);
  if (now > t->clock) t->clock = now;
  return t->clock;
}

// A unique number, above all that were taken before.
inline std::uint64_t tick_exactly(Thread* t) {
  std::uint64_t seen = look(g_time), now = 0;
  do now = (seen < t->clock ? t->clock : seen) + 1;
  while (!__atomic_compare_exchange_n(&g_time.value, &seen, now, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
  return t->clock = t->raised = now;
}

// Moves the thread's clock by one. Now and then the global clock and the thread's clock catch up
// with each other. All threads' ticks meet at the global clock, so threads look at it no more often
// than needed.
inline std::uint64_t tick(Thread* t) {
  if (__builtin_expect(t->exact_tickets == 0 && t->clock - t->raised < kStep - 1, 1)) return ++t->clock;
  if (g_exact) return tick_exactly(t);
  if (t->exact_tickets != 0) --t->exact_tickets;
  t->raised = reading(t) + 1;
  raise(g_time, t->raised);
  return t->clock = t->raised;
}

inline Clock& clock_of(std::uint64_t object) { return g_object_clocks[(object >> 4) * 0x9e3779b97f4a7c15u >> 52]; }

inline std::uint64_t touch(Thread* t, Clock& object) {
  const std::uint64_t seen = look(object);
  if (seen > t->clock) t->clock = seen;
  const std::uint64_t now = tick(t);
  raise(object, now);
  return now;
}
inline std::uint64_t touch(Thread* t, std::uint64_t object) { return touch(t, clock_of(object)); }
// A number after the object's last one. The object itself learns it with the thread's next touch.
inline std::uint64_t follow(Thread* t, const Clock& object) {
  const std::uint64_t seen = look(object);
  if (seen > t->clock) t->clock = seen;
  return tick(t);
}
// One number for two objects: the next touch of either gets a larger one.
inline std::uint64_t touch_both(Thread* t, Clock& a, Clock& b) {
  const std::uint64_t seen = look(a);
  if (seen > t->clock) t->clock = seen;
  const std::uint64_t now = touch(t, b);
  raise(a, now);
  return now;
}

// The same for every object that may lie in [address, address + size): memory that is freed and
// handed out again.
std::uint64_t touch_range(Thread* t, std::uint64_t address, std::uint64_t size);

// Brings the thread's clock up to those of all threads.
void catch_up(Thread* t);

// The object that stands for thread `number`: for its creation, end and join.
inline std::uint64_t thread_object(std::uint32_t number) {
  return (std::uint64_t{number} << 4) | std::uint64_t{1} << 60;
}

} // namespace sooth::runtime
