// Renumbers the events of a report: those of a piece by their numbers in the whole trace, those of
// one of several traces behind the others'.
#pragma once

#include <cstdint>

#include "report/report.h"
#include "trace/trace.h"

namespace sooth::report {

// `report` is the report about `piece`.
void renumber(const trace::Trace& piece, Report& report);
// Adds `by` to every event's number. Counts of events stay as they are.
void shift_events(std::uint32_t by, Report& report);

} // namespace sooth::report
