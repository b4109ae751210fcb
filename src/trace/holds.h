// Checks the held accesses of a restored order.
//
// An event with kHeld on bytes B stands for more: until its thread's segment ends or the thread's next kept access of
// B, the thread may have read B again and seen the same, and, if the event is a write, may have written B again; a
// kMerged write brings the last value. So what is kept is exact as long as no other thread comes in between.
//
// Question: how often did another thread write B (or touch it, if the held event is a write) during such a hold?
// The time directly before the thread's next kept access of B, or before the end of the segment, belongs to no hold:
// nothing says that the thread did anything then. A kMerged write does say so.
// Cost: one pass; a lookup for each access, and a few words for each 512 bytes of it of which something is held. Holds of
// ranges longer than kMaxPayload are not followed.
#pragma once

#include "trace/trace.h"

namespace sooth::trace {

// Counts BrokenHolds, each hold once.
void count_broken_holds(Trace& trace);

// Ends its thread's segment: synchronisation, as opposed to what only tells of objects and names.
bool ends_segment(const Event& e);

} // namespace sooth::trace
