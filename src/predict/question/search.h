// The complete tier: looks for a run within a window, and for a proof that there is none.
//
//     constraints: the steps that the question needs, saturated
//     schedule:    stuck; the read r sees w1 or w2          decision 1
//       r sees w1: saturated; stuck; a before b, or b before a    decision 2
//         a before b: contradiction
//         b before a: contradiction                         so r does not see w1
//       r sees w2: saturated; schedule complete             a run: yes
//
// Question: is there a run in this window that answers the question?
// Source: maximal models, Theorem 7: a run is any consistent interleaving of prefixes of the
//   threads. Instead of states we search over decisions: which write a read sees, which of two
//   steps comes first.
// Approach: constraints.h finds the consequences of the decisions so far. schedule.h tries to make
//   a run of them and, if it cannot, names a decision of which one option holds in every run. So
//   going through the options is complete, and a contradiction in all of them is a proof. Prefixes
//   grow only if something needs them. Backjumping: the proof that refuted the last decision's
//   options is tried without the decision before it. If it still holds, that decision did not
//   matter, and none of its other options is tried. So unrelated decisions add up instead of
//   multiplying.
// Cost: polynomial for each decision; exponential in the number of decisions that matter, which is
//   why there is a budget.
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
