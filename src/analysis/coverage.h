// What bounds an answer, gathered from the trace, the computation and the engines, for the end of the report.
#pragma once

#include "causality/computation/computation.h"
#include "predict/question/coverage.h"
#include "report/report.h"
#include "trace/objects.h"
#include "trace/trace.h"

namespace sooth::analysis {

// Events at the end of the trace that were not looked at, and why.
struct LeftOut {
  std::uint64_t for_memory = 0;
  std::uint64_t for_time = 0;
  bool unread = false; // reading stopped early; nobody knows how many there are
};

report::Coverage coverage_of(const trace::Trace& trace, const trace::ObjectTable& objects,
                             const causality::Computation& computation, const predict::Coverage& engines,
                             const LeftOut& left_out);

} // namespace sooth::analysis
