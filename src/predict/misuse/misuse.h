// Misuse of locks and condition variables: what POSIX forbids, and glibc lets pass.
//
//     1 T1 acquire m
//     2 T2 release m         T2 does not hold m: misuse. glibc makes m free all the same, so
//     3 T3 acquire m
//     4 T3 write x           T1 and T3 are both in "their" critical section:
//     5 T1 write x           m does not exclude, and is set aside (see below)
//
// Question: did the recorded run use a lock as it must not be used? Observed only: each is an event
//   of the recorded run, whatever the schedule.
// - unlocking a lock that the thread does not hold; waiting with a mutex that it does not hold
//   (legality says so)
// - unlocking a lock by the call for another kind of lock
// - destroying a lock that a thread holds, or a condition variable on which a thread waits that was
//   not signalled
// - freeing the memory of a lock that a thread holds, or of a condition variable as above
// - initialising a lock that a thread holds
// - locking a mutex that was destroyed
// - waiting on one condition variable with two mutexes at the same time
// Cost: one pass.
//
// Not looked at: read-write locks, spin locks and condition variables that are used after they were
// destroyed (memory/primitive_lives.h); locks that are known by annotations; locks shared with
// other processes. A mutex that its own thread locks twice hangs: that is a deadlock.
//
// One cannot rely on the exclusion of such a lock. It is set aside: its acquires and releases, the
// waits with it and the signals to them keep their observed order in every predicted run.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/trace.h"
#include "trace/verify.h"
#include "witness/finding.h"

namespace sooth::predict {

std::vector<witness::Finding> find_misuse(const trace::Trace& trace);

// What is a mistake of the program, not of the trace. Nothing: it is one of the trace.
struct MisusedLock {
  std::uint64_t address = 0;
  witness::Finding finding;
};
std::optional<MisusedLock> misuse_of(const trace::Trace& trace, const trace::Problem& problem);

inline constexpr std::size_t kMaxSetAside = 100;
void set_aside(trace::Trace& trace, std::uint64_t lock);

} // namespace sooth::predict
