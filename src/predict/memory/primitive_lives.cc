#include "predict/memory/primitive_lives.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>

#include "causality/computation/effects.h"
#include "predict/memory/destroy_orders.h"
#include "predict/memory/last_touches.h"
#include "predict/memory/lasting_place.h"
#include "predict/question/own_accesses.h"
#include "predict/question/tries.h"
#include "predict/question/unrecorded.h"
#include "predict/question/witness_of.h"
#include "trace/effects.h"
#include "trace/kind_groups.h"

namespace sooth::predict {
namespace {

using causality::kNoEvent;
using causality::StepId;
using trace::Event;
using trace::EventKind;
using witness::Finding;
using witness::Role;

constexpr const char* kNote = "It was destroyed; its memory is still there.";

// A destruction that libc refuses leaves it as it is. Others are not ours to judge.
bool is_destroyed_by(const Event& e) {
  if (!destroys_primitive(e.kind) || e.has(trace::kFailed)) return false;
  return e.kind != EventKind::LockDestroy || (e.value & (trace::kLockAnnotated | trace::kLockProcessShared)) == 0;
}
// Nothing but a call can have initialised it again.
bool needs_call(const Event& destroy) {
  return destroy.kind != EventKind::LockDestroy || (destroy.value & trace::kLockSpin) != 0;
}
// A call, or an assignment.
bool needs_write(const Event& destroy) {
  return (destroy.value & (trace::kLockReadWrite | trace::kLockCondition)) != 0;
}
constexpr std::uint64_t kMostBytes = 64; // of a read-write lock or a condition

class PrimitiveLives {
public:
  PrimitiveLives(const trace::Trace& trace, const causality::Computation& computation, const Feasibility& feasibility,
                 const MustOrder& must, Coverage& coverage)
      : trace_(trace), computation_(computation), feasibility_(feasibility), must_(must), coverage_(coverage),
        destroys_(trace, computation) {}

  std::vector<Finding> run() {
    for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
      const Event& e = trace_.events[i];
      if (trace::writes_memory(e.kind)) rewrite(e);
      else if (trace::begins_primitive(e.kind)) lives_[e.address] = {i, kNoEvent, {}};
      else if (is_destroyed_by(e)) destroy(i);
      else if (trace::begins_or_ends_object(e.kind)) forget(e);
      else trace::for_primitives_used(e, [&](std::uint64_t address) { touch(i, address); });
    }
    return std::move(findings_);
  }

private:
  struct Life {
    std::uint32_t begin = kNoEvent; // events
    std::uint32_t end = kNoEvent;
    LastTouches touches = {};
  };

  void touch(std::uint32_t index, std::uint64_t address) {
    const Event& e = trace_.events[index];
    Life& life = lives_[address];
    if (life.end != kNoEvent) {
      const Event& end = trace_.events[life.end];
      if (needs_call(end) || (rewritable_.contains(address) && is_called_by_program(trace_, end) &&
                              is_called_by_program(trace_, e) && is_lasting_place(trace_, address, index)))
        observed(index, life.end);
      return;
    }
    life.touches.add(trace_, index);
  }

  void destroy(std::uint32_t index) {
    const Event& e = trace_.events[index];
    Life& life = lives_[e.address];
    life.touches.account(trace_, computation_, must_, index, coverage_);
    std::vector<std::uint32_t> told; // threads: one use of each is enough
    for (const std::uint32_t use : life.touches.events()) {
      const std::uint32_t thread = trace_.events[use].thread;
      if (thread == e.thread || std::ranges::find(told, thread) != told.end()) continue;
      if (ask(use, index, life)) told.push_back(thread);
    }
    life = {kNoEvent, index, {}};
    if (!needs_call(e) && needs_write(e)) rewritable_.insert(e.address);
  }

  // An assignment may have initialised what is there.
  void rewrite(const Event& e) {
    if (rewritable_.empty() || e.size == 0) return;
    const auto first = rewritable_.lower_bound(e.address - std::min(e.address, kMostBytes - 1));
    auto last = first;
    while (last != rewritable_.end() && *last < e.address + e.size) ++last;
    rewritable_.erase(first, last);
  }

  // Other primitives may come to be there.
  void forget(const Event& e) {
    absl::erase_if(lives_, [&](const auto& life) { return life.first - e.address < e.value; });
  }

  SiteName name(std::uint32_t event) const { return site_name(trace_.events[event]); }

  // Whether it is a finding, or was one before.
  bool ask(std::uint32_t use, std::uint32_t end, const Life& life) {
    Tried& tried = tried_[std::tuple(name(use), name(end))];
    if (tried.finding != 0) return true;
    const StepId use_step = computation_.step_of_event[use], end_step = computation_.step_of_event[end];
    if (use_step == causality::kNoStep || end_step == causality::kNoStep) return false;
    if (computation_.steps[use_step].event != use || computation_.steps[end_step].event != end) return false;
    if (must_.precedes(use_step, end_step)) return false;
    if (!tried.once_more(coverage_, "more uses of destroyed primitives at one place than are tried")) return false;
    ++coverage_.candidates;
    ++coverage_.questions;
    Question question{{use_step}, {end_step}, {}, {}};
    // It is initialised, and then destroyed; and the thread's earlier uses were in time.
    if (life.begin != kNoEvent) add_order(question, life.begin, end_step);
    for (const std::uint32_t earlier : life.touches.events())
      if (earlier < use && trace_.events[earlier].thread == trace_.events[use].thread)
        add_order(question, earlier, end_step);
    destroys_.waive(question, use_step);
    const Answer answer = feasibility_.ask(question);
    if (answer.truth == Truth::Undecided)
      coverage_.undecided_about(witness::FindingKind::UseAfterFree, {{use, Role::Use}, {end, Role::Free}},
                                answer.reason);
    if (answer.truth != Truth::Yes) return false;
    Finding& finding = add(use, end, tried);
    finding.engine = answer.tier;
    finding.witness = witness_of(computation_, trace_, answer.run, {use});
    return true;
  }
  void add_order(Question& question, std::uint32_t event, StepId end) const {
    const StepId step = computation_.step_of_event[event];
    if (step != causality::kNoStep && step != end) question.sequence.push_back({step, end});
  }

  void observed(std::uint32_t use, std::uint32_t end) {
    Tried& tried = tried_[std::tuple(name(use), name(end))];
    if (tried.finding != 0) {
      ++findings_[tried.finding - 1].count;
      return;
    }
    ++coverage_.candidates;
    Finding& finding = add(use, end, tried);
    finding.status = witness::Status::Observed;
    finding.engine = "linear";
    finding.witness.observed = use;
    finding.witness.next = {use};
  }

  Finding& add(std::uint32_t use, std::uint32_t end, Tried& tried) {
    Finding finding;
    finding.kind = witness::FindingKind::UseAfterFree;
    finding.places = {{use, Role::Use}, {end, Role::Free}};
    finding.note = kNote;
    findings_.push_back(std::move(finding));
    tried.finding = findings_.size();
    return findings_.back();
  }

  const trace::Trace& trace_;
  const causality::Computation& computation_;
  const Feasibility& feasibility_;
  const MustOrder& must_;
  Coverage& coverage_;
  const DestroyOrders destroys_;
  absl::flat_hash_map<std::uint64_t, Life> lives_; // by address
  absl::btree_set<std::uint64_t> rewritable_;      // destroyed, may be initialised by assignment, and was not since
  std::map<std::tuple<SiteName, SiteName>, Tried> tried_;
  std::vector<Finding> findings_;
};

} // namespace

std::vector<Finding> find_uses_after_destroy(const trace::Trace& trace, const causality::Computation& computation,
                                             const Feasibility& feasibility, const MustOrder& must,
                                             Coverage& coverage) {
  return PrimitiveLives(trace, computation, feasibility, must, coverage).run();
}

} // namespace sooth::predict
