// Counts the runs of a model, and those of them that violate each property.
//
//     T1: x = 1     T2: y = 1     no order: 4 cuts, 2 runs; `x >= y` fails in the run y, x
//
// Question: how many runs are there, through how many cuts, and in how many does a monitor object
//   at some time?
// Source: JMPaX online, section 4 ("three runs on six states, two of them violating").
// Cost: as the exploration, with a number of any size for each node and monitor state. This is the
//   plain way; tests compare the fast explorer with it. Gives up at the budget.
#pragma once

#include <vector>

#include "causality/models/model.h"
#include "explore/big_number.h"
#include "explore/exploration.h"
#include "explore/monitor_set.h"

namespace sooth::explore {

struct RunCount {
  std::uint64_t cuts = 0; // nodes of the lattice, all of them
  BigNumber runs;
  std::vector<BigNumber> violating; // by monitor
  End end = End::Complete;
};

RunCount count_runs(const causality::Model& model, const MonitorSet& monitors, const Options& options);

} // namespace sooth::explore
