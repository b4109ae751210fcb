// The schedules that `sooth replay` forces on the real program.
#pragma once

#include "analysis/prepare.h"
#include "report/describe.h"

namespace sooth::analysis {

// Each witness is first rewritten into an equal one with fewer thread switches
// (replay/fewer_switches.h). The checker has to accept that one, too; otherwise the original is
// used. `prepared` must outlive the result.
report::Scripting scripting(const Prepared& prepared);

} // namespace sooth::analysis
