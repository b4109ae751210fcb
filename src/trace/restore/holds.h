// Checks the held accesses of a restored order.
//
//     T1 write x = 1, held     T1 may have read and written x again here; omitted
//     T2 read  x = 1           breaks the hold: which of T1's values did T2 see?
//     T1 write x = 5, merged   the last of T1's values
//
// An event with kHeld on bytes B stands for more than itself. Until its thread's segment ends or
// the thread's next kept access of B, the thread may have read B again and seen the same; if the
// event is a write, it may also have written B again. A kMerged write has the last value. So the
// kept events are exact as long as no other thread comes in between.
//
// Question: how often did another thread write B (or touch it, if the held event is a write) during
//   such a hold? The time directly before the thread's next kept access of B, or before the end of
//   the segment, belongs to no hold: the thread need not have done anything then. A kMerged write
//   shows that it did.
// Cost: one pass; a lookup for each access, and a few words for each 512 bytes in which something
//   is held. Holds of ranges longer than kMaxPayload are not followed.
#pragma once

#include "trace/trace.h"

namespace sooth::trace {

// Counts BrokenHolds, each hold once.
void count_broken_holds(Trace& trace);

// Ends its thread's segment: synchronisation, as opposed to events that only describe objects and
// names.
bool ends_segment(const Event& e);

} // namespace sooth::trace
