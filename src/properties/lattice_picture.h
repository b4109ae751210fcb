// The computation lattice as a Graphviz picture: states, the observed run, and the runs that
// violate a property.
//
// Source: JMPaX online, Figures 5 and 6.
// Cost: the lattice is built, plainly (lattice_graph.h). If it is too large even for that, a window
//   is reached through cuts that are as near to the violating run as the window is wide. Under hb,
//   where the cut alone decides which steps may follow, this reaches every cut of the window. Only
//   runs through these cuts are red. Beyond `max_cuts` there is no picture, but a sentence that
//   offers a window, or a smaller one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "causality/computation/computation.h"
#include "logic/property.h"
#include "trace/trace.h"

namespace sooth::properties {

struct PictureOptions {
  std::uint64_t max_cuts = 400;
  // Only cuts at most so many steps from the one with the first violation, before and after it: the
  // sum, over all threads, of how many events one has more than the other. 0: all.
  std::uint64_t window = 0;
  std::string around; // the property whose violation is meant; empty: the first
};

// The text of a .dot file.
Result<std::string> lattice_picture(const trace::Trace& trace, const causality::Computation& computation,
                                    const logic::PropertyFile& file, std::string_view model,
                                    const PictureOptions& options);

} // namespace sooth::properties
