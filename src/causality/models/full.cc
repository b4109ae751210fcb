// The causal model `full`: as maximal, but a read that influences no decision may return any value.
//
//     1 T1 write y = 1
//     2 T1 read  x = 0       x = x + 1
//     3 T1 write x = 1
//     4 T2 read  x = 1       x = x + 1
//     5 T2 write x = 2
//     6 T2 write y = 2
//
// maximal: 4 sees 1, so it comes after 3, and 1 before 6. full: no branch and no address depends on
// 4, so 4 and 5 may come first, with other values. Then T1 stands before 1, T2 before 6: a race on
// y.
//
// Question: which runs follow from the trace, if one knows what the program's branches, addresses
//   and written values depend on?
// Source: maximal models, Theorem 7, and jPredictor, section 2.3, joined; docs/sliced.md has the
//   definition and the proof.
// Where we differ: unlike in `sliced` (jPredictor), every event of the threads' prefixes is in the
//   run, so nothing is left open about the rest of the program; and a read may find its value in
//   any untainted write.
// Cost: as step_model.h, and a bit for each value that may be tainted and still matters.
#include "causality/models/step_model.h"

namespace sooth::causality {

Result<std::unique_ptr<Model>> make_full(const trace::Trace& trace, const Computation& computation,
                                         const Relevance& relevance) {
  const ReadRule rule = computation.dependence.known ? ReadRule::Free : ReadRule::SameValue;
  return std::unique_ptr<Model>(std::make_unique<StepModel>("full", rule, trace, computation, relevance));
}

} // namespace sooth::causality
