// Cycles of requests: each waits for something that the next one holds, or would give.
//
//     class A: requests b, holding a      A is blocked by B, B by A: a cycle of two
//     class B: requests a, holding b
//
//     if both also hold a common lock g, they are never there together: no cycle (guard)
//
// Question: which classes of requests (lock_graph.h) may block each other in a cycle, judged by
//   what their threads hold?
// Source: the lock graph of Goodlock and its successors, with guards: threads that hold a common
//   lock are in no cycle together.
// Where we differ: requests are also joins, initialisations, and waits for semaphores, barriers and
//   signals; a semaphore's wait can be a cycle of its own. Whether some run has all threads there
//   is another question (deadlocks.cc). Short cycles first: all of two, then those of three and
//   more, deepening from each class only as far as it has a way back. A class is in a cycle once.
//   If a cycle had it twice, the request behind its second time would also block the first one, and
//   leave a shorter cycle of some of the same requests, which is looked at; so only cycles of a
//   class and itself have two. Joins differ in this (each waits for another thread), so they may
//   come again.
// Cost: paths within a component of the lock graph; gives up after kMaxCircles cycles or kMaxWalk
//   steps.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "predict/deadlocks/lock_graph.h"
#include "predict/deadlocks/requests.h"

namespace sooth::predict {

// Each class is blocked by the next, the last by the first. Returns whether there was anything new
// about it: only such cycles count.
using VisitCircle = std::function<bool(const std::vector<ClassId>& circle)>;

// Every cycle once, short ones first; false if there may be more.
bool each_circle(LockGraph& graph, const VisitCircle& visit);

// In the recorded run, the step's thread helped threads that wait for the object, at this step or
// later.
bool helps_after(const causality::Computation& computation, const Requests& requests, std::uint32_t object,
                 causality::StepId step);

} // namespace sooth::predict
