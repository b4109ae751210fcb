// Reads that the reader could not place, although the program's own writes explain their values.
//
//     T1 write x = 1           ... thousands of events ...
//     external write x = 1     restore.h found no place for the read below
//     T2 read x = 1            but T1 wrote just this value
//
// Question: which external writes of globals exist only because racing accesses stand in the wrong
//   order?
// Source: restore.h, case 4. A change from outside seldom gives bytes that other threads
//   write the very value that one of them, or the beginning, gave them.
// Where we differ: this is never certain, so doubt counts. The order before the first such write is
//   a legal interleaving of the threads' events. The events of its thread from there on happened at
//   some other time.
// Cost: nothing without external writes; otherwise one pass over the events.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace sooth::trace {

// Indices of such external writes, ascending. The thread of each is that of the read behind it.
std::vector<std::uint32_t> misplaced_reads(const Trace& trace);

// Whether the read behind an external write has a number of its own (kOneClock): then only its
// value is out of order.
bool is_numbered_read(const Trace& trace, std::size_t external_write);

} // namespace sooth::trace
