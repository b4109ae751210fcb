// Makes a trace shorter, so that its analysis fits into time and memory.
//
// The beginning of a trace is a trace: every finding in it is true. Events that are left out are
// counted, and the report says so.
#pragma once

#include <cstdint>

#include "trace/trace.h"

namespace sooth::analysis {

// Leaves out events at the end until there are at most so many. No glued block is cut apart.
// Returns how many were left out.
std::uint64_t cut(trace::Trace& trace, std::size_t most);

} // namespace sooth::analysis
