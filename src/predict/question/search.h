// The complete tier: looks for a run within a window, and for a proof that there is none.
//
// Question: is there a run in this window that answers the question?
// Source: maximal models, Theorem 7: a run is any consistent interleaving of prefixes of the
//   threads. Instead of states we search over decisions: who a read sees, which of two steps comes
//   first.
// Method: constraints.h finds what follows from what was decided; schedule.h tries to make a run of it and, if it cannot,
//   names a decision of which one option holds in every run. So going through the options is complete, and a
//   contradiction in all of them is a proof. Prefixes grow only if something needs them.
//   Going back: what refuted the last decision's options is tried without the decision before it; if it refutes those
//   constraints, too, that decision did not matter, and none of its other options is tried. So decisions that have nothing
//   to do with each other add up instead of multiplying (backjumping, with replayed proofs for reasons).
// Cost: polynomial for each decision; exponential in the number of decisions that matter, which is why there is a budget.
#pragma once

#include <cstdint>
#include <vector>

#include "base/budget.h"
#include "predict/question/constraints.h"
#include "predict/question/feasibility.h"

namespace sooth::predict {

// Answer::run has the steps of the window only.
Answer search(const Index& index, const Question& question, const Window& window, std::vector<std::uint32_t> limits,
              const Deadline& deadline);

} // namespace sooth::predict
