// The causal model `maximal`: each read sees the value that it saw, from whichever write; locks exclude.
//
// Question: which runs can be inferred from the trace by anybody who does not know the program?
// Source: maximal models, Theorem 7: the consistent prefixes of interleavings. Its extended
// prefixes, which end a thread with a read of another value, end here with the thread standing
// before that read: what it sees changes no variable.
// Where we differ: values that nobody recorded equal only themselves.
// Cost: as step_model.h; the words say which value each location still to be read has.
#include "causality/models/step_model.h"

namespace sooth::causality {

Result<std::unique_ptr<Model>> make_maximal(const trace::Trace& trace, const Computation& computation,
                                            const Relevance& relevance) {
  return std::unique_ptr<Model>(
      std::make_unique<StepModel>("maximal", ReadRule::SameValue, trace, computation, relevance));
}

} // namespace sooth::causality
