#include "causality/computation/blocks.h"

#include <algorithm>

#include "trace/together.h"

namespace sooth::causality {

namespace {

using trace::Event;

bool changes(const Operation& operation) {
  return operation.kind == OperationKind::Write || operation.kind == OperationKind::HoldEnd ||
         operation.kind == OperationKind::HoldBegin;
}
bool on_memory(const Operation& operation) {
  return operation.kind == OperationKind::Read || operation.kind == OperationKind::Write;
}

bool conflict(const Computation& computation, StepId a, StepId b) {
  for (const Operation& x : computation.operations_of(a))
    for (const Operation& y : computation.operations_of(b))
      if (on_memory(x) && on_memory(y) && x.object == y.object && (changes(x) || changes(y))) return true;
  return false;
}

// Only a glued block has operations behind its first event, so only there an event in between can
// matter.
bool is_parted(const trace::Trace& trace, const Computation& computation, const Block& block,
               std::span<const std::uint32_t> events) {
  if (block.begins == kNoStep) return false;
  std::uint32_t last = events.front();
  for (std::size_t k = 1; k < events.size(); ++k)
    if (trace::is_glued(trace.events[events[k - 1]])) last = events[k];
  for (std::uint32_t i = events.front() + 1; i < last; ++i) {
    if (trace.events[i].thread == block.thread) continue;
    const StepId other = computation.step_of_event[i];
    if (other != kNoStep && computation.steps[other].operations != 0 && conflict(computation, block.begins, other))
      return true;
  }
  return false;
}

} // namespace

Blocks blocks_of(const trace::Trace& trace, const Computation& computation) {
  constexpr std::size_t kNone = ~std::size_t{0};
  Blocks out;
  struct Open {
    std::size_t block = kNone;
    bool glued = false;
  };
  std::vector<Open> open(trace.threads.size());
  std::vector<std::uint32_t> block_of(trace.events.size());
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
    const Event& e = trace.events[i];
    Open& now = open[e.thread];
    const StepId step = computation.step_of_event[i];
    if (now.block == kNone || !(trace::clings(e) || now.glued)) {
      now.block = out.blocks.size();
      out.blocks.push_back({.thread = e.thread});
      if (step != kNoStep && computation.steps[step].event == i) out.blocks.back().begins = step;
    }
    Block& block = out.blocks[now.block];
    if (step != kNoStep && computation.steps[step].last_event == i) block.ends = step;
    ++block.count;
    block_of[i] = static_cast<std::uint32_t>(now.block);
    now.glued = trace::is_glued(e);
  }
  std::size_t sum = 0;
  for (Block& block : out.blocks) {
    block.first = sum;
    sum += block.count;
    block.count = 0;
  }
  out.events.resize(sum);
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
    Block& block = out.blocks[block_of[i]];
    out.events[block.first + block.count++] = i;
  }
  for (Block& block : out.blocks) block.parted = is_parted(trace, computation, block, out.events_of(block));
  return out;
}

} // namespace sooth::causality
