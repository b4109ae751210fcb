// From a file to a trace that questions can be asked about: read, verified, its objects told apart, its computation. All of it
// within a budget: the beginning of a trace is a trace, and what is left out at its end is told.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "causality/computation.h"
#include "cli/allowance.h"
#include "cli/attempts.h"
#include "cli/coverage.h"
#include "trace/objects.h"
#include "trace/trace.h"

namespace sooth::cli {

// Not to be moved: the parts speak of each other.
struct Prepared {
  trace::Trace trace; // objects at reused addresses have been told apart
  trace::ObjectTable objects;
  causality::Computation computation;
  LeftOut left_out;           // events at the end
  std::uint64_t occupied = 0; // memory of the process when all this was ready
};

// Reads within a part of the allowance. Empty after an error, which has been told.
std::optional<trace::Trace> load_in_time(const std::string& file, const Allowance& allowance, Attempt& attempt,
                                         LeftOut& left_out);

// An error if the trace is not legal. What is not verified within a part of the allowance is left out.
Result<std::unique_ptr<Prepared>> prepare(trace::Trace trace, const Allowance& allowance = Allowance(),
                                          LeftOut left_out = {}, Attempt* attempt = nullptr);

} // namespace sooth::cli
