// The causal model `hb-locks`: conflicting accesses keep their observed order, critical sections of
// the same lock may be swapped.
//
//     1 T1 write x
//     2 T1 acquire m
//     3 T1 release m
//     4 T2 acquire m
//     5 T2 release m
//     6 T2 write x
//
// hb: 3 before 4, so 1 before 6. hb-locks: 4 and 5 may come first. Then T1 stands before 1, T2
// before 6: a race on x.
//
// Question: which other runs are there if a lock orders nothing by itself?
// Source: maximal models, section 5, Theorem 4 (lock atomicity); jPredictor, section 3.2.
// Where we differ: a critical section is whole because the lock excludes others while it is held;
//   so a prefix of a run may end inside one.
// Cost: as step_model.h; no words of its own, since the cut says which thread has which lock.
#include "causality/models/step_model.h"

namespace sooth::causality {

Result<std::unique_ptr<Model>> make_happens_before_locks(const trace::Trace& trace, const Computation& computation,
                                                         const Relevance& relevance) {
  return std::unique_ptr<Model>(
      std::make_unique<StepModel>("hb-locks", ReadRule::ObservedOrder, trace, computation, relevance));
}

} // namespace sooth::causality
