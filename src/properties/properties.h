// Violations of the user's properties: in the observed run, and in every run that a causal model
// allows.
//
//     property safe: start(landing == 1) -> [approved == 1, radio == 0)
//     1 T1 write approved = 1
//     2 T1 write landing = 1     observed: radio is 1, fine
//     3 T1 release m
//     4 T2 write radio = 0       predicted, the run 4 1 2: radio is 0 when the landing starts
//
// Question: does a property fail in the recorded run (observed) or in another one (predicted), and
//   by which steps?
// Source: JMPaX online and JMPaX.
// Cost: that of the exploration (explore/lattice.h); gives up at the limits given, and says so.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "causality/computation/computation.h"
#include "explore/count.h"
#include "explore/exploration.h"
#include "logic/property.h"
#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::properties {

struct PropertyOptions {
  explore::Options exploration;
  bool count = false; // count all runs as well
};

struct PropertyAnswer {
  std::vector<witness::Finding> findings; // observed ones first
  bool complete = true;                   // every run of the model was looked at
  std::vector<std::string> bounds;        // why not, a sentence's end each
  std::vector<std::string> remarks;       // further remarks for the report, a sentence each
  explore::Statistics statistics;
  std::uint64_t relevant_events = 0;
  std::optional<explore::RunCount> counted;
  std::vector<std::string> counted_properties; // of RunCount::violating
};

// `model` is a name of causality::model_rows(). An error if it does not apply to such a trace.
Result<PropertyAnswer> check_properties(const trace::Trace& trace, const causality::Computation& computation,
                                        const logic::PropertyFile& file, std::string_view model,
                                        const PropertyOptions& options);

} // namespace sooth::properties
