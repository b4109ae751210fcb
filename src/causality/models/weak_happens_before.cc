// The causal model `whb`: each read sees the write that it saw; a lock's acquire and release are an
// atomic set.
//
//     1 T1 write y
//     2 T1 write x = 1
//     3 T2 write x = 2
//     4 T2 read  x = 2
//     5 T2 write y
//
// hb: 2 and 3 conflict, so 1 comes before 5. whb: only the order from 3 to 4 counts, and 2 may not
// come between them. After 3 and 4, T1 stands before 1, T2 before 5: a race on y.
//
// Question: which other runs are there if only the order from a write to its reads counts?
// Source: maximal models, section 5, Definitions 6 and 7, Theorems 3 and 5.
// Where we differ: an acquire whose release was never recorded could move away from what it
//   protects (the cut-off Fig. 1(b)), so the model refuses a trace that has one.
// Cost: as step_model.h; the words say which write each location has that is still to be read.
#include "causality/models/step_model.h"

namespace sooth::causality {

Result<std::unique_ptr<Model>> make_weak_happens_before(const trace::Trace& trace, const Computation& computation,
                                                        const Relevance& relevance) {
  if (std::string sentence = never_released(computation); !sentence.empty())
    return Error{std::move(sentence), {}, 0, 0};
  return std::unique_ptr<Model>(
      std::make_unique<StepModel>("whb", ReadRule::SameWriter, trace, computation, relevance));
}

} // namespace sooth::causality
