// The runs that the recorded one may have been.
//
//     T1 write x = 1, T2 write x = 2, without synchronisation      both orders
//     T1 write x = 1, T1 release m, T2 acquire m, T2 write x = 2   only this one
//
// Question: in which orders may the relevant events of the recorded run have happened?
// Source: certain_order.h. Events that no predicted run may separate (`glued`) are not kept
//   together: another thread may have come between in the recorded run.
// Cost: one pass over the trace.
#pragma once

#include <memory>

#include "causality/models/model.h"

namespace sooth::causality {

// A model with clocks; the recorded run is one of its runs. All steps are visible.
std::unique_ptr<Model> make_recorded_order(const trace::Trace& trace, const Computation& computation,
                                           const Relevance& relevance);

} // namespace sooth::causality
