#include "predict/atomicity/block_set.h"

#include <algorithm>

#include "predict/question/witness_of.h"

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

StepId BlockSet::last_access(const Block& block, std::uint32_t place, std::uint32_t location, bool writing) const {
  while (place-- > block.first) {
    const StepId id = step(block, place);
    if (accesses(id, location, OperationKind::Write)) return id;
    if (!writing && accesses(id, location, OperationKind::Read)) return id;
  }
  return kNoStep;
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
  // No run has what is not to be trusted; that proves nothing.
  if (std::ranges::any_of(parts, [&](const Part& part) { return part.end > index.trusted[part.thread]; }))
    return Truth::Undecided;
  if (std::ranges::any_of(parts, [&](const Part& part) { return touches_unknown(part); })) return Truth::Undecided;
  return serial_run_exists(computation, parts, kStates);
}

witness::Finding predicted_finding(const BlockSet& set, const Block& block, StepId reader, StepId inside,
                                   const std::vector<StepId>& run, const char* tier) {
  using witness::Role;
  const std::uint32_t read = set.computation.steps[reader].event;
  witness::Finding finding;
  finding.kind = witness::FindingKind::Atomicity;
  finding.engine = tier;
  finding.property = block.name;
  finding.places = {{block.begin, Role::BlockBegin},
                    {block.end, Role::BlockEnd},
                    {set.computation.steps[inside].event, Role::Interleaved},
                    {read, Role::Access}};
  finding.witness = witness_of(set.computation, set.trace, run, {read});
  return finding;
}

BlockFindings::Key BlockFindings::key_of(witness::Status status, const std::string& block, std::uint32_t begin,
                                         std::uint32_t inside) const {
  const std::uint32_t site = trace_.events[inside].site;
  return {status, block, trace_.events[begin].site, site, site == 0 ? inside : 0};
}

bool BlockFindings::has(const Block& block, std::uint32_t inside) const {
  return known_.contains(key_of(witness::Status::Predicted, block.name, block.begin, inside));
}

void BlockFindings::add(witness::Finding finding, std::uint32_t inside) {
  const Key key = key_of(finding.status, finding.property, finding.places[0].event, inside);
  const auto [it, is_new] = known_.try_emplace(key, findings_.size());
  if (is_new) findings_.push_back(std::move(finding));
  else ++findings_[it->second].count;
}

bool BlockQuestions::may_look_at(const Block& block) {
  if (++looked_[block.name] <= kMaxBlocks) return true;
  coverage_.undecided_because("more blocks of one name can be interrupted than are looked at");
  return false;
}

BlockQuestions::Key BlockQuestions::key_of(const Block& block, StepId reader, StepId write) const {
  const auto site = [&](StepId step) {
    const std::uint32_t event = set_.computation.steps[step].event;
    const std::uint32_t number = set_.trace.events[event].site;
    return Site{number, number == 0 ? event : 0};
  };
  return {block.name, site(reader), site(write)};
}

BlockQuestions::May BlockQuestions::ask(const Key& key) {
  constexpr std::size_t kMaxTries = 4, kMaxQuestions = 2000;
  if (tries_[key]++ >= kMaxTries) {
    coverage_.undecided_because("more reads and writes at one place than are tried");
    return May::NotThis;
  }
  if (questions_++ < kMaxQuestions) return May::Ask;
  coverage_.undecided_because("the budget of questions about blocks was used up");
  return May::NoMore;
}

} // namespace sooth::predict
