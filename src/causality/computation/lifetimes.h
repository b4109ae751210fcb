// Objects in memory: their accesses come after their beginning and before their end.
//
//     T1 alloc p, T1 write p, T2 read p, T2 read p, T1 free p
//     orders: alloc -> T2's first read; T2's last read -> free (T1's own follow by thread order)
//
// Question: which orders keep every access inside the life of its object, if several threads use
//   it?
// Source: none; maximal models has no such objects. Every run keeps these orders. An engine that
//   looks for accesses after the end asks with these orders waived
//   (predict/question/feasibility.h).
// Cost: one pass; a tree lookup for an access that is in another object than its thread's last one.
#pragma once

#include "causality/computation/effects.h"
#include "trace/trace.h"

namespace sooth::causality {

void add_lifetime_orders(const trace::Trace& trace, Effects& effects);

} // namespace sooth::causality
