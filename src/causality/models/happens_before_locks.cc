// The causal model `hb-locks`: conflicting accesses keep their observed order, blocks of the same lock may be swapped whole.
//
// Question: which other runs are there if a lock orders nothing by itself?
// Source: maximal models, section 5, Theorem 4 (lock atomicity); jPredictor, section 3.2.
// Where we differ: a lock block is whole because the lock excludes others while it is held; so a prefix of a run may end
// inside one.
// Cost: as step_model.h; no words of its own, since the cut says who has which lock.
#include "causality/models/step_model.h"

namespace sooth::causality {

Result<std::unique_ptr<Model>> make_happens_before_locks(const trace::Trace& trace, const Computation& computation,
                                                         const Relevance& relevance) {
  return std::unique_ptr<Model>(
      std::make_unique<StepModel>("hb-locks", ReadRule::ObservedOrder, trace, computation, relevance));
}

} // namespace sooth::causality
