// Reads for which the reader found no place in its order, although the program's own writes explain what they saw.
//
// Question: which external writes of globals are there only because racing accesses stand in the wrong order?
// Source: trace/restore.h, case 4: what no repair explains becomes an external write. A change that really came from outside
//   seldom gives bytes that other threads write just what one of them, or the beginning, gave them.
// Where we differ: nobody can tell for sure, so doubt counts. What stands before the first such write in the order is a
//   legal interleaving of what the threads did; what its thread does from there on happened at some other time.
// Cost: nothing without external writes; else one pass over the events.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace sooth::trace {

// Indices of such external writes, ascending. The thread of each is that of the read behind it.
std::vector<std::uint32_t> misplaced_reads(const Trace& trace);

// Whether the read behind an external write has a number of its own (kOneClock): then only what it saw is out of order.
bool is_numbered_read(const Trace& trace, std::size_t external_write);

} // namespace sooth::trace
