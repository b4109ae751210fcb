// The causal model `hb`: runs keep every pair of conflicting accesses in the observed order.
//
// Question: in which orders could the relevant events have come?
// Source: JMPaX online, sections 2.2 and 3.1; maximal models, Theorem 2. A lock is a variable that
// is written when it is acquired and when it is released (shared: read); orders of the other
// primitives come with the computation.
// Where we differ: blocks. Events that no other thread may part (glued accesses; calls and branches behind the event
// that they cling to) happen together: they see what all of them see before the first, and leave what all of them leave
// behind after the last.
// Cost: one pass of Algorithm A over the trace; a node is enabled by comparing clocks.
//
// The rules of docs/trace_format.md. Rule 1: a hold is an access of its bytes at its beginning and one at its end, as
// strong as the rule asks; so whatever another thread did with them before or after the hold stays there. Where the
// observed order itself breaks a hold or parts a block, both threads are cut off. Rule 2: writes to what properties can name
// are never merged. Rule 3: blocks, as above. Rule 4: the computation says how far a thread is to be trusted; what depends
// on more is not in any run. Writes to what properties can name are always kept, and accesses that conflict with them
// are never moved past them, so no state that a run of the program has is missing between two states of a run here.
#pragma once

#include <memory>

#include "causality/models/model.h"

namespace sooth::causality {

Result<std::unique_ptr<Model>> make_happens_before(const trace::Trace& trace, const Computation& computation,
                                                   const Relevance& relevance);

} // namespace sooth::causality
