// The position of the observed run while levels are made.
#pragma once

#include <cstdint>
#include <vector>

#include "explore/apart.h"
#include "explore/packing.h"

namespace sooth::explore {

struct ObservedStep {
  std::uint32_t field = Packing::kNoField; // that moves; none if the run is over
  bool is_behind = false; // it moves a thread that has no field: one whose steps all nodes have taken already
};

// How far the observed run has come in each field of the packing, and which field moves next.
struct ObservedCut {
  ApartVector<Count> counts;
  ObservedStep next;

  void go_on(const ObservedStep& then) {
    if (next.field != Packing::kNoField) ++counts[next.field];
    next = then;
  }
};

// Its cut of the present level, and a step for each level that is to be made.
struct ObservedRun {
  ObservedCut begin; // without a next step yet
  std::vector<ObservedStep> steps;
};

} // namespace sooth::explore
