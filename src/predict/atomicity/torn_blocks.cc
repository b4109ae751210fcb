#include "predict/atomicity/torn_blocks.h"

#include <algorithm>
#include <optional>

#include "predict/question/execution.h"
#include "predict/question/must_order.h"

namespace sooth::predict {
namespace {

class Torn {
public:
  Torn(const BlockSet& set, const Feasibility& feasibility, const std::vector<bool>& broken, BlockFindings& findings,
       Coverage& coverage)
      : set_(set), c_(set.computation), feasibility_(feasibility), broken_(broken), findings_(findings),
        coverage_(coverage), must_(set.trace, set.computation), questions_(set, coverage) {}

  void run() {
    for (std::size_t b = 0; b < set_.blocks.size(); ++b) {
      const Block& block = set_.blocks[b];
      if (!block.interruptible() || broken_[b] || !questions_.may_look_at(block)) continue;
      for (std::uint32_t place = block.first + 1; place < block.last; ++place)
        for (const Operation& o : c_.operations_of(set_.step(block, place)))
          if (o.kind == OperationKind::Read && !set_.is_unknown(o.object)) interrupt(block, place, o.object);
    }
  }

private:
  void interrupt(const Block& block, std::uint32_t place, std::uint32_t location) {
    const StepId reader = set_.step(block, place);
    const StepId before = set_.last_access(block, place, location, false);
    if (before == kNoStep) return;
    for (const ThreadAccesses& other : set_.index.locations[location].threads) {
      if (other.thread == block.thread) continue;
      for (const Access& write : other.writes) {
        if (write.value == left_by(before, location) || !set_.nameable(write.step)) continue;
        if (must_.precedes(write.step, before) || must_.precedes(reader, write.step)) continue;
        if (findings_.has(block, c_.steps[write.step].event)) continue;
        if (!ask(block, reader, before, write.step, location)) return;
      }
    }
  }

  // False if the budget is used up.
  bool ask(const Block& block, StepId reader, StepId before, StepId write, std::uint32_t location) {
    const BlockQuestions::May may = questions_.ask(questions_.key_of(block, reader, write));
    if (may != BlockQuestions::May::Ask) return may == BlockQuestions::May::NotThis;
    ++coverage_.candidates;
    ++coverage_.questions;
    const Answer answer = feasibility_.ask({{reader}, {write}, {{before, write}}, {}, {before, write}});
    if (answer.truth == Truth::Undecided) coverage_.undecided_because(answer.reason);
    if (answer.truth != Truth::Yes) return true;
    const std::vector<StepId> run = answer.run;
    if (const std::optional<StepId> writer = tears(run, before, location))
      findings_.add(predicted_finding(set_, block, reader, *writer, run, answer.tier), c_.steps[*writer].event);
    return true;
  }

  // Follows the run: the value that the block last had there, and the value that it would see now,
  // if both are certain and differ. Returns the write that made the difference; nothing if a value
  // is not certain.
  std::optional<StepId> tears(const std::vector<StepId>& run, StepId before, std::uint32_t location) const {
    Execution execution(feasibility_.index());
    bool certain = false;
    StepId writer = kNoStep; // the last one since
    for (const StepId step : run) {
      const bool kept = execution.sees_what_it_saw(step);
      execution.take(step);
      const bool writes = set_.accesses(step, location, OperationKind::Write);
      if (step == before) certain = writes ? !execution.is_tainted(location) : kept;
      else if (writes && execution.done(before)) writer = step;
    }
    const bool differs = execution.memory(location) != left_by(before, location);
    if (!certain || writer == kNoStep || execution.is_tainted(location) || !differs) return {};
    if (execution.memory(location) == causality::kUnknownValue || !set_.nameable(writer)) return {};
    return writer;
  }

  // The value of the location after the block's own access.
  std::uint32_t left_by(StepId access, std::uint32_t location) const {
    std::uint32_t value = causality::kUnknownValue;
    for (const Operation& o : c_.operations_of(access))
      if (o.object == location && (o.kind == OperationKind::Read || o.kind == OperationKind::Write)) value = o.value;
    return value;
  }

  const BlockSet& set_;
  const Computation& c_;
  const Feasibility& feasibility_;
  const std::vector<bool>& broken_;
  BlockFindings& findings_;
  Coverage& coverage_;
  const MustOrder must_;
  BlockQuestions questions_;
};

} // namespace

void find_torn_blocks(const BlockSet& set, const Feasibility& feasibility, const std::vector<bool>& broken,
                      BlockFindings& findings, Coverage& coverage) {
  Torn(set, feasibility, broken, findings, coverage).run();
}

} // namespace sooth::predict
