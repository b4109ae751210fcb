// Replaying: the program follows a schedule (replay/schedule.h, docs/replay.md).
//
// Question: does the real program reach the error that the schedule leads to?
// Method: one thread runs at a time, the one that the next step names. All others stand at their
//   hooks. A thread that has made its step stops at once if another thread's step is next.
//   Operations that may block are held back before the real call (replayed_request), so the threads
//   that stand hold only what the schedule lets them hold. Waits on condition variables are made
//   here (waits.cc): otherwise the kernel would decide who gets the mutex first.
// Hooks of plain accesses run behind a load and before a store. A thread that stops at a read has
//   just made it. A thread that has to stop after a store makes the store in the hook; should
//   another thread write there before it goes on, its own store, which comes again, is undone
//   (Repair).
// Never a hang of the runtime's making: the tool watches `progress`, and lets all threads go when
//   nothing happens any more.
// Cost: while a thread's next step is an access, every access calls its hook, which compares the
//   site with the step; otherwise plain accesses call none. To hand over costs a line of the cache
//   where the other thread looks for its turn, and two system calls where it sleeps.
//
// A replayed program writes no trace. Its sink (mode.h) stands in for recording at the same hooks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "capture/runtime/mode.h"
#include "capture/runtime/thread.h"
#include "replay/schedule.h"

namespace sooth::runtime {

// SOOTH_REPLAY names the file with the schedule.
bool replay_is_wanted();
// False: there is no schedule for this process, which then runs as it is.
bool replay_start();

void replayed_access(Thread* t, EventKind kind, std::uint64_t address, const void* bytes, std::uint64_t size,
                     std::uint32_t site);
void replayed_fill(Thread* t, std::uint64_t address, std::uint8_t byte, std::uint64_t size, std::uint32_t site);
void replayed_sync(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value);
void replayed_failed(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value);
void replayed_finish(trace::EndKind kind, int value);

// Before a real call that takes something; `kind` is the event that will come of it.
void replayed_request(Thread* t, EventKind kind, const void* object);
// The real call of an event that gives something has returned.
void replayed_gave(Thread* t);
// Around an atomic operation.
void replayed_atomic_begins(Thread* t, const void* address, std::size_t size, std::uint32_t site);
void replayed_atomic(Thread* t, EventKind kind, const void* address, const void* seen, const void* written,
                     std::size_t size, std::uint32_t site);

// A wait on a condition, with the mutex released, after its `wait` event.
enum class Woken : std::uint8_t {
  BySignal,
  ByTime, // its time is up: the schedule says so
  LetGo,  // nobody has signalled, or the schedule is over: look at was_signalled(), then wait for real
};
struct Waiter {
  Waiter* next;
  const void* condition;
  bool signalled;
  const void* mutex; // that it takes again
};
void begin_wait(Waiter& waiter, const void* condition, const void* mutex);
Woken wait_for_turn(Thread* t, Waiter& waiter, bool timed);
bool was_signalled(const Waiter& waiter);
void end_wait(Waiter& waiter);

} // namespace sooth::runtime
