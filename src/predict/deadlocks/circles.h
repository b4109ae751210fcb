// Circles of requests: each waits for what the next one has, or would give.
//
// Question: which requests, one of each thread, may block each other in a circle, as far as what their threads hold tells?
// Source: the lock graph of Goodlock and its successors, with guards: threads that hold a common lock are in no circle together.
// Where we differ: requests are also joins, initialisations, and waits for semaphores, barriers and signals; a semaphore's wait can
//   be a circle of its own. Whether some run has all threads there is another question (deadlocks.cc).
// Cost: the number of paths; gives up after kMaxCircles circles or kMaxWalk steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "causality/computation/computation.h"
#include "predict/deadlocks/requests.h"

namespace sooth::predict {

// Indices into Requests::all; each is blocked by the next, the last by the first.
using VisitCircle = std::function<void(const std::vector<std::size_t>& circle)>;

// Every circle once; false if there may be more.
bool each_circle(const causality::Computation& computation, const Requests& requests, const VisitCircle& visit);

// In the recorded run, the step's thread helped whoever waits for the object, at this step or later.
bool helps_after(const causality::Computation& computation, const Requests& requests, std::uint32_t object,
                 causality::StepId step);

} // namespace sooth::predict
