// The end of an ownership: what the file says of it.
//
// A row of a Moves chunk (trace/format.h) makes two statements:
// 1. The owner's omitted accesses of the block come before its first event with a number of at
//    least `number` (or before the end of its epoch).
// 2. Accesses of the block by other threads, with a number of at least `from`, come after these.
// docs/trace_format.md, "Owned blocks", says why this is sound.
#pragma once

#include "capture/runtime/thread.h"

namespace sooth::runtime {

// Asks the system for what hand-overs need. False: nothing may be owned.
bool can_hand_over();
// Afterwards: whether it gave that. And the barrier itself, which all threads of the process pass.
bool can_pass_barrier();
void pass_barrier();
// Before the first access is left out, and while there is plenty of room: rows have a place.
bool has_rows_left();
void forget_rows(); // in the child of a fork

// The block is nobody else's now: its word is kBusy. Writes the row.
// From the end of an epoch of the owner, which is before the calling thread in every run.
void hand_over_in_order(Thread* t, std::uint64_t block, std::uint32_t owner, std::uint32_t epoch);
// From another thread, now.
void hand_over_now(Thread* t, std::uint64_t block, std::uint32_t owner);
// The calling thread owned it itself.
void give_up(Thread* t, std::uint64_t block);

} // namespace sooth::runtime
