// The coverage: reasons that bound an answer, gathered from the trace, the computation and the
// engines, for the end of the report.
#pragma once

#include "causality/computation/computation.h"
#include "predict/question/coverage.h"
#include "report/report.h"
#include "trace/objects.h"
#include "trace/trace.h"

namespace sooth::analysis {

// Engines, witnesses and reports number events with 32 bits; the highest number means "none".
// Events that the sieve has left out do not count.
inline constexpr std::uint64_t kMostNumbered = 0xffff'fffe;

// Events at the end of the trace that were not analysed, and why.
struct LeftOut {
  std::uint64_t for_memory = 0;
  std::uint64_t for_time = 0;
  std::uint64_t for_numbers = 0; // behind kMostNumbered
  bool unread = false;           // reading stopped early; the number of the others is unknown
  double part_read = 1;          // of what the file has; roughly

  bool any() const { return unread || for_memory != 0 || for_time != 0 || for_numbers != 0; }
};

report::Coverage coverage_of(const trace::Trace& trace, const trace::ObjectTable& objects,
                             const causality::Computation& computation, const predict::Coverage& engines,
                             const LeftOut& left_out);

} // namespace sooth::analysis
