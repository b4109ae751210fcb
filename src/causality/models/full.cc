// The causal model `full`: as maximal, but a read on which nothing depends that decides may see anything.
//
// Question: which runs can be inferred from the trace by somebody who knows what the program's branches, addresses and
//   written values depend on?
// Source: maximal models, Theorem 7, and jPredictor, section 2.3, joined; docs/sliced.md has the
//   definition and the proof.
// Where we differ from `sliced` (jPredictor): every event of the threads' prefixes is in the run,
//   so nothing is left open about what the rest of the program does meanwhile; and a read may find
//   its value in any write that is as it was.
// Cost: as step_model.h, and a bit for each value that may be tainted and still matters.
#include "causality/models/step_model.h"

namespace sooth::causality {

Result<std::unique_ptr<Model>> make_full(const trace::Trace& trace, const Computation& computation,
                                         const Relevance& relevance) {
  const ReadRule rule = computation.dependence.known ? ReadRule::Free : ReadRule::SameValue;
  return std::unique_ptr<Model>(std::make_unique<StepModel>("full", rule, trace, computation, relevance));
}

} // namespace sooth::causality
