// The order that every run keeps, by the creation and the joining of threads alone: as
// survey/strong_order.h, in the running program.
//
// A thread's life is cut into epochs: a new one begins with each thread that it creates, and with
// each one that it joins.
#pragma once

#include "capture/runtime/thread.h"

namespace sooth::runtime {

inline constexpr std::uint32_t kMostOwners = 1u << 20; // threads with a larger number own nothing

bool make_lives();
void forget_lives();
// Call before the event is recorded: nothing that the creator does later is before the child.
void epoch_fork(Thread* t, std::uint64_t child);
// Call after the real join.
void epoch_join(Thread* t, std::uint64_t child);
// All that `thread` did up to the end of `epoch` comes before t's present epoch in every run.
bool is_before(std::uint32_t thread, std::uint32_t epoch, const Thread* t);

} // namespace sooth::runtime
