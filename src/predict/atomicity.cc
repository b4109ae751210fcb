#include "predict/atomicity.h"

#include "predict/block_set.h"
#include "predict/observed_atomicity.h"
#include "predict/predicted_atomicity.h"

namespace sooth::predict {

std::vector<witness::Finding> find_atomicity(const trace::Trace& trace, const Computation& computation,
                                             const Feasibility& feasibility, const Limits&, Coverage& coverage,
                                             const std::vector<std::string>& functions) {
  std::vector<Block> blocks = collect_blocks(trace, computation, functions);
  if (blocks.empty()) return {};
  const BlockSet set(trace, computation, std::move(blocks));
  BlockFindings findings(trace);
  const std::vector<bool> broken = find_broken_blocks(set, findings, coverage);
  predict_broken_blocks(set, feasibility, broken, findings, coverage);
  return findings.take();
}

} // namespace sooth::predict
