// Monitoring: the program's threads carry knowledge vectors and judge their own formulas
// (docs/monitors.md).
//
// Question: which formula has just become false, in the thread that made it so?
// Source: DAME; the algorithm itself is in src/knowledge. This layer hands it the program's events.
// Where we differ: threads come and go, and programs synchronise with more than locks. A program
//   that was built for monitoring (`sooth c++ --monitor`) makes the accesses that a formula needs
//   under the lock of the memory that they touch.
// Cost: an event takes the locks of the objects it touches, mostly one, plus the cost in
//   knowledge/monitoring.h. No trace, no observer, no system call; memory for living objects, none
//   for the past.
//
// A monitored program writes no trace. Its sink (mode.h) stands in for recording at the same hooks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "capture/runtime/mode.h"
#include "capture/runtime/thread.h"

namespace sooth::runtime::monitoring {

// All variables that formulas name lie in [g_variables_begin, g_variables_end). Atomic.
extern std::uint64_t g_variables_begin, g_variables_end;
// Some variable may lie in the range.
inline bool may_hold_variables(std::uint64_t address, std::uint64_t size) {
  return address < __atomic_load_n(&g_variables_end, __ATOMIC_RELAXED) &&
         __atomic_load_n(&g_variables_begin, __ATOMIC_RELAXED) < address + size;
}
// The access does not concern monitors.
inline bool is_out_of_sight(std::uint64_t address, std::uint64_t size) {
  return is_monitoring() && !may_hold_variables(address, size);
}

void access(Thread* t, EventKind kind, std::uint64_t address, const void* bytes, std::uint64_t size,
            std::uint32_t site);
void fill(Thread* t, std::uint64_t address, std::uint8_t byte, std::uint64_t size, std::uint32_t site);
void sync(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value);
// The thread is about to take this lock, which looks free, and then to access variables. Prefetches
// their cache lines.
void expects_lock(Thread* t, const void* lock);
// The thread has released a lock. Does the work that can wait until no thread waits for this one.
void gave_lock(Thread* t);
void failed(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value);
void internal_event(const char* name, std::int64_t value);
void block_event(const char* name, bool begins);
// pthread_create did not make the thread that `fork` announced.
void no_child(Thread* t, std::uint32_t child);
// An operation of at most 16 bytes happens while this lives, with the locks of the touched memory
// held.
class Operation {
public:
  Operation(Thread* t, const void* address, std::size_t size, bool atomic); // null: does nothing
  // The value it saw (null: none) and the value it wrote (null: none).
  void done(const void* seen, const void* written, std::uint32_t site);

private:
  ThreadState* self_; // null: nothing is followed
  std::uint64_t address_;
  std::size_t size_;
  bool atomic_;
  bool hooked_;
};

// Options (SOOTH_OPTIONS).
extern bool g_run_without_monitors;  // bad_monitors=run: if monitors are refused, run without them
extern std::uint32_t g_most_threads; // monitored_threads=N: threads that formulas range over at a time
extern char g_monitor_result[4096];  // monitor_result=FILE: gets a line when a monitor is violated

// Whether the environment (SOOTH_MONITOR) or the program itself has monitors.
bool is_wanted();
// Reads them. False if there are none to run with. A program whose monitors are refused ends here,
// with status 2.
bool start();
// In the child of a fork, which goes on with the knowledge of the forking thread. False: it cannot.
bool goes_on();
void finish(trace::EndKind kind, int value);

} // namespace sooth::runtime::monitoring
