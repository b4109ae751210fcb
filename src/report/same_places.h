// One finding for each place in the source, however often the compiler has copied it.
//
// Engines tell findings apart by sites. Code that was inlined or unrolled has a site for each copy; for the user it is one place.
#pragma once

#include <vector>

#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::report {

// Of findings of one kind that differ only in which copies of the same places they are about, the first one stays, with the count of
// all.
void merge_same_places(const trace::Trace& trace, std::vector<witness::Finding>& findings);

} // namespace sooth::report
