// A run as it grows, step by step, under one model's rules. The plain definition: every fast
// engine's answer is replayed here before it is given.
//
//     after T1 acquire m:   allows(T2 acquire m) is false; allows(T1 write x) is true
//
// Question: may this step follow the run so far?
// Source: maximal models, the models as conditions on prefixes (docs/report.md, Models).
// Where we differ: a run may begin behind a part of the observed one; a binary search finds the
//   state that this part left.
// Cost: a step costs its operations, its orders and its needs; a pinned step one look at each
//   thread.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include <cstdint>
#include <span>
#include <vector>

#include "predict/question/feasibility.h"
#include "predict/question/index.h"

namespace sooth::predict {

class Execution {
public:
  explicit Execution(const Index& index) : Execution(index, {}) {}
  // As if each thread t had made `base[t]` steps, in the observed order: that must be a run. Empty:
  // none.
  Execution(const Index& index, std::vector<std::uint32_t> base);

  std::uint32_t position(std::uint32_t thread) const { return positions_[thread]; }
  std::span<const std::uint32_t> positions() const { return positions_; }
  // The thread's next step, or kNoStep.
  StepId next(std::uint32_t thread) const {
    const std::vector<StepId>& own = index_.computation.threads[thread].steps;
    return positions_[thread] < own.size() ? own[positions_[thread]] : kNoStep;
  }
  bool done(StepId step) const {
    return positions_[index_.computation.steps[step].thread] > index_.computation.steps[step].place;
  }

  // Whether the next step of its thread may follow; `question` adds its sequences and waives its
  // orders.
  bool allows(StepId step, const Question& question) const;
  void take(StepId step);
  // Whether the thread of the step, which is its next, will really do it: no tainted value leads to
  // it.
  bool leads_to(StepId step) const;

  // Model full allows more; what comes before a window is as it was observed.
  bool sees_what_it_saw(StepId step) const { return !index_.reads_freely() || !reads_taint(step); }

  // Model full: the contents of the location are not known.
  bool is_tainted(std::size_t location) const { return index_.reads_freely() && tainted_locations_[location]; }

  // The last write of the location, as far as the model distinguishes writes: a step or, under
  // maximal, a value.
  std::uint32_t memory(std::size_t location) const;
  // Adds who waits on which condition, and the signals that are left, to what distinguishes states.
  void tell_waits(std::vector<std::uint32_t>& state) const;
  std::size_t locations() const { return index_.computation.locations.size(); }

private:
  bool allows_operation(std::size_t operation, std::uint32_t thread) const;

  struct Lock {
    std::uint32_t owner = 0xffffffff;
    std::vector<std::uint32_t> readers;
  };
  struct Holder {
    std::uint32_t thread;
    bool exclusive;
  };
  Access writer(std::uint32_t location) const; // the last write; kNoStep with the initial value
  void write(std::uint32_t location, const Access& access);
  Lock& lock(std::uint32_t number) const;
  bool held_by_others(std::uint32_t location, std::uint32_t thread, bool writes) const;
  // Most locations have one at most, for a short time.
  using Holders = absl::InlinedVector<Holder, 2>;
  Holders& holders(std::uint32_t location) const;
  void end_hold(std::uint32_t location, std::uint32_t thread);
  std::uint64_t& count(std::uint32_t semaphore) const;
  causality::WaitQueue& queue(std::uint32_t condition) const;

  const Index& index_;
  std::vector<std::uint32_t> base_;            // empty: the beginning of the trace
  StepId base_begin_ = kNoStep, base_end_ = 0; // the first step that is not in it; behind its last one
  std::vector<std::uint32_t> positions_;       // by thread
  // By location, since the base: as a table once a run has written many of them.
  absl::flat_hash_map<std::uint32_t, Access> writers_;
  std::vector<Access> all_writers_; // kNoStep: not written
  // The state after the base is looked up on demand.
  mutable absl::flat_hash_map<std::uint32_t, Lock> locks_;
  mutable absl::flat_hash_map<std::uint32_t, Holders> holders_;             // by location; without a base, who has some
  mutable absl::flat_hash_map<std::uint32_t, std::uint64_t> counts_;        // by semaphore
  mutable absl::flat_hash_map<std::uint32_t, causality::WaitQueue> queues_; // by condition

  // Model full: what may be other than it was (docs/sliced.md).
  bool reads_taint(StepId step) const;
  std::vector<bool> tainted_nodes_;     // of the dependence graph, as far as the threads have come
  std::vector<bool> tainted_locations_; // its last write is tainted
};

// Whether the question is answered by where this run has come to.
bool satisfies(const Computation& computation, const Question& question, std::span<const std::uint32_t> positions);

// Replays a run: empty if every step was allowed and the question is satisfied at the end;
// otherwise what went wrong.
std::string objection_to(const Index& index, const Question& question, std::span<const StepId> run);
// The same for the steps behind a base, in which the question's steps do not stand.
std::string objection_to(const Index& index, const Question& question, const std::vector<std::uint32_t>& base,
                         std::span<const StepId> steps);
std::string objection_to(const Index& index, const Question& question, const Run& run);

} // namespace sooth::predict
