// Where threads cannot be trusted any more (docs/trace_format.md, rule 4).
//
//     T1 read a[0..99], glued     the bytes were looked at once, before T1's loop
//     T2 write a[50] = 7          no synchronisation with T1: which value did the loop see?
//
// Question: which glued or opaque reads may have seen something else than recorded, because another
//   thread wrote their bytes without synchronisation?
// Source: happens-before by synchronisation alone: locks, the orders of other primitives, releasing
//   and acquiring atomics.
// Cost: nothing if there are no such reads of shared memory; otherwise one pass with vector clocks.
#pragma once

#include <cstdint>
#include <vector>

#include "causality/computation/effects.h"
#include "causality/computation/locations.h"
#include "trace/trace.h"

namespace sooth::causality {

// For each thread the first event that cannot be trusted; kTrusted if there is none. `locks` holds
// the lock operations only.
inline constexpr std::uint32_t kTrusted = 0xffffffff;
std::vector<std::uint32_t> first_doubtful(const trace::Trace& trace, const Locations& locations,
                                          const Effects& synchronisation);

} // namespace sooth::causality
