// Dynamic dependence: from static facts and a trace to what each step depended on.
//
//     T1 read  x = 1
//     T1 read  i = 2
//     T1 branch on x             a decision: depends on the read of x
//     T1 write a[2] = 7          its address depends on the read of i: a decision, too
//
// Question: which earlier reads of the thread influence whether this event occurs, its address, or
//   the value it writes?
// Source: jPredictor, section 2.3: the latest instance of each static source in the same
//   activation, through parameters and results across calls, by actual addresses across memory.
//   trace/static_facts.h defines sources.
// Where we differ: branches, addresses, call targets, and values that go to code without hooks are
//   decisions (static_facts.h), so a run in which no decision changes takes the same way
//   everywhere. Therefore the writes that another branch would have made (case 3 of Definition 3)
//   need no edge, nor does a value that a branch chose: the branch decides. Memory of one thread is
//   looked through, memory of several is not (step_dependence.h).
// Cost: linear in events and in the sources of their sites.
#pragma once

#include "causality/computation/computation.h"
#include "causality/computation/locations.h"
#include "causality/dependence/step_dependence.h"
#include "trace/trace.h"

namespace sooth::causality {

// Not known unless the trace is fit for it (Trace::is_fit_for_dependence), or has classes of sites
// by which some read is free (flow_dependence.h).
StepDependence dependence_of(const trace::Trace& trace, const Computation& computation, const Locations& locations);

} // namespace sooth::causality
