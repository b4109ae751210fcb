// Requests that block, and what their threads hold when they make them: the nodes of a lock graph.
//
// Requests of equal shape (same thread, same object, same holds, same site) are one Request with several steps.
// Cost: one pass over the steps; a request costs as much as its thread holds.
#pragma once

#include <cstdint>
#include <vector>

#include "causality/computation.h"
#include "trace/trace.h"

namespace sooth::predict {

enum class RequestKind : std::uint8_t { Exclusive, Shared, Join };

struct HeldLock {
  std::uint32_t lock = 0; // number in Computation::locks
  bool shared = false;
  friend auto operator<=>(const HeldLock&, const HeldLock&) = default;
};

struct Request {
  std::uint32_t thread = 0;
  RequestKind kind = RequestKind::Exclusive;
  std::uint32_t object = 0; // lock, or number of the thread that is joined
  std::uint32_t site = 0;
  bool behind_writers = false; // a shared request that a waiting writer holds up
  std::vector<HeldLock> held;  // ascending locks

  std::vector<causality::StepId> steps; // in the observed order

  bool same_shape(const Request& other) const {
    return thread == other.thread && kind == other.kind && object == other.object && site == other.site &&
           behind_writers == other.behind_writers && held == other.held;
  }
  const HeldLock* holding(std::uint32_t lock) const {
    for (const HeldLock& h : held)
      if (h.lock == lock) return &h;
    return nullptr;
  }
};

std::vector<Request> collect_requests(const trace::Trace& trace, const causality::Computation& computation);

// The event that took the lock that the step's thread holds when it stands before the step; the trace's size if none did.
std::uint32_t taking_event(const causality::Computation& computation, causality::StepId step, std::uint32_t lock);

} // namespace sooth::predict
