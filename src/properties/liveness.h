// Runs that could go on for ever in a way that a `liveness` property forbids (lasso_search.h), as
// findings about a trace.
//
// Such a finding is possible, not certain: it is not shown that the program's other variables let
// it repeat v. So these findings have a kind of their own.
#pragma once

#include <vector>

#include "causality/models/model.h"
#include "explore/property_events.h"
#include "logic/property.h"
#include "properties/lasso_search.h"
#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::properties {

struct LivenessAnswer {
  std::vector<witness::Finding> findings; // one for each property; kind PossibleLiveness
  bool complete = true;                   // every path was tried
};

// The limits are those of each property.
LivenessAnswer find_possible_liveness(const trace::Trace& trace, const causality::Model& model,
                                      const logic::PropertyFile& file, const explore::PropertyEvents& events,
                                      const LassoLimits& limits);

} // namespace sooth::properties
