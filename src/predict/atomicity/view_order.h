// View serialisability: can the events of a run be put in another order that has certain blocks in
// one piece?
//
//     both threads in a block:    T1 read x = 0, T2 read x = 0, T1 write x = 1, T2 write x = 1
//     In neither order of the two blocks do both reads see 0. Each block alone can be in one piece.
//
// Question: is there a run with exactly the events of this one, in which every read sees the value
//   that it saw, memory is the same at the end, and each of the given parts stands in one piece?
// Source: view serialisability, by values instead of by writers: the writer of a value does not
//   matter. Conflict serialisability (conflict_graph.h) is the fast test before it.
// Where we differ: a `no` is first looked for with only the locations of the parts: what is
//   impossible with fewer conditions is impossible.
// Cost: deciding it is NP-complete. Up to `states` states; gives up beyond them, and for runs of
//   more than kMaxSearched steps.
//
// An unknown value may be any value; a symbol (run_events.h) is the same value wherever it stands.
// So `no` holds whatever they are. Besides, an order must keep the order of each thread, of
// creation and joining, and the computation's other orders. Locks do not count: which thread waited
// for which is not a value that a thread saw.
#pragma once

#include <cstddef>
#include <vector>

#include "predict/atomicity/run_events.h"
#include "predict/atomicity/serial_search.h"
#include "predict/question/index.h"

namespace sooth::predict {

// `index`: of the run's computation, under any model; its orders are kept. Of a part, `last_read`
// does not count: it is in the run.
Truth view_order_exists(const Index& index, const RunEvents& run, const std::vector<Part>& parts, std::size_t states);

} // namespace sooth::predict
