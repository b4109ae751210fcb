// Makes a trace fit into memory before it is analysed.
//
// The beginning of a trace is a trace: whatever is found in it is true. What was left out is counted and told.
#pragma once

#include <cstdint>

#include "trace/trace.h"

namespace sooth::cli {

// Leaves out the events at the end that will not fit into so many bytes whatever they are, the trace's own included; 0: no
// limit. Whether the others do shows when they are analysed (cli/memory_guard.h). No glued block is cut apart. Returns how
// many were left out.
std::uint64_t cut_to_fit(trace::Trace& trace, std::uint64_t bytes);
// Leaves out events at the end until there are at most so many. No glued block is cut apart. Returns how many were left out.
std::uint64_t cut(trace::Trace& trace, std::size_t most);

} // namespace sooth::cli
