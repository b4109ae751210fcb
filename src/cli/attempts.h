// Keeps an analysis within its memory (--memory).
//
//     attempt 1: all 8M events      too large: ended
//     attempt 2: 6M events          too large: ended
//     attempt 3: 4.5M events        fits: prints its report
//
// Question: how much of this trace can be analysed in so many bytes? The contents of the trace
//   decide, so the answer is not known in advance.
// Answer: by trying. An attempt runs in a child process. The parent stays small, watches the memory
//   of the child, and ends the child if it takes too much. The next attempt has fewer events, until
//   one fits. An abandoned attempt leaves no output: complaints wait, and results are printed at
//   the end, when the parent does not end the attempt any more.
// Why not inside one process: hash maps and threads do not survive a refused allocation, and much
//   memory is allocated outside our code. Engines that ask their budget (base/budget.h) stop a
//   little earlier by themselves, with the results they have; attempts are the safety net. They
//   also survive a child that the kernel or `ulimit -v` ends.
// SIGINT ends an analysis with its results so far (base/interrupt.h); a second one ends it at once.
//   If the search has not begun, and the analysis does not stop by itself soon, the parent ends it.
// Cost: a fork, and checks that are the rarer the more room there is. Each attempt that does not
//   fit costs its time, from the same --budget. Between two checks the child may take a little too
//   much: docs/report.md says how much.
#pragma once

#include <functional>

#include "analysis/spending.h"
#include "cli/launch.h"

namespace sooth::cli {

// The body calls it before it prints anything. From then on the parent does not end the attempt.
using BeginTelling = std::function<void()>;

// Runs `body`, which returns an exit status, until an attempt fits into the memory of `spending`.
// Reports it if no attempt can be started. `interrupted` reports that there are no results yet, and
// returns the exit status. If it is empty, SIGINT has its usual effect.
Ended within_memory(analysis::Spending& spending, const std::function<int(const BeginTelling&)>& body,
                    const std::function<int()>& interrupted);

} // namespace sooth::cli
