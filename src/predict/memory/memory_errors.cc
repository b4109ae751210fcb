#include "predict/memory/memory_errors.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include <absl/container/btree_map.h>

#include "base/address_ranges.h"
#include "causality/computation/effects.h"
#include "predict/memory/destroy_orders.h"
#include "predict/memory/frame_ends.h"
#include "predict/memory/last_touches.h"
#include "predict/memory/primitive_lives.h"
#include "predict/memory/stale_pointers.h"
#include "predict/question/last_writes.h"
#include "predict/question/must_order.h"
#include "predict/question/own_accesses.h"
#include "predict/question/tries.h"
#include "predict/question/witness_of.h"
#include "trace/effects.h"
#include "trace/kind_groups.h"
#include "trace/together.h"

namespace sooth::predict {
namespace {

using causality::kNoEvent;
using causality::StepId;
using trace::Event;
using trace::EventKind;
using witness::Finding;
using witness::FindingKind;
using witness::Role;

// The life of one object; or the rest of it.
struct RememberedObject {
  std::uint64_t end = 0;          // address behind it
  std::uint32_t ended = kNoEvent; // the event, once it is over
  LastTouches touches = {};
};

class MemoryErrors {
public:
  MemoryErrors(const trace::Trace& trace, const causality::Computation& computation, const Feasibility& feasibility,
               const MustOrder& must, Coverage& coverage)
      : trace_(trace), computation_(computation), feasibility_(feasibility), coverage_(coverage), must_(must),
        destroys_(trace, computation) {}

  std::vector<Finding> run() {
    for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
      const Event& e = trace_.events[i];
      if (begins_object(e.kind)) begin(e);
      else if (ends_object(e.kind)) end(i);
      else if (is_single_access(e)) touch(i, e.address, e.size);
      else trace::for_primitives_used(e, [&](std::uint64_t address) { touch(i, address, 1); });
    }
    return std::move(findings_);
  }

private:
  using Objects = absl::btree_map<std::uint64_t, RememberedObject>; // by first address; they do not overlap

  void begin(const Event& e) {
    if (e.value == 0 || e.value > ~e.address) return;
    erase_overlapping(objects_, e.address, e.address + e.value);
    objects_[e.address] = {e.address + e.value, kNoEvent, {}};
  }

  void touch(std::uint32_t index, std::uint64_t address, std::uint64_t bytes) {
    for (auto it = first_overlapping(objects_, address); it != objects_.end() && it->first < address + bytes; ++it) {
      RememberedObject& object = it->second;
      if (object.ended != kNoEvent) {
        if (!is_global(address)) observed(FindingKind::UseAfterFree, index, object.ended);
        continue;
      }
      object.touches.add(trace_, index);
    }
  }

  void end(std::uint32_t index) {
    const Event& e = trace_.events[index];
    auto it = first_overlapping(objects_, e.address);
    if (it == objects_.end() || it->first >= e.address + std::max<std::uint64_t>(e.value, 1)) return;
    if (it->first == e.address && it->second.ended != kNoEvent) {
      if (e.kind == EventKind::Free) observed(FindingKind::DoubleFree, index, it->second.ended);
      it->second.ended = index;
      return;
    }
    std::vector<std::uint32_t> touches;
    for (; it != objects_.end() && it->first < e.address + e.value; ++it) {
      it->second.touches.account(trace_, computation_, must_, index, coverage_);
      std::ranges::copy(it->second.touches.events(), std::back_inserter(touches));
    }
    // Unmapped memory may come back unseen (a library that is loaded there), so no access after it
    // is objected to.
    erase_overlapping(objects_, e.address, e.address + e.value);
    if (e.kind != EventKind::Unmap) objects_[e.address] = {e.address + e.value, index, {}};
    if (freed_inside_library(trace_, e)) {
      const bool others = std::any_of(touches.begin(), touches.end(),
                                      [&](std::uint32_t touch) { return trace_.events[touch].thread != e.thread; });
      if (others) ++coverage_.reasons["objects of several threads were freed inside libraries"];
      return;
    }
    std::vector<std::pair<std::uint32_t, std::uint64_t>> told; // threads, and primitives that they use too late
    for (const std::uint32_t touch : touches) {
      const Event& use = trace_.events[touch];
      if (use.thread == e.thread) continue;
      // One use of a primitive is enough: that it is given up later, is the same error.
      const std::pair primitive(use.thread, uses_primitive(use.kind) ? use.address : 0);
      if (primitive.second != 0 && std::ranges::find(told, primitive) != told.end()) continue;
      if (ask(touch, index)) told.push_back(primitive);
    }
  }

  // Loaded later, where something else was before.
  bool is_global(std::uint64_t address) const {
    const auto it = std::upper_bound(trace_.globals.begin(), trace_.globals.end(), address,
                                     [](std::uint64_t a, const trace::Global& g) { return a < g.address; });
    return it != trace_.globals.begin() && address - std::prev(it)->address < std::prev(it)->bytes;
  }

  SiteName name(std::uint32_t event) const { return site_name(trace_.events[event]); }

  // The thread's last step before `step` that touches the object which `end` ends, or kNoStep.
  StepId touched_before(const causality::Step& step, const Event& end) const {
    const std::vector<StepId>& own = computation_.threads[step.thread].steps;
    for (std::uint32_t place = step.place; place-- > 0;) {
      const causality::Step& earlier = computation_.steps[own[place]];
      for (std::uint32_t i = earlier.event; i <= earlier.last_event; ++i) {
        const Event& e = trace_.events[i];
        if (e.thread != step.thread) continue;
        bool touches = e.size != 0 && e.address < end.address + end.value && end.address < e.address + e.size;
        trace::for_primitives_used(e, [&](std::uint64_t used) { touches |= used - end.address < end.value; });
        if (touches) return own[place];
      }
    }
    return causality::kNoStep;
  }

  // Whether it is a finding, or was one before.
  bool ask(std::uint32_t use, std::uint32_t end) {
    Tried& tried = tried_[std::tuple(FindingKind::UseAfterFree, name(use), name(end))];
    if (tried.finding != 0) return true;
    const StepId use_step = computation_.step_of_event[use], end_step = computation_.step_of_event[end];
    if (use_step == causality::kNoStep || end_step == causality::kNoStep) return false;
    const causality::Step& step = computation_.steps[use_step];
    // Where the access does not begin its step, another run cannot stop before it.
    if (step.event != use && !trace::is_glued(trace_.events[step.event])) return false;
    if (computation_.steps[end_step].event != end || must_.precedes(use_step, end_step)) return false;
    Question question{{use_step}, {end_step}, {}, {}};
    if (is_contradicted(question)) return false;
    if (!tried.once_more(coverage_, "more accesses of freed objects at one place than are tried")) return false;
    ++coverage_.candidates;
    ++coverage_.questions;
    for (const causality::Order& order : causality::Computation::ending_in(computation_.orders, end_step)) {
      const causality::Step& first = computation_.steps[order.first];
      const bool is_late = first.thread == step.thread && first.place >= step.place;
      if (is_late && !computation_.cancels_thread(order)) question.waived.push_back(order);
    }
    destroys_.waive(question, use_step);
    // The first use that comes too late is shown: the thread's earlier accesses were in time.
    if (const StepId earlier = touched_before(step, trace_.events[end]); earlier != causality::kNoStep)
      question.sequence.push_back({earlier, end_step});
    const Answer answer = feasibility_.ask(question);
    if (answer.truth == Truth::Undecided)
      coverage_.undecided_about(FindingKind::UseAfterFree, {{use, Role::Use}, {end, Role::Free}}, answer.reason);
    if (answer.truth != Truth::Yes) return false;
    Finding finding;
    finding.kind = FindingKind::UseAfterFree;
    finding.engine = answer.tier;
    finding.places = {{use, Role::Use}, {end, Role::Free}};
    finding.witness = witness_of(computation_, trace_, answer.run, {use});
    if (trace_.events[end].kind == EventKind::StackEnd)
      finding.note = "The object is the stack of a thread that has ended.";
    findings_.push_back(std::move(finding));
    tried.finding = findings_.size();
    return true;
  }

  // What the thread saw under a lock before its access was overwritten before the end.
  bool is_contradicted(const Question& question) const {
    return !feasibility_.is_sliced() && LastWrites(feasibility_.index(), must_).contradict(question);
  }

  void observed(FindingKind kind, std::uint32_t event, std::uint32_t end) {
    Tried& tried = tried_[std::tuple(kind, name(event), name(end))];
    if (tried.finding != 0) {
      ++findings_[tried.finding - 1].count;
      return;
    }
    ++coverage_.candidates;
    Finding finding;
    finding.kind = kind;
    finding.status = witness::Status::Observed;
    finding.engine = "linear";
    finding.places = {{event, kind == FindingKind::DoubleFree ? Role::Free : Role::Use}, {end, Role::Free}};
    // A glued access is shown from where its thread stands before the whole block.
    const StepId step = computation_.step_of_event[event];
    const bool glued = step != causality::kNoStep && trace::is_glued(trace_.events[computation_.steps[step].event]);
    finding.witness.observed = glued && is_own_access(trace_.events[event]) ? computation_.steps[step].event : event;
    if (finding.witness.observed <= end) return; // the end came in the middle of the block
    finding.witness.next = {event};
    findings_.push_back(std::move(finding));
    tried.finding = findings_.size();
  }

  const trace::Trace& trace_;
  const causality::Computation& computation_;
  const Feasibility& feasibility_;
  Coverage& coverage_;
  const MustOrder& must_;
  const DestroyOrders destroys_;
  Objects objects_;
  std::map<std::tuple<FindingKind, SiteName, SiteName>, Tried> tried_;
  std::vector<Finding> findings_;
};

} // namespace

std::vector<Finding> find_memory_errors(const trace::Trace& trace, const causality::Computation& computation,
                                        const Feasibility& feasibility, const Limits&, Coverage& coverage,
                                        const trace::ObjectTable& objects) {
  const MustOrder& must = feasibility.must(trace);
  std::vector<Finding> findings = MemoryErrors(trace, computation, feasibility, must, coverage).run();
  std::vector<Finding> stale = find_stale_pointers(trace, computation, feasibility, must, objects, coverage);
  std::ranges::move(stale, std::back_inserter(findings));
  std::vector<Finding> destroyed = find_uses_after_destroy(trace, computation, feasibility, must, coverage);
  std::ranges::move(destroyed, std::back_inserter(findings));
  std::vector<Finding> frames = find_uses_after_return(trace, computation, feasibility, must, coverage);
  std::ranges::move(frames, std::back_inserter(findings));
  return findings;
}

} // namespace sooth::predict
