// The one question behind races, deadlocks, atomicity and memory errors: is there a run in which
// certain threads stand at certain places?
//
//     1 T1 acquire a        Is there a deadlock? Question: before = {2, 6}, that is, T1 stands
//     2 T1 acquire b        directly before 2, and T2 directly before 6.
//     3 T1 release b
//     4 T1 release a        Answer: yes, by the run 1 5. T1 has a and requests b, T2 has b and
//     5 T2 acquire b        requests a.
//     6 T2 acquire a
//
// Source: maximal models, Definition 4 (corrected: both projections are on the thread of the
//   respective event): a race is a feasible run after which two threads stand directly before
//   conflicting accesses. A deadlock is the same with requests for locks.
// Tiers: `closure` (polynomial) answers most questions; `search` (complete, in a window, with a
//   budget) the rest.
//
// A model's runs are given by their prefixes: a step may be added to a run if the model's condition
// for that step holds after it (docs/report.md, Models). So every prefix of a run is a run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/budget.h"
#include "causality/computation/computation.h"
#include "witness/finding.h"

namespace sooth::predict {

class Index;
class MustOrder;

struct Question {
  std::vector<causality::StepId>
      before; // the thread of each stands directly before it: earlier steps happened, it did not
  std::vector<causality::StepId> done;    // these happened
  std::vector<causality::Order> sequence; // both happened, in this order
  std::vector<causality::Order> waived;   // orders of the computation that do not bind in this question
  // Model full: these steps read and write their recorded values, as far as a run can be asked for
  // it (docs/sliced.md).
  std::vector<causality::StepId> as_recorded = {};
};

enum class Truth : std::uint8_t { Yes, No, Undecided };

// A run from the beginning: the computation's first `observed` steps, then `steps`, in their order.
struct Run {
  causality::StepId observed = 0;
  std::vector<causality::StepId> steps;

  operator std::vector<causality::StepId>() const; // all of them
};

struct Answer {
  Truth truth = Truth::Undecided;
  const char* tier = ""; // "closure", "search"
  Run run;               // if Yes
  std::string reason;    // if Undecided: "window", "budget", ...; if No, why it could have been expected, if it could
  bool slow = false;     // Undecided because it took too long, and so would another one of the same kind
};

struct Limits {
  std::size_t window = 10'000; // steps; a question is decided within this many steps that end with its last one
  double seconds_per_question = 5;
  double seconds_for_lines = 5; // for all that only adds lines to a finding, if not `each` is asked for
  double seconds = 0;           // for everything; 0: no limit
  std::uint64_t memory = 0;     // bytes of the whole process; 0: no limit
  unsigned jobs = 0;            // 0: as many as there are processors
  bool each = true; // false: one finding for a variable and its functions is enough, others if they are cheap
  const Budget* budget = nullptr; // what is left of `seconds` and `memory`, if the analysis began before
};

// Answers questions on one computation under one model. ask() may be called from several threads at
// once.
class Feasibility {
public:
  Feasibility();
  virtual ~Feasibility();
  Feasibility(const Feasibility&) = delete;
  Feasibility& operator=(const Feasibility&) = delete;
  virtual Answer ask(const Question& question) const = 0;
  // What questions may cost in all, in steps of the trace, is counted from here on.
  virtual void renew() const {}
  // Model sliced: questions that it answers with yes and `full` with no, so far (docs/sliced.md).
  virtual std::uint64_t unreal() const { return 0; }
  virtual bool is_sliced() const { return false; }
  // The computation under the model of whose runs it speaks.
  virtual const Index& index() const = 0;
  // What comes before what in all these runs (must_order.h), made when it is first asked for. The
  // trace is that of the computation.
  const MustOrder& must(const trace::Trace& trace) const;
  // The same without the orders that questions waive: besides values and locks, only creation and
  // joining count.
  const MustOrder& must_by_lives(const trace::Trace& trace) const;

private:
  struct Musts;
  const std::unique_ptr<Musts> musts_;
};

// Not for the model sliced, which needs the trace, too (sliced_feasibility.h).
std::unique_ptr<Feasibility> make_feasibility(const causality::Computation& computation, witness::Model model,
                                              const Limits& limits);

} // namespace sooth::predict
