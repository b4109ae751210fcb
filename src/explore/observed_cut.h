// Where the observed run stands while a level is made.
#pragma once

#include <cstdint>

#include "explore/apart.h"
#include "explore/packing.h"

namespace sooth::explore {

// How far the observed run has come in each field of the packing, and which field moves next.
struct ObservedCut {
  ApartVector<Count> counts;
  std::uint32_t next = Packing::kNoField;
  bool next_is_behind = false; // it moves a thread that has no field: one whose steps all nodes have taken already
};

} // namespace sooth::explore
