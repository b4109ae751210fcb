// The critical pair: the two events whose order decides between the recorded run and the error.
//
//     recorded:  T1 read x, acquire m, release m; T2 acquire m, release m, write x
//     witness:   T2 acquire m, T2 release m; next: T1 read x, T2 write x
//     pair:      T2's acquire comes before T1's acquire, which came first in the recorded run
//
// Question: which step of the witness is the first one after which the error comes even if all else
//   goes on in the recorded order, and which event did it overtake?
// Method: run k makes the first k steps of the witness; then the threads go on in the recorded
//   order, as far as locks, semaphores, signals and joins let them (continued_run.h). Run 0 is the
//   recorded run, the last one has the error. Between them we bisect.
// Where this is not exact: values that threads read differently in such a run do not change what
//   they do next. Of two places at which good turns into bad, bisection finds one.
// Cost: a pass over the trace for each of log2(steps) runs, and one for each thread in it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::replay {

struct CriticalPair {
  std::uint32_t early = 0; // index into Trace::events: comes first in the witness ...
  std::uint32_t late = 0;  // ... and this one in the recorded run
  friend bool operator==(const CriticalPair&, const CriticalPair&) = default;
};

// Nothing if it would take more than `work`, or if no single step decides. `run`: the events of the
// finding's witness, in its order. `work`: events looked at, times threads; what it took is
// subtracted.
std::optional<CriticalPair> critical_pair(const trace::Trace& trace, const witness::Finding& finding,
                                          std::span<const std::uint32_t> run, std::uint64_t& work);

} // namespace sooth::replay
