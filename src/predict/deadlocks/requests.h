// Requests that block, and what their threads hold when they make them: the nodes of a lock graph.
//
//     T1 acquire a, T1 acquire b     request of b by T1, holding a
//     T1 join T2                     request of T2's end by T1, holding a and b
//
// Requests of equal shape (same thread, same object, same holds, same site) are one Request with
// several steps. Some objects have an owner: a lock, a thread that is joined, an initialisation
// that is under way. Only the owner can give it. Others have none: a semaphore's count, the other
// threads of a barrier, a signal. Any thread may help there, so the trace says only which one did.
// Cost: one pass over the steps; a request costs as much as its thread holds.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "causality/computation/computation.h"
#include "trace/trace.h"

namespace sooth::predict {

enum class RequestKind : std::uint8_t { Exclusive, Shared, Join, Once, Semaphore, Barrier, Signal };

constexpr bool has_owner(RequestKind kind) { return kind <= RequestKind::Once; }

struct HeldLock {
  std::uint32_t lock = 0; // number of the object
  bool shared = false;
  friend auto operator<=>(const HeldLock&, const HeldLock&) = default;
};

struct Request {
  std::uint32_t thread = 0;
  RequestKind kind = RequestKind::Exclusive;
  std::uint32_t object = 0; // its number (see Requests), or that of the thread that is joined
  std::uint32_t site = 0;
  bool behind_writers = false; // a shared request that a waiting writer holds up
  std::vector<HeldLock> held;  // ascending locks; also initialisations that the thread is in

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

// The effects of one thread's steps on a semaphore, barrier or condition.
struct Helps {
  std::vector<std::uint32_t> gives; // places of posts, arrivals, signals: ascending
  std::vector<std::uint32_t> takes; // places of waits that took one
};

struct Requests {
  std::vector<Request> all;
  // Objects are numbered: the computation's locks first, then these addresses.
  std::vector<std::uint64_t> others;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Helps> helps; // by (object, thread); objects without an owner
  std::map<std::uint32_t, std::uint64_t> first_count;             // by semaphore
  std::map<std::uint32_t, std::vector<causality::Order>>
      observed; // by object: orders that repeat the observed matching

  // The thread's last place at which it helps threads that wait for the object; -1: never.
  std::int64_t last_help(std::uint32_t object, std::uint32_t thread) const;
  // Whether the semaphore's count can be 0 when threads stand before these steps. Other users of it
  // could do anything.
  bool may_be_empty(const causality::Computation& computation, std::uint32_t semaphore,
                    std::span<const causality::StepId> before) const;
};

Requests collect_requests(const trace::Trace& trace, const causality::Computation& computation);

// The event that took the lock, or began the initialisation, that the step's thread holds when it
// stands before the step; the trace's size if none did.
std::uint32_t taking_event(const trace::Trace& trace, const causality::Computation& computation, causality::StepId step,
                           std::uint64_t address);

} // namespace sooth::predict
