// Frees clocks whose number no thread and no variable has any more, and components that nobody
// needs (slots.h).
//
// Question: which clocks can still be learned?
// Cost: a walk over the records of all memory that was ever accessed, after as many new clocks as
//   there were old ones (at least 16 MiB).
#pragma once

namespace sooth::runtime::observing {

// Whether it is time to. A hint.
bool should_collect();
// For a thread that is alone.
void collect_clocks();

} // namespace sooth::runtime::observing
