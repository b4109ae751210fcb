// The same run with fewer thread switches.
//
//     T1 acquire m, T2 write x, T1 write y, T2 write z, T1 release m, T2 acquire m
//     becomes  T1 acquire m, T1 write y, T1 release m, T2 write x, T2 write z, T2 acquire m
//
// Question: in which order of the same events do as few switches as possible stand, if two events
//   that can notice each other's order keep it?
// Source: Mazurkiewicz traces. Two events depend on each other if they are of one thread, access
//   the same granule of memory and one of them writes, use the same primitive (not both as readers
//   of a lock), or if one of them creates, starts, ends or joins the other's thread. All other
//   neighbours commute. Events that stay together in every run (trace/together.h) move together.
// Where we differ from the optimum: greedy. A thread runs until its next event needs one of another
//   thread; then the thread whose next event came first in the given order goes on. The result is
//   never worse than the given order, because that one is kept if it has fewer switches.
// Cost: linear in the events and their dependences.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/trace.h"

namespace sooth::replay {

std::size_t switches(const trace::Trace& trace, std::span<const std::uint32_t> run);
// `run`: indices of events of the trace.
std::vector<std::uint32_t> with_fewer_switches(const trace::Trace& trace, std::span<const std::uint32_t> run);

} // namespace sooth::replay
