// Accesses of shared memory as operations: values, holds, and reads that cannot be explained.
//
// Question: which values must each access find, which does it leave, and which bytes does it hold?
// Source: maximal models, section 2 (memory locations); docs/trace_format.md, rule 1 (holds).
// Where we differ: opaque contents count as a value that no other write has. The first read of an
//   untouched location defines its initial value. Pointers to objects that had one place after the
//   other differ (reused_places.h). Reads of values that no event wrote are pinned to their place.
// Cost: one pass; a hash lookup for each location of an access.
#pragma once

#include "causality/computation/effects.h"
#include "causality/computation/locations.h"
#include "trace/objects.h"
#include "trace/trace.h"

namespace sooth::causality {

// Returns the locations' initial values. The added operations of one thread ascend, but for those
// of renewals.
std::vector<std::uint32_t> add_memory_operations(const trace::Trace& trace, const Locations& locations,
                                                 const trace::ObjectTable& objects, Effects& effects);

} // namespace sooth::causality
