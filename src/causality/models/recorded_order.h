// The runs that the recorded one may have been.
//
// Question: in which orders may the relevant events of the recorded run have happened?
// Source: certain_order.h. Events that no predicted run may part (`glued`) are not kept together: somebody may have come
// between when it was recorded.
// Cost: one pass over the trace.
#pragma once

#include <memory>

#include "causality/models/model.h"

namespace sooth::causality {

// A model with clocks; the recorded run is one of its runs. All steps are visible.
std::unique_ptr<Model> make_recorded_order(const trace::Trace& trace, const Computation& computation,
                                           const Relevance& relevance);

} // namespace sooth::causality
