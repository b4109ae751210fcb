// Instances of a cycle: which thread, and which of its rounds, for each class of requests.
//
//     class A has members T1 (rounds 1 to 100) and T2 (rounds 1 to 100), class B the same
//     first (T1 round 1, T2 round 1), which stand close together; never (T1, T1)
//
// Question: which steps, one of each class and all of different threads, may stand in this cycle,
//   the most promising first? Combinations that never stand together are left out without a look at
//   each pair: along a chain of threads (thread_chains.h), the steps that MustOrder lets stand
//   beside another one are neighbours, found by binary search. First come, for each instance of the
//   first class, those few of the others that are near it in the trace, one instance of each thread
//   before the second of any; then all others, in the order of the trace. Two waits that saw
//   different values never stand still together (agreement.h).
// Cost: instances of the first class times chains, and the combinations that fit; gives up after
//   kMaxCombinations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "base/budget.h"
#include "predict/deadlocks/agreement.h"
#include "predict/deadlocks/lock_graph.h"
#include "predict/deadlocks/requests.h"
#include "predict/question/feasibility.h"
#include "trace/trace.h"

namespace sooth::predict {

struct Instance {
  causality::StepId step = causality::kNoStep;
  std::size_t request = 0; // index into Requests::all
};

class Instances {
public:
  Instances(const trace::Trace& trace, const causality::Computation& computation, const Feasibility& feasibility,
            const Requests& requests, const LockGraph& graph, const Budget* budget);

  // Returns whether to stop.
  using Try = std::function<bool(std::span<const Instance>)>;
  // False if there may be more, or it was stopped. `owned`: every object that is waited for has an
  // owner, so that all of the computation's orders bind; otherwise only those of creating and
  // joining threads do.
  bool each(const std::vector<ClassId>& circle, bool owned, const Try& attempt);

private:
  using List = std::vector<Instance>; // of one class and one chain, in the order of the trace
  struct Range {
    const List* list;
    std::size_t begin, end;
  };
  using Chains = absl::flat_hash_map<std::uint32_t, List>;

  const Chains& of(ClassId id);
  List by_rounds(ClassId id);
  void choose(std::size_t place);
  void choose_near(std::size_t place);
  std::vector<Range> ranges(std::size_t place);
  Range narrowed(Range range) const; // to what stands beside all that are chosen
  bool fits(const Instance& instance, std::size_t place) const;
  void compare_waits();
  bool over() const;

  const causality::Computation& computation_;
  const trace::Trace& trace_;
  const Feasibility& feasibility_;
  const Requests& requests_;
  const LockGraph& graph_;
  const Budget* const budget_; // may be null
  absl::flat_hash_map<ClassId, Chains> lists_;

  // Of one call.
  const std::vector<ClassId>* circle_ = nullptr;
  const Try* attempt_ = nullptr;
  bool owned_ = false, near_ = false, stopped_ = false;
  std::size_t looked_at_ = 0;
  std::optional<Agreement> agreement_;   // of two waits
  std::vector<causality::StepId> alone_; // waits that meet no other; ascending
  std::vector<Instance> chosen_;
  std::vector<std::vector<causality::StepId>> tried_; // while only near ones were, sorted after that
};

} // namespace sooth::predict
