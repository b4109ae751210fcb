// A use after a function's return, as the checker sees it: which function the bytes belonged to,
// and whether they can belong to another one by now.
//
//     1 T1 enter f
//     2 T1 write v       by f itself: the bytes of v are f's
//     3 T1 exit f
//     4 T2 read v        a use after f's return. Not if T1 unlocks m between 3 and 4: T2 may know
//                        by that which variable lies there now
#pragma once

#include "witness/facts.h"
#include "witness/replay.h"

namespace sooth::witness::checking {

// The run is over; `use` is what comes next, `exit` the event that left the function.
Objection use_after_return(const Facts& facts, const Replay& replay, EventNumber use, EventNumber exit);

} // namespace sooth::witness::checking
