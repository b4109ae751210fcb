// Keeps an analysis within its memory (--memory).
//
// Question: how much of this trace can be analysed in so many bytes? Nobody knows before: it depends on what the trace
// holds.
// Answer: it is tried. An attempt runs in a child process; this one stays small, looks at what the child occupies, and
// ends it if that is too much. Then the next attempt has fewer events, until one fits. Of attempts that are given up
// nothing is seen: complaints wait, and results are printed at the end, when an attempt is not ended any more.
// Why not inside one process: hash maps and threads do not survive an allocation that is refused in their midst, and
// much of what is occupied is not asked for in places of ours. Where an engine asks its budget (base/budget.h), it stops
// by itself a little before that, with what it has; the attempt is only the net behind. It also catches what the kernel
// or `ulimit -v` ends.
// Cost: a fork, and looks that are the rarer the more room there is. Each attempt that does not fit costs its time, from
// the same --budget. Between two looks the child may take a little more than it should: docs/report.md says how much.
#pragma once

#include <functional>

#include "analysis/spending.h"
#include "cli/launch.h"

namespace sooth::cli {

// Calls it before anything is printed: from then on the attempt is not ended.
using BeginTelling = std::function<void()>;

// Runs `body`, whose result is an exit status, until an attempt fits into the memory that may be spent. Where there
// could be no attempt at all, that is told.
Ended within_memory(analysis::Spending& spending, const std::function<int(const BeginTelling&)>& body);

} // namespace sooth::cli
