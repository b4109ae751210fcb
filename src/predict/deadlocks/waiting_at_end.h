// Threads that wait when the recorded run ends: which of them can never go on?
//
// Question: the run was ended while threads waited; is that a deadlock that really happened, or might they still have gone on?
// Source: the serial specifications of POSIX's primitives, on the recorded order. Nothing is predicted.
//
//   thread 1: acquire A, request B        thread 1 waits for what thread 2 has, and
//   thread 2: acquire B, request A        thread 2 for what thread 1 has: for ever
//
// A wait for something that has an owner (a lock, the end of a thread, an initialisation) never ends if the owner waits for
// ever, or has ended with it. One for something that anybody may give (a semaphore, a barrier, a signal, a futex) never ends if
// every thread of the process waits for ever or has ended, and nothing can come from outside: no handler of signals, no timer,
// no primitive that other processes use or that Sooth does not follow. The largest set of threads that keeps these rules is it.
// A `request` is recorded before its thread waits and whatever is given is recorded before it is given, so a wait that the
// record cannot end has not ended.
// Cost: one pass over the events, and a few rounds over the threads that wait.
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
