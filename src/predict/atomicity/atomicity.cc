#include "predict/atomicity/atomicity.h"

#include <algorithm>
#include <memory>

#include "predict/atomicity/block_set.h"
#include "predict/atomicity/interleavings.h"
#include "predict/atomicity/observed_atomicity.h"
#include "predict/atomicity/predicted_atomicity.h"
#include "predict/atomicity/torn_blocks.h"
#include "trace/restore/hand_over.h"

namespace sooth::predict {

namespace {

// Nothing can be said about a function that was never called, or was inlined: the report says so.
void tell_unmatched(const trace::Trace& trace, const std::vector<Block>& blocks,
                    const std::vector<std::string>& functions, Coverage& coverage) {
  for (const std::string& pattern : functions) {
    if (!names_function(trace, pattern)) continue; // the report lists the names that there are
    const bool matched = std::ranges::any_of(blocks, [&](const Block& block) {
      return trace.events[block.begin].kind == trace::EventKind::Enter && is_named(block.name, pattern);
    });
    if (!matched)
      coverage.undecided_because("no whole call of a function that --atomic `" + pattern +
                                 "` names is in the trace (a call that was inlined is none)");
  }
}

// Memory that one thread had to itself, and that another one took over. No run of the trace has the
// two the other way round, but a run of the program may; so that no run has a block in one piece
// cannot be shown.
bool has_hand_overs(const trace::Trace& trace) {
  return std::ranges::any_of(trace.events, [](const trace::Event& e) {
    return e.kind == trace::EventKind::HbAcquire && trace::is_hand_over(e);
  });
}

} // namespace

bool names_function(const trace::Trace& trace, const std::string& pattern) {
  return std::ranges::any_of(trace.sites, [&](const auto& site) { return is_named(site.function, pattern); });
}

std::vector<witness::Finding> find_atomicity(const trace::Trace& trace, const Computation& computation,
                                             const Feasibility& feasibility, const Limits& limits, Coverage& coverage,
                                             const std::vector<std::string>& functions, AtomicityRule rule) {
  std::vector<Block> blocks = collect_blocks(trace, computation, functions);
  tell_unmatched(trace, blocks, functions, coverage);
  if (blocks.empty()) return {};
  if (has_hand_overs(trace)) {
    coverage.undecided_because("blocks of memory were one thread's for a time (SOOTH_OPTIONS=own=0 records them)");
    return {};
  }
  const BlockSet set(trace, computation, std::move(blocks), rule, feasibility.index());
  BlockFindings findings(trace);
  const std::vector<bool> broken = find_broken_blocks(set, findings, coverage);
  const witness::Model model = feasibility.index().model;
  const bool frees = model > witness::Model::Maximal; // some values are not known
  const auto predict = [&](const Feasibility& some) {
    if (rule == AtomicityRule::View)
      find_interleavings(set, some, limits, broken, &some == &feasibility && model >= witness::Model::Maximal, findings,
                         coverage);
    else predict_broken_blocks(set, some, broken, findings, coverage);
  };
  // Runs of `hb-locks` have critical sections whole, with all that a section does to a block.
  if (rule == AtomicityRule::View && model >= witness::Model::Maximal && !feasibility.is_sliced())
    predict(*make_feasibility(computation, witness::Model::HappensBeforeLocks, limits));
  // Where a model lets some values be unknown, those runs in which all are known prove most.
  if (frees && !feasibility.is_sliced()) predict(*make_feasibility(computation, witness::Model::Maximal, limits));
  if (!frees || (rule == AtomicityRule::View && !feasibility.is_sliced())) predict(feasibility);
  if (frees) find_torn_blocks(set, feasibility, broken, findings, coverage);
  return findings.take();
}

} // namespace sooth::predict
