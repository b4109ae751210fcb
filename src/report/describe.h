// From findings to a report: every event that a finding speaks of gets its place, stack, locks and names.
//
// Cost: two passes over the trace for all findings together, and what is shown of each.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "report/report.h"
#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::report {

// The address that the program used, of one in the trace (objects at reused addresses have been told apart).
using OriginalAddress = std::function<std::uint64_t(std::uint64_t)>;

// Fills `report` with the findings' descriptions, the program and the threads.
void describe(const trace::Trace& trace, std::span<const witness::Finding> findings, const OriginalAddress& original,
              Report& report);

} // namespace sooth::report
