// The conditions that a run must meet, as orders between steps: the polynomial heart of the
// complete tier.
//
//     T1 w : write x = 1      r sees w. Suppose that w' is known to come before r, for example by
//     T3 w': write x = 2      a release in T3 and an acquire in T2. Then w' comes before w: between
//     T2 r : read  x = 1      w and r it would overwrite the 1. If w is also known to come before
//                             w', the two orders contradict each other: no run has all of this.
//
// Question: given some steps that the run must have, what else must it have, and in which order?
// Source: saturation of partial orders (reads-from and locks), as in work on predictive analysis
//   and on verifying sequential consistency; here for maximal causality, with prefixes of threads
//   that grow only if they must.
//
// The rules, applied until nothing changes. `w` is the write that read `r` sees, w' another write
// of the location:
//     reads   w' known before r:  w' before w.       w known before w':  r before w'.
//     locks   one section begins before the other ends:  it ends before the other begins (and its
//             end is in the run).
//     holds   as locks, between a hold and each conflicting access.
//     tries   a try that failed is inside the section that excluded it.
//     waits   for a semaphore: enough posts are not known to come behind it; if just enough, they
//             come before it. On a condition: the same for one signal behind the wait's beginning.
// Everything the rules add is in every run that contains what was there before; so a contradiction
// is a proof.
//
// Cost: a pass over the accesses of each location, and the sections of each lock, whose steps'
//   clocks changed.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <span>
#include <vector>

#include "base/budget.h"
#include "predict/question/feasibility.h"
#include "predict/question/index.h"
#include "predict/question/partial_run.h"

namespace sooth::predict {

// The writer that a read sees, if it is not a step: the value before the window, or not decided
// yet.
inline constexpr StepId kBaseWriter = 0xfffffffe;
inline constexpr StepId kUndecidedWriter = 0xfffffffd;
inline constexpr StepId kAnyWriter = 0xfffffffc; // model full: nothing that decides depends on this read
inline constexpr std::uint32_t kUndecidedSection = 0xfffffffe;

// The part of the trace that is searched: steps [begin, end), after `base[t]` steps of each thread
// t.
struct Window {
  StepId begin = 0;
  StepId end = 0;
  std::vector<std::uint32_t> base;
};

class Constraints {
public:
  Constraints(const Index& index, const Question& question, const Window& window, std::vector<std::uint32_t> limits,
              const Deadline& deadline);

  const Index& index() const { return index_; }
  const Computation& computation() const { return c_; }
  const Question& question() const { return question_; }
  const PartialRun& run() const { return run_; }
  StepId begin() const { return begin_; } // of the window

  // Each is false if there is a contradiction. They may leave rules unapplied: saturate() applies
  // them.
  bool start();                            // what the question asks for
  bool include(StepId step);               // with what its thread did before it
  bool order(StepId first, StepId second); // includes both
  bool choose_writer(std::uint32_t operation, StepId writer);
  bool choose_section(std::uint32_t operation, std::uint32_t section); // of a try that failed
  bool saturate();
  bool out_of_time() const { return out_of_time_; } // then false says nothing

  // Of a read (a try) in the run: who it sees (runs into).
  StepId writer(std::uint32_t operation) const { return chosen_[operation - first_operation_]; }
  std::uint32_t tried_section(std::uint32_t operation) const { return chosen_[operation - first_operation_]; }
  // The value of the location before the window.
  Access base_write(std::uint32_t location) const;
  // Who waited on the condition then.
  const causality::WaitQueue& base_waits(std::uint32_t condition) const;
  // Writers that the read may still see, the observed one first.
  std::vector<StepId> candidates(std::uint32_t operation, StepId step, std::size_t most) const;
  bool can_see(StepId step, std::uint32_t location, StepId writer) const;

  // Model full: whether the step certainly writes the value it wrote, so that reads may count on
  // it.
  bool is_clean(StepId writer) const;

  struct Mark {
    std::size_t run, choices, required;
  };
  Mark mark() { return {run_.mark(), choices_.size(), required_.size()}; }
  void take_back(const Mark& mark);

private:
  bool extend(std::uint32_t thread, std::uint32_t prefix);
  bool admit(StepId step);
  bool admit_operation(std::uint32_t operation, StepId step);
  bool require(const causality::StepDependence::Slice& slice) { return require(c_.dependence.of(slice)); }
  bool require(std::span<const causality::DependenceNode> nodes);
  bool bind_reads(StepId step);
  bool in_base(causality::DependenceNode node) const { return run_.in_base(c_.dependence.step_of_node[node]); }
  void note_changes();
  bool apply_reads(std::uint32_t location);
  bool apply_read(std::uint32_t location, StepId reader, StepId writer);
  bool is_behind(StepId write, StepId writer) const;
  bool apply_holds(std::uint32_t location);
  bool apply_hold(const Section& hold, std::span<const Access> accesses);
  bool apply_locks(std::uint32_t lock);
  bool apply_tries(std::uint32_t lock);
  bool apply_section(std::uint32_t lock, const Section& section);
  bool apply_semaphore(std::uint32_t semaphore);
  bool apply_take(std::uint32_t semaphore, StepId take, std::uint64_t base_count);
  bool apply_condition(std::uint32_t condition);
  bool apply_wake_up(std::uint32_t condition, StepId wake, StepId wait);
  std::size_t may_precede(const std::vector<StepId>& own, std::uint32_t thread, StepId step) const;
  void set_choice(std::uint32_t operation, std::uint32_t value);

  const Index& index_;
  const Computation& c_;
  const Question& question_;
  PartialRun run_;
  const StepId begin_, end_; // the window
  std::uint32_t first_operation_ = 0;
  std::vector<std::uint32_t> chosen_; // by operation
  struct Choice {
    std::uint32_t operation;
    std::uint32_t old;
  };
  std::vector<Choice> choices_;
  // Model full: nodes of the dependence graph that must be as they were, in the order in which this
  // became known.
  std::vector<causality::DependenceNode> required_;
  absl::flat_hash_set<causality::DependenceNode> is_required_;
  std::vector<StepId> new_; // in the run, but what they need is not yet
  absl::flat_hash_set<std::uint32_t> locations_, locks_, semaphores_, conditions_; // to be looked at again
  mutable absl::flat_hash_map<std::uint32_t, causality::WaitQueue> base_waits_;    // by condition
  const Deadline& deadline_;
  static constexpr std::uint64_t kBetweenLooks = 256; // at the time: reads whose writers are looked for
  std::uint64_t looked_ = 0;
  bool out_of_time_ = false;
};

} // namespace sooth::predict
