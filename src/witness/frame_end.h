// A use after a function's return, as the checker sees it: whose bytes they were, and whether they
// can belong to another function by now.
#pragma once

#include "witness/facts.h"
#include "witness/replay.h"

namespace sooth::witness::checking {

// The run is over; `use` is what comes next, `exit` the event that left the function.
Objection use_after_return(const Facts& facts, const Replay& replay, EventNumber use, EventNumber exit);

} // namespace sooth::witness::checking
