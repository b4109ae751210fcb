// What a recording says for certain about the order of its own run.
//
// Question: in which orders may the relevant events of the recorded run have happened?
// Source: docs/trace_format.md, "Order": numbers ascend along each thread and along each object that is synchronised on, as it
// happened. Whatever else stands in the trace's order was put there by clocks that are only looked at, and by values:
// one legal order, as good as the real one for every prediction, but not the real one.
// So the certain orders are those of each thread, of each lock, of atomic operations on the same place, and of the other
// primitives as far as both events took their numbers from the same object. Left out, though other runs have to keep them:
// conflicts of plain accesses, failed tries, lives of objects, and what came from outside.
// Events that no predicted run may part (`glued`) are not kept together: somebody may have come between when it was recorded.
// Cost: one pass of Algorithm A over the trace.
#pragma once

#include <memory>

#include "causality/model.h"

namespace sooth::causality {

// A model with clocks; the recorded run is one of its runs. All steps are visible.
std::unique_ptr<Model> make_recorded_order(const trace::Trace& trace, const Computation& computation,
                                           const Relevance& relevance);

} // namespace sooth::causality
