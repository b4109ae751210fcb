// From a trace to a report: the steps that `sooth check`, `sooth run` and the library share.
//
//     read a piece -> verify -> separate objects -> compute -> engines -> check every witness
//                  -> describe; then suppress
//
// A trace that fits into memory is one piece. Pieces of a longer trace overlap, and their reports
// become one. The order must be legal before anything is predicted from it, and no finding is shown
// whose witness the checker does not accept.
#pragma once

#include <string>
#include <vector>

#include "analysis/options.h"
#include "analysis/progress.h"
#include "analysis/spending.h"
#include "base/result.h"
#include "report/report.h"

namespace sooth::analysis {

// `name`: of the trace or program, for the report. `options` have been checked. `notes` gets the
// reader's notes.
Result<report::Report> analyse(const std::string& file, const std::string& name, const Options& options,
                               Spending& spending, Progress& progress, std::vector<std::string>& notes);

// The report of an analysis that was interrupted before its search began.
report::Report nothing_known(const std::string& name, const Options& options);

} // namespace sooth::analysis
