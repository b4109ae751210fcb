// The lock graph: classes of requests, and which of them may block which.
//
// Example: three threads all do `lock(a); lock(b)` at one place and `lock(b); lock(a)` at another.
//   There are two classes, (b, holding a) and (a, holding b). Each has three members, and each is
//   the other's only blocker.
//
// Question: which requests can be part of a cycle at all, and which of them differ only in thread
//   and round?
// Source: the lock graph of Goodlock, and its strongly connected components (Tarjan). Its nodes are
//   the objects that are waited for: locks, threads' ends, initialisations, semaphores, barriers,
//   signals. A thread that stands before a request gives arcs from every object that it withholds
//   from others to the object that it requests. A cycle of requests goes round in one component;
//   all other requests are dropped before cycles are looked for.
// Cost: linear in requests and what they hold; the neighbours of a class are found on demand.
//
// A class has the requests of the same site for the same object with the same holds, of any thread:
// members.front() stands for all. Joins of one site are a class whichever threads they join.
// Requests without a site are distinguished by their threads, as findings are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "causality/computation/computation.h"
#include "predict/deadlocks/requests.h"

namespace sooth::predict {

using ClassId = std::uint32_t;

struct RequestClass {
  std::vector<std::size_t> members; // indices into Requests::all, ascending
  std::uint32_t threads = 0;        // how many have one
  std::uint32_t in_a_row = 1;       // joins: so many of its members at most, each joining the thread of the next
};

class LockGraph {
public:
  LockGraph(const causality::Computation& computation, const Requests& requests);

  const std::vector<RequestClass>& classes() const { return classes_; }
  const Request& shape(ClassId id) const { return requests_.all[classes_[id].members.front()]; }

  // Classes of which a member may block a member of this one, and those where it is the other way
  // round. Ascending; both know only shapes, and that some of the threads fit.
  const std::vector<ClassId>& blockers(ClassId id);
  const std::vector<ClassId>& waiters(ClassId id);

  // Members of both may stand before their requests at the same time: of different threads, and
  // with no exclusive lock in common.
  bool fit_together(ClassId a, ClassId b) const;
  // A semaphore that some member's thread gives back itself, later: others may have taken it.
  bool waits_for_itself(ClassId id) const;

  // How many neighbours were looked at.
  std::size_t looked_at() const { return looked_at_; }

private:
  struct Member { // of a class in a thread
    ClassId id;
    std::uint32_t place; // its first
  };
  using Lists = absl::flat_hash_map<std::uint32_t, std::vector<ClassId>>;

  void collect_helps();
  std::vector<bool> in_circles() const; // by request
  void add_classes(const std::vector<bool>& kept);
  void add_lists();
  bool owner_blocks(const Request& holder, const Request& waiter) const;
  std::vector<ClassId> ascending(ClassId self, std::vector<ClassId> found);

  const causality::Computation& computation_;
  const Requests& requests_;
  std::vector<RequestClass> classes_;
  // Objects without an owner that a thread helps: (object, last place).
  absl::flat_hash_map<std::uint32_t, std::vector<std::pair<std::uint32_t, std::int64_t>>> helped_by_;
  absl::flat_hash_map<std::uint32_t, std::vector<std::pair<std::uint32_t, std::int64_t>>>
      helpers_; // (thread, last place)
  absl::flat_hash_map<std::uint32_t, std::vector<Member>> of_thread_;
  Lists holders_, writers_, waiting_, joining_; // by lock, lock, object, thread
  std::vector<std::optional<std::vector<ClassId>>> blockers_, waiters_;
  std::size_t looked_at_ = 0;
};

} // namespace sooth::predict
