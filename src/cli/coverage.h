// What bounds an answer, gathered from the trace, the computation and the engines, for the end of the report.
#pragma once

#include "causality/computation.h"
#include "predict/coverage.h"
#include "report/report.h"
#include "trace/objects.h"
#include "trace/trace.h"

namespace sooth::cli {

report::Coverage coverage_of(const trace::Trace& trace, const trace::ObjectTable& objects,
                             const causality::Computation& computation, const predict::Coverage& engines,
                             std::uint64_t left_out); // events at the end of the trace

} // namespace sooth::cli
