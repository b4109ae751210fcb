// Monitored: the program's threads carry knowledge vectors and judge their own formulas (docs/monitors.md).
//
// Question: which formula has just become false, in the thread that made it so?
// Source: DAME; the algorithm itself is src/knowledge, which this hands the program's events.
// We differ: threads come and go, programs synchronise with more than locks, and what a formula needs may be watched in a
// program that was built for it (`sooth c++ --monitor`), where accesses are made under the lock of what they touch.
// Cost: an event takes the locks of what it touches, mostly one, and what knowledge/monitoring.h says. No trace,
// no observer, no system call; memory for what lives, none for the past.
//
// A monitored program writes no trace. As for an observed one (online.h), each function stands in for what recording
// does at the same hook; is_online() is true there, too.
#pragma once

#include <cstddef>
#include <cstdint>

#include "capture/runtime/thread.h"

namespace sooth::runtime {

extern bool g_monitored; // set before the first hook runs, and never changed
inline bool is_monitored() { return g_monitored; }

// All variables that formulas name lie in [g_monitored_low, g_monitored_high). Atomic.
extern std::uint64_t g_monitored_low, g_monitored_high;
// Some variable may lie in the range.
inline bool may_hold_monitored(std::uint64_t address, std::uint64_t size) {
  return address < __atomic_load_n(&g_monitored_high, __ATOMIC_RELAXED) &&
         __atomic_load_n(&g_monitored_low, __ATOMIC_RELAXED) < address + size;
}
// The access is nothing to monitors.
inline bool is_out_of_sight(std::uint64_t address, std::uint64_t size) {
  return is_monitored() && !may_hold_monitored(address, size);
}

void monitored_access(Thread* t, EventKind kind, std::uint64_t address, const void* bytes, std::uint64_t size,
                      std::uint32_t site);
void monitored_fill(Thread* t, std::uint64_t address, std::uint8_t byte, std::uint64_t size, std::uint32_t site);
void monitored_sync(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value);
// The thread will take this lock, which looks free, and then access variables: their lines are asked for.
void monitored_expects_lock(Thread* t, const void* lock);
// It has given a lock back: what can wait until nobody waits for the thread.
void monitored_gave_lock(Thread* t);
void monitored_failed(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value);
void monitored_internal(const char* name, std::int64_t value);
void monitored_block(const char* name, bool begins);
// pthread_create did not make the thread that `fork` announced.
void monitored_no_child(std::uint32_t child);
// An operation of at most 16 bytes happens while this lives, with the locks of what it touches held.
class MonitoredOperation {
public:
  MonitoredOperation(Thread* t, const void* address, std::size_t size, bool atomic); // null: does nothing
  // What it saw (null: nothing) and what it wrote (null: nothing).
  void done(const void* seen, const void* written, std::uint32_t site);

private:
  MonitoredThread* self_; // null: nothing is followed
  std::uint64_t address_;
  std::size_t size_;
  bool atomic_;
  bool hooked_;
};

// Options (SOOTH_OPTIONS).
extern bool g_run_without_monitors;       // bad_monitors=run: a program whose monitors are refused starts, without them
extern std::uint32_t g_monitored_threads; // monitored_threads=N: that formulas range over at the same time
extern char g_monitor_result[4096];       // monitor_result=FILE: gets a line when a monitor is violated

// Whether the environment (SOOTH_MONITOR) or the program itself has monitors.
bool monitored_is_wanted();
// Reads them. False if there are none to run with; a program whose monitors are refused ends here, with status 2.
bool monitored_start();
// In the child of a fork, which goes on with what the forking thread knows. False: it cannot.
bool monitored_goes_on();
void monitored_finish();

} // namespace sooth::runtime
