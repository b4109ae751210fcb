// Kinds of findings that the first pass alone rules out, in every run.
//
//     main: fork T ; lock m ; x = 1 ; unlock m ; join T     x is always under m, m is taken alone,
//     T:             lock m ; x = 2 ; unlock m              nothing is freed: all is settled
//
// Question: which kinds of findings have no candidate at all? This is about *candidates*. Accesses
//   under a lock still constrain runs: their values decide which of two critical sections can come
//   first. So if one kind is open, everything that constrains is read (sharing.h); and only if no
//   kind is open, nothing needs to be read, put into order and verified.
//
// races: every two conflicting accesses of a granule by different threads, not both atomic, are
//   ordered by creation and joining in every run; or their threads hold a lock in common, one of
//   them exclusively, whenever they make such an access. Then no run has both threads standing
//   before such accesses. Three traps:
//   - It must be one lock *object*. An address that is freed and allocated again may be two locks,
//     which in another run lie at two addresses. So the lock counts only if all its uses come after
//     all beginnings of objects at its address, in every run.
//   - A wait gives the lock up. The accesses before and behind it are under the lock all the same,
//     and being under it is all that counts here.
//   - A lock that the program misuses excludes nobody.
// memory: every end of an object is ordered by creation and joining against every use of it by
//   other threads. A common lock is not enough: it does not say who comes first. No thread uses
//   what it has freed itself. No two threads share memory on a page of somebody's frames, unless it
//   is ordered: a frame's end is no event that the survey follows.
//   Locks and other primitives are memory: what ends them is ordered against their uses, too.
// unmarked: of each place that looks like one, it is certain that it is suggested, or that its
//   memory cannot constrain a run. The suggestions are known then (split_updates.h).
//   No update of an atomic variable is split (split_stores.h).
// threads: each creation has a join or a detach of the same thread.
// descriptors: creation and joining order every close against the uses by other threads.
// deadlocks, wake-ups, misuse: requests.h.
//
// The rules know every event kind but a few: after a fork of the process, a signal's handler, a
// crash or a change from outside, nothing is settled.
//
// Cost: the lock sets in the histories (histories.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sooth::survey {

// A read in one critical section, and a write in a later one (split_updates.h).
struct SplitUpdate {
  std::string function;
  std::uint32_t read = 0, write = 0; // sites
  friend bool operator==(const SplitUpdate&, const SplitUpdate&) = default;
};

struct Settled {
  bool races = false;
  bool memory = false;
  bool deadlocks = false;
  bool wakeups = false; // none is lost: no thread waits or signals
  bool misuse = false;
  bool threads = false;                    // every one was joined or detached
  bool descriptors = false;                // none is closed while another thread may use it
  bool blocks = false;                     // there are none
  bool unmarked = false;                   // nobody need look for one that nobody marked (split_updates.h)
  bool assertions = false;                 // none looks at what may change (trace/program/checks.h)
  bool end = false;                        // the run came to its end, and not by a crash
  std::vector<SplitUpdate> suggested = {}; // those that are certain
};

} // namespace sooth::survey
