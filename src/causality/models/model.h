// The one interface of causal models: which other runs the program could have had, given the trace.
//
//     T1: a1 a2     T2: b1        nodes: (0,0) (1,0) (0,1) (1,1) (2,0) (2,1)
//     b1 after a1                 (0,1) is not reached: b1 is not enabled in (0,0)
//
// A model is asked about one node at a time. A node is a cut (how many steps each thread has taken)
// and a few words of the model's own, its state. Under hb the cut says everything; under whb or the
// maximal model it also matters which write came last. Runs of the model are the paths from the
// initial node along `enabled` steps. Every prefix of such a path must be a prefix of a run that
// the program could have had.
//
// Explorers compare words: two nodes are the same if cut and state are equal. So a model gives
// equal meaning equal words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "causality/computation/clock.h"
#include "causality/computation/computation.h"
#include "trace/trace.h"

namespace sooth::causality {

using EventIndex = std::uint64_t; // into Trace::events

// One step of a thread. A model has steps that monitors do not see only because they decide what
// may follow.
struct ModelStep {
  EventIndex event = 0;
  bool visible = true;
  // No other thread may step between this step and its thread's next (docs/trace_format.md, rule
  // 3).
  bool glued = false;
};

using Cut = std::span<const Count>;                 // steps taken, by thread
using ModelState = std::span<const std::uint64_t>;  // state_words() words
using MutableModelState = std::span<std::uint64_t>; // the same, to be changed

// What monitors can see: ascending indices of events.
struct Relevance {
  std::vector<EventIndex> events;
};

class Model {
public:
  virtual ~Model() = default;

  virtual std::string_view name() const = 0;
  virtual std::size_t threads() const = 0; // as in the trace
  virtual std::span<const ModelStep> steps(ThreadNumber thread) const = 0;

  // The model's own words; all zero in the initial node unless `begin` says otherwise.
  virtual std::size_t state_words() const { return 0; }
  virtual void begin(MutableModelState) const {}

  // Whether the thread's next step, steps(thread)[cut[thread]], may follow. Asked only if there is
  // one and no other thread stands behind a glued step. Must not change anything: explorers ask
  // from several threads at once.
  virtual bool enabled(Cut cut, ModelState state, ThreadNumber thread) const = 0;
  // That step is taken: `cut` is the one before it, `state` becomes the one after it.
  virtual void advance(Cut, MutableModelState, ThreadNumber) const {}

  // If a step is enabled exactly when the cut covers the other components of the step's clock: the
  // clocks. Explorers are much faster then. Null for all other models.
  struct Clocks {
    std::vector<std::vector<SharedClock>> of_step; // [thread][step]
  };
  virtual const Clocks* clocks() const { return nullptr; }

  // A whole run, with all its events, that takes these steps in this order (a path from the initial
  // node) and ends with the last of them. Models whose steps are not all events fill in the others.
  virtual std::vector<EventIndex> run_along(std::span<const EventIndex> path) const {
    return {path.begin(), path.end()};
  }

  // For the end of the report: what the model had to leave out of the trace, a sentence each.
  virtual std::span<const std::string> limits() const { return {}; }
};

// An error if the model cannot say anything about such a trace, with the reason. `computation` is
// that of the trace.
using MakeModel = Result<std::unique_ptr<Model>>(const trace::Trace& trace, const Computation& computation,
                                                 const Relevance& relevance);
// Each in the file of its model.
#define SOOTH_MODEL(enumerator, name, make, reads, locks, needs, question, sentence) MakeModel make;
#include "causality/models/models.def"
#undef SOOTH_MODEL

// The table of models (models.def): `--model` takes these names.
struct ModelRow {
  std::string_view name;
  MakeModel* make;
};
std::span<const ModelRow> model_rows();
const ModelRow* find_model(std::string_view name); // null if there is none

} // namespace sooth::causality
