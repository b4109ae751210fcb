#include "predict/atomicity/atomicity.h"

#include <algorithm>
#include <memory>

#include "predict/atomicity/block_set.h"
#include "predict/atomicity/observed_atomicity.h"
#include "predict/atomicity/predicted_atomicity.h"
#include "predict/atomicity/torn_blocks.h"

namespace sooth::predict {

namespace {

// Nothing is said about a function that was never called, or was inlined: the user hears of it.
void tell_unmatched(const trace::Trace& trace, const std::vector<Block>& blocks,
                    const std::vector<std::string>& functions, Coverage& coverage) {
  for (const std::string& pattern : functions) {
    const bool matched = std::ranges::any_of(blocks, [&](const Block& block) {
      return trace.events[block.begin].kind == trace::EventKind::Enter && is_named(block.name, pattern);
    });
    if (!matched)
      coverage.undecided_because("no whole call of a function that --atomic `" + pattern +
                                 "` names is in the trace (a call that was inlined is none)");
  }
}

} // namespace

std::vector<witness::Finding> find_atomicity(const trace::Trace& trace, const Computation& computation,
                                             const Feasibility& feasibility, const Limits& limits, Coverage& coverage,
                                             const std::vector<std::string>& functions) {
  std::vector<Block> blocks = collect_blocks(trace, computation, functions);
  tell_unmatched(trace, blocks, functions, coverage);
  if (blocks.empty()) return {};
  const BlockSet set(trace, computation, std::move(blocks));
  BlockFindings findings(trace);
  const std::vector<bool> broken = find_broken_blocks(set, findings, coverage);
  // The definition speaks of values that are seen. Where a model lets some of them be unknown, it is asked what it can answer, besides.
  const witness::Model model = feasibility.index().model;
  if (model <= witness::Model::Maximal) predict_broken_blocks(set, feasibility, broken, findings, coverage);
  else {
    if (!feasibility.is_sliced())
      predict_broken_blocks(set, *make_feasibility(computation, witness::Model::Maximal, limits), broken, findings,
                            coverage);
    find_torn_blocks(set, feasibility, broken, findings, coverage);
  }
  return findings.take();
}

} // namespace sooth::predict
