// Dependence from classes of sites (trace/program/value_flows.h), which every build has.
//
//     T2 read  x = 1       class: flows into the write of x      free
//     T2 write x = 2       depends on that read
//     T2 read  g = 0       no class                              decides what follows
//
// Question: which reads may return another value in a run of `full`, and which writes change with
//   them?
// Source: docs/sliced.md, "Classes of sites", with the proof.
// Where we differ: a trace without facts has no branches. So a read is free only in two cases.
//   Its class names stores of its basic block, and the trace shows each of them, directly behind
//   it, with nothing but plain accesses in full detail between: then it flows into these events. Or
//   its class names all stores that it may ever reach, and none of them can have been left out:
//   then every later event of these stores in its thread depends on it. Where something may have
//   been left out (a held or merged access), all such reads before decide. Every other read
//   decides.
// Cost: linear in events; a free read costs the events up to its last store, or the stores that it
//   may reach.
#pragma once

#include "causality/computation/computation.h"
#include "causality/computation/locations.h"
#include "causality/dependence/step_dependence.h"
#include "trace/trace.h"

namespace sooth::causality {

// Not known if the trace has no classes, or no free read: then `full` is `maximal`.
StepDependence flow_dependence_of(const trace::Trace& trace, const Computation& computation,
                                  const Locations& locations);

} // namespace sooth::causality
