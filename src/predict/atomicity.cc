#include "predict/atomicity.h"

#include <memory>

#include "predict/block_set.h"
#include "predict/observed_atomicity.h"
#include "predict/predicted_atomicity.h"
#include "predict/torn_blocks.h"

namespace sooth::predict {

std::vector<witness::Finding> find_atomicity(const trace::Trace& trace, const Computation& computation,
                                             const Feasibility& feasibility, const Limits& limits, Coverage& coverage,
                                             const std::vector<std::string>& functions) {
  std::vector<Block> blocks = collect_blocks(trace, computation, functions);
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
