// Where threads cannot be trusted any more (docs/trace_format.md, rule 4).
//
// Question: which glued or opaque reads may have seen something else than what was recorded, because another thread
//   wrote their bytes without synchronisation?
// Source: happens-before by synchronisation alone: locks, the orders of other primitives, releasing and acquiring atomics.
// Cost: nothing if there are no such reads of shared memory; else one pass with vector clocks.
#pragma once

#include <cstdint>
#include <vector>

#include "causality/computation/effects.h"
#include "causality/computation/locations.h"
#include "trace/trace.h"

namespace sooth::causality {

// For each thread the first event that is not to be trusted; kTrusted if there is none. `locks` holds the lock operations only.
inline constexpr std::uint32_t kTrusted = 0xffffffff;
std::vector<std::uint32_t> first_doubtful(const trace::Trace& trace, const Locations& locations,
                                          const Effects& synchronisation);

} // namespace sooth::causality
