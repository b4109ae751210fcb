// The computation lattice as a Graphviz picture: states, the observed run, and the runs that violate a property.
//
// Source: seed 000, Figures 5 and 6. Cost: the whole lattice is built, plainly; beyond `max_cuts` there is no picture but a
// sentence that offers a window around the first violation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "causality/computation.h"
#include "logic/property.h"
#include "trace/trace.h"

namespace sooth::predict {

struct PictureOptions {
  std::uint64_t max_cuts = 400;
  // Only cuts at most so many steps before the first violation's last one, and at most so many away from its run;
  // 0: all.
  std::uint64_t window = 0;
  std::string around; // the property whose violation is meant; empty: the first
};

// The text of a .dot file.
Result<std::string> lattice_picture(const trace::Trace& trace, const causality::Computation& computation,
                                    const logic::PropertyFile& file, std::string_view model,
                                    const PictureOptions& options);

} // namespace sooth::predict
