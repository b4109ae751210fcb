// The causal model `maximal`: each read sees the value that it saw, from any write; locks exclude.
//
//     1 T1 write y = 1
//     2 T1 write x = 1
//     3 T2 read  x = 1
//     4 T2 write y = 2
//     5 T3 write x = 1
//
// whb: 3 sees 2, so 1 comes before 4. maximal: 3 may see 5 instead, which has the same value. After
// 5 and 3, T1 stands before 1, T2 before 4: a race on y.
//
// Question: which runs follow from the trace, if one does not know the program?
// Source: maximal models, Theorem 7: the consistent prefixes of interleavings. Its extended
//   prefixes end a thread with a read of another value. Here such a thread stands before that read:
//   the read changes no variable.
// Where we differ: unrecorded values equal only themselves.
// Cost: as step_model.h; the words say which value each location has that is still to be read.
#include "causality/models/step_model.h"

namespace sooth::causality {

Result<std::unique_ptr<Model>> make_maximal(const trace::Trace& trace, const Computation& computation,
                                            const Relevance& relevance) {
  return std::unique_ptr<Model>(
      std::make_unique<StepModel>("maximal", ReadRule::SameValue, trace, computation, relevance));
}

} // namespace sooth::causality
