// Runs that could go on for ever in a way that a `liveness` property forbids.
//
//     liveness served: always (x > 0 -> eventually y > 0)
//     u: x = 1     v: x = 2, x = 1
//     After v the variables are as after u, and in u v v v ... y stays 0: violated.
//
// Question: is there a path u v of the lattice after which the properties' variables are as they
//   were after u, such that u v v v ... violates the property?
// Source: JMPaX online, section 4 (the idea; uv^w is tested by path checking, logic/lasso.h).
// Where we differ: there are exponentially many paths, so they are tried one by one, those near the
//   observed run first, until the limits are used up; then the answer is bounded.
// Cost: for each path and each pair of equal states in it one test, linear in the path.
//
// Such a finding is possible, not certain: it is not shown that the program's other variables let
// it repeat v. So these findings have a kind of their own.
#pragma once

#include <cstdint>
#include <vector>

#include "causality/models/model.h"
#include "explore/property_events.h"
#include "logic/property.h"
#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::properties {

struct LivenessLimits {
  std::uint64_t steps = 200'000; // of all paths together
  std::uint64_t tests = 200'000;
  double seconds = 0; // 0: no limit
};

struct LivenessAnswer {
  std::vector<witness::Finding> findings; // one for each property; kind PossibleLiveness
  bool complete = true;                   // every path was tried
};

LivenessAnswer find_possible_liveness(const trace::Trace& trace, const causality::Model& model,
                                      const logic::PropertyFile& file, const explore::PropertyEvents& events,
                                      const LivenessLimits& limits);

} // namespace sooth::properties
