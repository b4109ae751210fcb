// Threads that wait when the recorded run ends: which of them can never go on?
//
//     1 T1 acquire a
//     2 T2 acquire b
//     3 T1 request b        T1 waits for the lock of T2,
//     4 T2 request a        and T2 for that of T1: for ever
//     5 T3 request c        nobody holds c: T3 was about to go on, and is not reported
//
// Question: the run was ended while threads waited. Is that a deadlock that really happened, or
//   might they still have gone on?
// Source: the serial specifications of POSIX's primitives, on the recorded order. Nothing is
//   predicted.
// Cost: one pass over the events, and a few rounds over the threads that wait.
//
// A wait for an object with an owner (a lock, the end of a thread, an initialisation) never ends if
// the owner waits for ever, or has ended while it held it. A wait for something that any thread may
// give (a semaphore, a barrier, a signal, a futex) never ends if every thread of the process waits
// for ever or has ended, and nothing can come from outside: no handler of signals, no timer, no
// primitive that other processes use or that Sooth does not follow. The result is the largest set
// of threads that satisfies these rules. A `request` is recorded before its thread waits, and every
// grant is recorded before it is made. So a wait that the record cannot end has not ended.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::predict {

struct WaitingAtEnd {
  std::vector<witness::Finding> deadlocks;
  std::vector<std::uint32_t> others; // requests, by their index, that something may still have granted
  bool all_stuck = false;            // no thread is left that could go on
};

WaitingAtEnd waiting_at_end(const trace::Trace& trace);

} // namespace sooth::predict
