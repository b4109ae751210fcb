#include "predict/atomicity/changed_runs.h"

#include <algorithm>
#include <utility>

#include "predict/question/closure.h"

namespace sooth::predict {
namespace {

struct Stopped {
  std::vector<StepId> run;
  Execution execution; // after it
};

// A thread stops before the first step that `stops`, or that is not allowed any more. Ends early if
// a thread stops before it has made its `least` steps.
template <typename Stops>
Stopped with_stops(const Index& index, const std::vector<StepId>& run, const Question& question, Stops stops,
                   const std::vector<std::uint32_t>& least = {}) {
  Stopped out{{}, Execution(index)};
  std::vector<bool> stopped(index.computation.threads.size(), false);
  for (const StepId step : run) {
    const std::uint32_t thread = index.computation.steps[step].thread;
    if (!stopped[thread]) stopped[thread] = stops(step, out.execution) || !out.execution.allows(step, question);
    if (stopped[thread] && !least.empty() && out.execution.position(thread) < least[thread]) return out;
    if (stopped[thread]) continue;
    out.execution.take(step);
    out.run.push_back(step);
  }
  return out;
}

} // namespace

Execution after(const Index& index, std::span<const StepId> run) {
  Execution execution(index);
  for (const StepId step : run) execution.take(step);
  return execution;
}

std::vector<StepId> without_writes_after(const Index& index, const std::vector<StepId>& run, StepId write,
                                         StepId reader, const std::function<bool(StepId)>& restores) {
  const auto& steps = index.computation.steps;
  const std::uint32_t thread = steps[reader].thread;
  Stopped fewer = with_stops(index, run, {}, [&](StepId step, const Execution& before) {
    return steps[step].thread != thread && before.done(write) && restores(step);
  });
  return fewer.execution.next(thread) == reader ? std::move(fewer.run) : run;
}

std::vector<StepId> shortest(const Index& index, std::vector<StepId> run, const Question& question) {
  const causality::Computation& c = index.computation;
  const std::vector<std::uint32_t> least = least_of(c, question);
  for (std::uint32_t left_out = 0; left_out < c.threads.size(); ++left_out) {
    if (least[left_out] != 0) continue;
    Stopped fewer = with_stops(
        index, run, question, [&](StepId step, const Execution&) { return c.steps[step].thread == left_out; }, least);
    if (satisfies(c, question, fewer.execution.positions())) run = std::move(fewer.run);
  }
  return run;
}

bool complete_blocks(const BlockSet& set, const Index& index, std::vector<StepId>& run,
                     std::span<const std::uint32_t> standing, std::uint32_t only) {
  Execution execution = after(index, run);
  const auto inside = [&](std::uint32_t thread) {
    const StepId next = execution.next(thread);
    return next != kNoStep && set.block_of[next] != BlockSet::kNoBlock &&
           execution.position(thread) > set.blocks[set.block_of[next]].first;
  };
  bool moved = false;
  for (;;) {
    StepId best = kNoStep;
    for (std::uint32_t t = 0; t < index.computation.threads.size(); ++t) {
      if ((only != kAllThreads && t != only) || std::ranges::find(standing, t) != standing.end() || !inside(t))
        continue;
      const StepId next = execution.next(t);
      if (next < best && execution.allows(next, {})) best = next;
    }
    if (best == kNoStep) return moved;
    execution.take(best);
    run.push_back(best);
    moved = true;
  }
}

} // namespace sooth::predict
