#include "predict/atomicity.h"

#include <memory>

#include "predict/block_set.h"
#include "predict/observed_atomicity.h"
#include "predict/predicted_atomicity.h"

namespace sooth::predict {

std::vector<witness::Finding> find_atomicity(const trace::Trace& trace, const Computation& computation,
                                             const Feasibility& feasibility, const Limits& limits, Coverage& coverage,
                                             const std::vector<std::string>& functions) {
  std::vector<Block> blocks = collect_blocks(trace, computation, functions);
  if (blocks.empty()) return {};
  const BlockSet set(trace, computation, std::move(blocks));
  BlockFindings findings(trace);
  const std::vector<bool> broken = find_broken_blocks(set, findings, coverage);
  // The definition speaks of values that are seen; a model that lets some of them be unknown has runs of which it says nothing.
  std::unique_ptr<Feasibility> maximal;
  if (feasibility.index().model > witness::Model::Maximal)
    maximal = make_feasibility(computation, witness::Model::Maximal, limits);
  predict_broken_blocks(set, maximal ? *maximal : feasibility, broken, findings, coverage);
  return findings.take();
}

} // namespace sooth::predict
