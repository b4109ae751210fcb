// Races on file descriptors: one thread closes a descriptor while another one uses it. The number
// may belong to another file by then.
//
//     1 T1 fd-use 5          the run before 1: T1 stands before its read, T2 before its close
//     2 T2 fd-close 5
//
// Question: is there a run in which one thread stands directly before a call that needs the
//   descriptor to be open, and another one before the call that closes it?
// Source: maximal models, Definition 4, with a close as a write and a use as a read. As in
//   ThreadSanitizer.
// Where we differ: only uses that came before the close in the recorded run. Behind it the number
//   may be another file's: how files are opened is not recorded.
// Cost: one pass; kTriesPerSites questions for each pair of sites.
//
// Places: the use (Role::Access), then the close (Role::Access).
#pragma once

#include <vector>

#include "causality/computation/computation.h"
#include "predict/question/coverage.h"
#include "predict/question/feasibility.h"
#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::predict {

std::vector<witness::Finding> find_descriptor_races(const trace::Trace& trace,
                                                    const causality::Computation& computation,
                                                    const Feasibility& feasibility, Coverage& coverage);

} // namespace sooth::predict
