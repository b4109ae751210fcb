// The causal model `whb-locks`: each read sees the write that it saw; critical sections may be
// swapped.
//
//     1 T1 acquire m
//     2 T1 write x = 1
//     3 T1 release m
//     4 T2 acquire m
//     5 T2 read  x = 1        if this were a write, the sections could be swapped
//     6 T2 release m
//     7 T2 acquire n          never released: whb refuses this trace, whb-locks does not
//
// Question: as `whb`, for any trace.
// Source: maximal models, section 5, Theorem 6.
// Where we differ: as in hb-locks, a prefix of a run may end inside a critical section.
// Cost: as `whb`.
#include "causality/models/step_model.h"

namespace sooth::causality {

Result<std::unique_ptr<Model>> make_weak_happens_before_locks(const trace::Trace& trace, const Computation& computation,
                                                              const Relevance& relevance) {
  return std::unique_ptr<Model>(
      std::make_unique<StepModel>("whb-locks", ReadRule::SameWriter, trace, computation, relevance));
}

} // namespace sooth::causality
