// Barriers as rounds: a thread leaves after all threads of its round have arrived.
//
//     barrier of 2: T1 arrive, T2 arrive, T2 leave, T1 leave
//     T1's arrival before T2's leave, T2's arrival before T1's leave; T1 or T2 may arrive first
//
// Question: which threads meet at a barrier in every run?
// Source: POSIX: a round is complete when so many threads have arrived. If exactly that many use
//   the barrier, none can arrive for the next round before all have arrived for this one; so the
//   n-th arrivals of all threads meet in every run.
// Where we differ: if more threads use it, the schedule decides which meet. Then, and if the size
//   of a round is unknown or larger than kLargestRound, arrivals keep their recorded order, which
//   counts as conservative.
// Cost: the square of a round's size for each round.
#pragma once

#include "causality/computation/effects.h"
#include "trace/trace.h"

namespace sooth::causality {

inline constexpr std::uint64_t kLargestRound = 64;

void add_barrier_orders(const trace::Trace& trace, Effects& effects);

} // namespace sooth::causality
