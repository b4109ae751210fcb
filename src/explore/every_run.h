// Does a property fail in every run of a model?
//
//     T1: x = 7     T2: y = 1      `x < 5` fails in both orders; `x >= y` only in one of them
//
// Question: is there a run, to its end, in which the monitor never objects?
// Source: none; the opposite of the question in JMPaX online, section 4. Failed runs are not
//   followed, so if the order of events is known this is one path.
// Cost: as the plain exploration of a lattice (count.h). Gives up beyond `EveryRunLimits`, which do
//   not depend on time: the same trace always gets the same answer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "causality/models/model.h"
#include "explore/monitor_set.h"

namespace sooth::explore {

struct EveryRunLimits {
  std::uint64_t nodes_of_a_level = 4096;
  std::uint64_t more_nodes = 1u << 17; // of all levels, one of each not counted: a run may be long
};

// True only if it is certain. No step of the model may be glued.
bool fails_in_every_run(const causality::Model& model, const MonitorSet& monitors, std::size_t monitor,
                        const EveryRunLimits& limits = {});

} // namespace sooth::explore
