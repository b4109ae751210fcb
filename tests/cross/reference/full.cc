#include "reference/full.h"

#include <algorithm>

namespace sooth::reference {

using trace::Event;

FullReference::FullReference(const trace::Trace& trace, const Relation& relation,
                             std::vector<std::uint32_t> step_of_event)
    : trace_(trace), relation_(relation), step_of_event_(std::move(step_of_event)), reference_(trace) {}

bool FullReference::leads(const FullState& state, EventNumber number) const {
  return std::ranges::none_of(relation_.leads[number],
                              [&](EventNumber read) { return state.tainted_reads.contains(read); });
}

bool FullReference::event(FullState& state, EventNumber number) const {
  const Event& e = trace_.events[number];
  if (!reference_.enabled(state.state, e.thread, Model::Full) || !leads(state, number)) return false;
  bool reads_tainted = false, writes_tainted = false;
  if (trace::reads_memory(e.kind))
    for (std::uint64_t byte = e.address; byte < e.address + e.size; ++byte)
      reads_tainted |= state.tainted_bytes.contains(byte) || !reference_.same_value(state.state, number, byte);
  if (reads_tainted) state.tainted_reads.insert(number);
  if (reads_tainted && relation_.used[number]) return false;
  if (trace::writes_memory(e.kind)) {
    writes_tainted = reads_tainted || std::ranges::any_of(relation_.writes[number], [&](EventNumber read) {
                       return state.tainted_reads.contains(read);
                     });
    for (std::uint64_t byte = e.address; byte < e.address + e.size; ++byte) {
      if (writes_tainted) state.tainted_bytes.insert(byte);
      else state.tainted_bytes.erase(byte);
    }
  }
  if ((reads_tainted || writes_tainted) && looked_at_.contains(number)) return false;
  state.state = reference_.after(state.state, e.thread);
  return true;
}

bool FullReference::step(FullState& state, std::uint32_t thread) const {
  EventNumber number = reference_.next(state.state, thread);
  if (number == Reference::kNone) return false;
  const std::uint32_t step = step_of_event_[number];
  for (; number != Reference::kNone && step_of_event_[number] == step; number = reference_.next(state.state, thread))
    if (!event(state, number)) return false;
  return true;
}

std::set<FullState> FullReference::states() const {
  const FullState first{reference_.initial(), {}, {}};
  std::set<FullState> seen{first};
  std::vector<FullState> waiting{first};
  while (!waiting.empty()) {
    const FullState here = std::move(waiting.back());
    waiting.pop_back();
    for (std::uint32_t t = 0; t < trace_.threads.size(); ++t) {
      FullState there = here;
      if (step(there, t) && seen.insert(there).second) waiting.push_back(std::move(there));
    }
  }
  return seen;
}

std::set<Reference::Pair> FullReference::races(const std::set<FullState>& states) const {
  std::set<Reference::Pair> result;
  for (const FullState& full : states)
    for (const Reference::Pair& pair : reference_.races({full.state}))
      if (leads(full, pair.first) && leads(full, pair.second)) result.insert(pair);
  return result;
}

} // namespace sooth::reference
