// Circles of requests: each waits for what the next one has, or would give.
//
// Question: which classes of requests (lock_graph.h) may block each other in a circle, as far as what their threads hold tells?
// Source: the lock graph of Goodlock and its successors, with guards: threads that hold a common lock are in no circle together.
// Where we differ: requests are also joins, initialisations, and waits for semaphores, barriers and signals; a semaphore's wait can
//   be a circle of its own. Whether some run has all threads there is another question (deadlocks.cc).
//   Short circles first: all of two, then those of three and more, deepening from each class only as far as it has a way back.
//   A class is in a circle once. If a circle had it twice, the request behind its second time would also block the first one, and
//   leave a shorter circle of some of the same requests, which is looked at; so only circles of a class and itself have two.
//   Joins are not alike in this (each waits for another thread), so they may come again.
// Cost: paths within a component of the lock graph; gives up after kMaxCircles circles or kMaxWalk steps.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "predict/deadlocks/lock_graph.h"
#include "predict/deadlocks/requests.h"

namespace sooth::predict {

// Each class is blocked by the next, the last by the first. Returns whether there was anything new about it: only such circles count.
using VisitCircle = std::function<bool(const std::vector<ClassId>& circle)>;

// Every circle once, short ones first; false if there may be more.
bool each_circle(LockGraph& graph, const VisitCircle& visit);

// In the recorded run, the step's thread helped whoever waits for the object, at this step or later.
bool helps_after(const causality::Computation& computation, const Requests& requests, std::uint32_t object,
                 causality::StepId step);

} // namespace sooth::predict
