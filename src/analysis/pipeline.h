// From a trace to a report: the steps that `sooth check`, `sooth run` and the library share.
//
//   read -> verify -> separate objects -> compute -> engines -> check every witness -> describe -> suppress
//
// The order must be legal before anything is predicted from it, and no finding is shown whose witness the checker does
// not accept.
#pragma once

#include <string>

#include "analysis/options.h"
#include "analysis/prepare.h"
#include "analysis/progress.h"
#include "analysis/spending.h"
#include "base/result.h"
#include "report/report.h"
#include "trace/trace.h"

namespace sooth::analysis {

// `name`: of what is analysed, for the report. `options` have been checked.
Result<report::Report> analyse(trace::Trace trace, const LeftOut& left_out, const std::string& name,
                               const Options& options, const Spending& spending, Progress& progress);

} // namespace sooth::analysis
