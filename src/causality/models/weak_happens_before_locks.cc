// The causal model `whb-locks`: each read sees the write that it saw; lock blocks may be swapped whole.
//
// Question: as `whb`, for any trace.
// Source: maximal models, section 5, Theorem 6.
// Where we differ: as in hb-locks, a prefix of a run may end inside a lock block.
// Cost: as `whb`.
#include "causality/models/step_model.h"

namespace sooth::causality {

Result<std::unique_ptr<Model>> make_weak_happens_before_locks(const trace::Trace& trace, const Computation& computation,
                                                              const Relevance& relevance) {
  return std::unique_ptr<Model>(
      std::make_unique<StepModel>("whb-locks", ReadRule::SameWriter, trace, computation, relevance));
}

} // namespace sooth::causality
