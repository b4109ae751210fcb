// Questions under the model sliced: the answer of jPredictor's causality, and then whether a run of
// `full` confirms it.
//
//     1 T1 write x = 1
//     2 T1 write done = 1
//     3 T2 read  done = 1     only a statistic depends on it
//     4 T2 write x = 2
//     sliced: 4 does not depend on 3, so 1 and 4 are unrelated, and no lock is held at both.
//     full has the run "T1 stands before 1, T2 read done = 0 and stands before 4": confirmed.
//
// Question: can two threads stand before these two accesses at the same time? Can a write come
//   between two accesses of a block?
// Source: jPredictor, end of section 4.2: two accesses of a variable race if they are causally
//   unrelated, with all accesses of it as relevant events (without their values), and no lock is
//   held at both. Section 5.3 has a monitor for atomic blocks: another thread's event comes between
//   two of the block's if the order and lock-atomicity (section 3.2) allow it.
// Where we differ: a yes is only passed on if the model full has a run for it, which becomes the
//   witness. All others are counted. Other questions (deadlocks, memory) are not in jPredictor:
//   they stay undecided.
// Cost: the clocks, once for each location that is asked about; then as a question under full.
#pragma once

#include <memory>

#include "causality/computation/computation.h"
#include "predict/question/feasibility.h"
#include "trace/trace.h"

namespace sooth::predict {

// The trace must be fit for dependence.
std::unique_ptr<Feasibility> make_sliced_feasibility(const trace::Trace& trace,
                                                     const causality::Computation& computation, const Limits& limits);

} // namespace sooth::predict
