// Renumbers the events of a piece by their numbers in the whole trace.
#pragma once

#include "report/report.h"
#include "trace/trace.h"

namespace sooth::report {

// `report` is the report about `piece`.
void renumber(const trace::Trace& piece, Report& report);

} // namespace sooth::report
