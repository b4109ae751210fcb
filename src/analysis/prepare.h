// From a file to a trace that questions can be asked about: read, verified, its objects told apart, its computation.
// All of it within a budget: the beginning of a trace is a trace, and what is left out at its end is counted.
#pragma once

#include <memory>
#include <string>

#include "analysis/coverage.h"
#include "analysis/progress.h"
#include "analysis/spending.h"
#include "base/result.h"
#include "causality/computation/computation.h"
#include "trace/objects.h"
#include "trace/sieve.h"
#include "trace/trace.h"

namespace sooth::analysis {

// Not to be moved: the parts speak of each other.
struct Prepared {
  trace::Trace trace; // objects at reused addresses have been told apart
  trace::ObjectTable objects;
  causality::Computation computation;
  LeftOut left_out;           // events at the end
  std::uint64_t occupied = 0; // memory of the process when all this was ready
};

// Reads within a part of what may be spent.
// `sieve`: what may be left out at once; may be null.
Result<trace::Trace> read_in_time(const std::string& file, Spending& spending, LeftOut& left_out,
                                  trace::Sieve* sieve = nullptr);

// An error if the trace is not legal. What is not verified within a part of the time is left out.
Result<std::unique_ptr<Prepared>> prepare(trace::Trace trace, const Spending& spending, Progress& progress,
                                          LeftOut left_out = {});

} // namespace sooth::analysis
