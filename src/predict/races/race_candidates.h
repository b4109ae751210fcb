// Pairs of sites that may race, with the pairs of events there.
//
//     T1 write x at a.c:3, holding m       (a.c:3, a.c:9): same lock m, dropped
//     T2 write x at a.c:9, holding m       (a.c:3, a.c:12): a candidate
//     T2 write x at a.c:12
//
// Question: which accesses of shared memory conflict, and are not kept apart by something that
//   every model keeps?
// Cost: linear in the accesses of shared memory; for each two groups (chain of threads, site, locks
//   held) at one location that no common lock keeps apart, a binary search for each access of the
//   smaller one, until there are enough close ones.
#pragma once

#include <cstdint>
#include <vector>

#include "base/budget.h"
#include "causality/computation/computation.h"
#include "trace/trace.h"

namespace sooth::predict {

class FlagLocks;
class MustOrder;

struct RaceInstance {
  std::uint32_t first = 0; // events, in the order of the trace
  std::uint32_t second = 0;
  friend auto operator<=>(const RaceInstance&, const RaceInstance&) = default;
};

struct RaceCandidate {
  std::vector<RaceInstance> instances; // the closest first
  std::uint64_t all = 0;               // so many there are, counted for each common location; at least, if it was cut
  bool cut = false;                    // more than `most_instances`; the rest is not here
};

// Stops early if the budget is spent; then there may be more. `benign` gets the number of pairs of
// sites that were left out because the program annotates that memory.
std::vector<RaceCandidate> race_candidates(const trace::Trace& trace, const causality::Computation& computation,
                                           const MustOrder& must, const FlagLocks& flags, std::size_t most_instances,
                                           const Budget& budget, std::uint64_t* benign = nullptr);

} // namespace sooth::predict
