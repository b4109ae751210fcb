#include "predict/atomicity/block_set.h"

#include <algorithm>

#include "predict/atomicity/view_order.h"
#include "predict/question/witness_of.h"
#include "trace/contents.h"
#include "trace/kind_groups.h"
#include "trace/program/initial_contents.h"

namespace sooth::predict {

namespace {

constexpr std::size_t kStates = 100'000; // of one search

bool is_access(const Operation& o) { return o.kind == OperationKind::Read || o.kind == OperationKind::Write; }

} // namespace

BlockSet::BlockSet(const trace::Trace& t, const Computation& c, std::vector<Block> all, AtomicityRule by,
                   const Index& known)
    : trace(t), computation(c), blocks(std::move(all)),
      own_index_(known.model == witness::Model::Maximal ? nullptr
                                                        : std::make_unique<const Index>(c, witness::Model::Maximal)),
      index(own_index_ == nullptr ? known : *own_index_), rule(by), block_of(c.steps.size(), kNoBlock), recorded_(c) {
  for (std::size_t b = 0; b < blocks.size(); ++b)
    if (blocks[b].outermost)
      for (std::uint32_t place = blocks[b].first; place < blocks[b].last; ++place) block_of[step(blocks[b], place)] = b;
  for (std::uint32_t i = 0; i < trace.events.size(); ++i)
    if (trace.events[i].has(trace::kOpaque) && computation.step_of_event[i] != kNoStep)
      for (const Operation& o : computation.operations_of(computation.step_of_event[i]))
        if (is_access(o)) known_.doubtful.insert(o.object);
  if (rule != AtomicityRule::View) return;
  if (trace.initial_known && trace.standing == 0) look_up_initial_values();
  recorded_ = RunEvents::recorded(index, known_);
}

// Nobody saw what globals had before they were first written; the program file says it. It has the
// number of what was written or read with the same bytes, or equals none of them.
void BlockSet::look_up_initial_values() {
  std::uint32_t fresh = kSymbol - 1; // far from the numbers of other values
  for (std::uint32_t l = 0; l < computation.locations.size(); ++l) {
    const causality::Location& location = computation.locations[l];
    if (location.initial != causality::kUnknownValue || is_unknown(l)) continue;
    std::vector<std::uint8_t> bytes;
    for (std::uint64_t i = 0; i < location.bytes; ++i)
      if (const auto byte = trace::initial_byte(trace, location.address + i)) bytes.push_back(*byte);
    if (bytes.size() != location.bytes) continue;
    std::set<std::uint32_t> equal; // values
    for (const ThreadAccesses& own : index.locations[l].threads)
      for (const std::span<const Access> some : {own.reads, own.writes})
        for (const Access& access : some)
          if (leaves(access.step, location, bytes)) equal.insert(access.value);
    if (equal.size() < 2) known_.initial[l] = equal.empty() ? fresh-- : *equal.begin();
  }
}

// Whether an access of the step has, or may have, these bytes there.
bool BlockSet::leaves(StepId step, const causality::Location& location, std::span<const std::uint8_t> bytes) const {
  for (std::uint32_t event = computation.steps[step].event; event <= computation.steps[step].last_event; ++event) {
    const trace::Event& e = trace.events[event];
    if (e.thread != computation.steps[step].thread) continue;
    for (const bool writes : {false, true}) {
      if (writes ? !trace::writes_memory(e.kind) : !trace::reads_memory(e.kind)) continue;
      if (location.address < e.address || location.address + location.bytes > e.address + e.size) continue;
      const trace::Contents contents = writes ? written_by(trace.bytes, e) : seen_by(trace.bytes, e);
      bool same = true;
      for (std::uint64_t i = 0; i < bytes.size() && same && !contents.is_opaque(); ++i)
        same = contents.byte(location.address - e.address + i) == bytes[i];
      if (same) return true;
    }
  }
  return false;
}

bool BlockSet::has(StepId step, OperationKind kind) const {
  return std::ranges::any_of(computation.operations_of(step), [&](const Operation& o) { return o.kind == kind; });
}

bool BlockSet::accesses_memory(StepId step) const {
  return std::ranges::any_of(computation.operations_of(step),
                             [&](const Operation& o) { return is_access(o) && !is_unknown(o.object); });
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
  if (known_.doubtful.empty()) return false;
  for (std::uint32_t place = part.first; place < part.end; ++place)
    for (const Operation& o : computation.operations_of(computation.threads[part.thread].steps[place]))
      if (is_access(o) && is_unknown(o.object)) return true;
  return false;
}

Truth BlockSet::serial(const std::vector<Part>& parts) const {
  if (parts.size() > kMaxParts) return Truth::Undecided;
  // No run contains untrusted steps; that proves nothing.
  if (std::ranges::any_of(parts, [&](const Part& part) { return part.end > index.trusted[part.thread]; }))
    return Truth::Undecided;
  if (rule == AtomicityRule::View) return serial_in(recorded_, parts);
  if (std::ranges::any_of(parts, [&](const Part& part) { return touches_unknown(part); })) return Truth::Undecided;
  return serial_run_exists(computation, parts, kStates);
}

bool BlockSet::serial_within(const std::vector<StepId>& steps, const std::vector<Part>& parts) const {
  std::vector<bool> kept(computation.steps.size(), false);
  for (const StepId step : steps) kept[step] = true;
  return view_order_exists(index, recorded_.only(kept), parts, kStates) == Truth::Yes;
}

Truth BlockSet::serial_in(const RunEvents& run, const std::vector<Part>& parts) const {
  const Truth truth = view_order_exists(index, run, parts, kStates);
  if (truth != Truth::Yes) return truth;
  // What is not known was left out: that it fits proves nothing.
  return std::ranges::any_of(parts, [&](const Part& part) { return touches_unknown(part); }) ? Truth::Undecided : truth;
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

BlockQuestions::May BlockQuestions::ask(const Key& key, const Key& more) {
  constexpr std::size_t kMaxTries = 4, kMaxQuestions = 2000;
  if (tries_[{key, more}]++ >= kMaxTries) {
    coverage_.undecided_because("more reads and writes at one place than are tried");
    return May::NotThis;
  }
  if (questions_++ < kMaxQuestions) return May::Ask;
  coverage_.undecided_because("the budget of questions about blocks was used up");
  return May::NoMore;
}

} // namespace sooth::predict
