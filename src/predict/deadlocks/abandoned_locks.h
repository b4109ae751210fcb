// Abandoned locks: requests for a lock that will never be given back.
//
//     recorded                     another run
//     T2 acquire m, T2 release m   T1 acquire m
//     T1 acquire m                 T1 end            m is still held
//     T1 end                       T2 acquire m      waits for ever
//
// Question: is there a run in which a thread ends with a lock that it never gives up, and another
//   one then requests it?
// Source: a cycle of one: the owner is gone. Robust mutexes notify the next thread that requests
//   them, so they are left out.
// Cost: one pass; up to kMaxTries questions for each request (requests.h) for such a lock.
//
// Places: the request (Role::Request), the event that took the lock (Role::Hold). The witness's
//   `next` is the request.
#pragma once

#include <vector>

#include "predict/deadlocks/requests.h"
#include "predict/question/coverage.h"
#include "predict/question/feasibility.h"
#include "witness/finding.h"

namespace sooth::predict {

std::vector<witness::Finding> find_abandoned_locks(const trace::Trace& trace, const causality::Computation& computation,
                                                   const Feasibility& feasibility, const Requests& requests,
                                                   Coverage& coverage);

} // namespace sooth::predict
