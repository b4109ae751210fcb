#include "causality/blocks.h"

#include <algorithm>

namespace sooth::causality {

namespace {

using trace::Event;
using trace::EventKind;

bool clings(EventKind kind) { return kind == EventKind::Enter || kind == EventKind::Exit || kind == EventKind::Branch; }
bool glued(const Event& e) {
  if (e.kind == EventKind::ExternalWrite) return true; // it stands for what the next event found
  return (e.kind == EventKind::Read || e.kind == EventKind::Write) && e.has(trace::kGlued);
}

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

// Only a glued block has operations behind its first event, so only there an event in between can matter.
bool is_parted(const trace::Trace& trace, const Computation& computation, const Block& block) {
  if (block.begins == kNoStep) return false;
  std::uint32_t last = block.events.front();
  for (std::size_t k = 1; k < block.events.size(); ++k)
    if (glued(trace.events[block.events[k - 1]])) last = block.events[k];
  for (std::uint32_t i = block.events.front() + 1; i < last; ++i) {
    if (trace.events[i].thread == block.thread) continue;
    const StepId other = computation.step_of_event[i];
    if (other != kNoStep && computation.steps[other].operations != 0 && conflict(computation, block.begins, other))
      return true;
  }
  return false;
}

} // namespace

std::vector<Block> blocks_of(const trace::Trace& trace, const Computation& computation) {
  constexpr std::size_t kNone = ~std::size_t{0};
  std::vector<Block> out;
  std::vector<std::size_t> open(trace.threads.size(), kNone);
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
    const Event& e = trace.events[i];
    std::size_t& block = open[e.thread];
    const bool goes_on = block != kNone && (clings(e.kind) || glued(trace.events[out[block].events.back()]));
    if (!goes_on) {
      block = out.size();
      out.push_back({.thread = e.thread});
      const StepId step = computation.step_of_event[i];
      if (step != kNoStep && computation.steps[step].event == i) out[block].begins = step;
    }
    out[block].events.push_back(i);
    const StepId step = computation.step_of_event[i];
    if (step != kNoStep && computation.steps[step].last_event == i) out[block].ends = step;
  }
  for (Block& block : out) block.parted = is_parted(trace, computation, block);
  return out;
}

} // namespace sooth::causality
