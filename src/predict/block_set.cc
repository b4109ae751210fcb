#include "predict/block_set.h"

#include <algorithm>

namespace sooth::predict {

namespace {

constexpr std::size_t kStates = 100'000; // of one search

bool is_access(const Operation& o) { return o.kind == OperationKind::Read || o.kind == OperationKind::Write; }

} // namespace

BlockSet::BlockSet(const trace::Trace& t, const Computation& c, std::vector<Block> all)
    : trace(t), computation(c), blocks(std::move(all)), index(c, witness::Model::Maximal) {
  for (std::uint32_t i = 0; i < trace.events.size(); ++i)
    if (trace.events[i].has(trace::kOpaque) && computation.step_of_event[i] != kNoStep)
      for (const Operation& o : computation.operations_of(computation.step_of_event[i]))
        if (is_access(o)) unknown_.insert(o.object);
}

bool BlockSet::accesses(StepId id, std::uint32_t location, OperationKind kind) const {
  return std::ranges::any_of(computation.operations_of(id),
                             [&](const Operation& o) { return o.kind == kind && o.object == location; });
}

bool BlockSet::touches_unknown(const Part& part) const {
  if (unknown_.empty()) return false;
  for (std::uint32_t place = part.first; place < part.end; ++place)
    for (const Operation& o : computation.operations_of(computation.threads[part.thread].steps[place]))
      if (is_access(o) && is_unknown(o.object)) return true;
  return false;
}

Truth BlockSet::serial(const std::vector<Part>& parts) const {
  if (parts.size() > kMaxParts) return Truth::Undecided;
  if (std::ranges::any_of(parts, [&](const Part& part) { return touches_unknown(part); })) return Truth::Undecided;
  return serial_run_exists(computation, parts, kStates);
}

void BlockFindings::add(witness::Finding finding, std::uint32_t inside) {
  const trace::Event& begin = trace_.events[finding.places[0].event];
  const trace::Event& other = trace_.events[inside];
  const auto key = std::tuple(finding.status, finding.property, begin.site, other.site, other.site == 0 ? inside : 0);
  const auto [it, is_new] = known_.try_emplace(key, findings_.size());
  if (is_new) findings_.push_back(std::move(finding));
  else ++findings_[it->second].count;
}

} // namespace sooth::predict
