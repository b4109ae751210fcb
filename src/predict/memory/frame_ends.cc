#include "predict/memory/frame_ends.h"

#include <algorithm>
#include <map>
#include <utility>

#include <absl/container/btree_map.h>

#include "base/address_ranges.h"
#include "predict/memory/last_touches.h"
#include "predict/memory/shared_frames.h"
#include "predict/question/own_accesses.h"
#include "predict/question/tries.h"
#include "predict/question/witness_of.h"
#include "trace/together.h"

namespace sooth::predict {
namespace {

using causality::StepId;
using trace::Event;
using trace::EventKind;
using witness::Finding;
using witness::FindingKind;
using witness::Role;

constexpr std::uint32_t kNone = 0xffffffff;

// No other thread learns anything by it, as far as it is part of a step that other events began.
bool tells_nothing(EventKind kind) {
  switch (kind) {
  case EventKind::Enter:
  case EventKind::Exit:
  case EventKind::Branch:
  case EventKind::Read:
  case EventKind::Write: return true;
  default: return false;
  }
}

class FrameEnds {
public:
  FrameEnds(const trace::Trace& trace, const causality::Computation& computation, const Feasibility& feasibility,
            const MustOrder& must, Coverage& coverage)
      : trace_(trace), computation_(computation), feasibility_(feasibility), must_(must), coverage_(coverage),
        shared_(trace), stacks_(trace.threads.size()), cancels_(trace.threads.size(), kNone) {}

  std::vector<Finding> run() {
    // A stack of calls that was too deep was begun anew: exits that were none.
    if (shared_.empty() || trace_.defect(trace::Defect::StackOverflows) != 0) return {};
    for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
      const Event& e = trace_.events[i];
      follow_cancels(i);
      if (e.kind == EventKind::Enter) stacks_[e.thread].push_back({e.site, kNone});
      else if (e.kind == EventKind::Exit) leave(i);
      else if (is_plain_use(e) && shared_.touched_by(e)) access(i);
    }
    return std::move(findings_);
  }

private:
  struct Call {
    std::uint32_t function; // site
    std::uint32_t activation;
  };
  // A call whose function accessed variables of its own that others access, too.
  struct Activation {
    std::uint32_t thread;
    std::uint32_t function;       // site
    std::uint32_t exit = kNone;   // event
    std::uint32_t cancel = kNone; // the function returned because of this event
    LastTouches touches = {};     // by others
  };
  struct Range {
    std::uint64_t end;
    std::uint32_t activation;
  };
  using Ranges = absl::btree_map<std::uint64_t, Range>;

  void access(std::uint32_t i) {
    const Event& e = trace_.events[i];
    auto& stack = stacks_[e.thread];
    const bool own = shared_.is_own(e) && !stack.empty() && shared_.stays_on_its_stack(e.thread);
    if (own && stack.back().activation == kNone) {
      stack.back().activation = static_cast<std::uint32_t>(activations_.size());
      activations_.push_back({e.thread, stack.back().function, kNone, kNone, {}});
    }
    std::uint64_t from = e.address, to = e.address + e.size; // of the frame, if it is the function's own
    for (auto it = first_overlapping(frames_, e.address); it != frames_.end() && it->first < e.address + e.size;) {
      const std::uint32_t number = it->second.activation;
      Activation& activation = activations_[number];
      if (activation.thread != e.thread) {
        if (activation.exit == kNone) activation.touches.add(trace_, i);
        else ask(i, activation);
        ++it;
      } else if (activation.exit != kNone || own) {
        if (own && number == stack.back().activation) {
          from = std::min(from, it->first);
          to = std::max(to, it->second.end);
        }
        it = frames_.erase(it); // something else is there now, or more of the same
      } else {
        ++it;
      }
    }
    if (own) frames_[from] = {to, stack.back().activation};
  }

  void leave(std::uint32_t i) {
    const Event& e = trace_.events[i];
    auto& stack = stacks_[e.thread];
    for (; stack.size() > e.value; stack.pop_back()) {
      if (stack.back().activation == kNone) continue;
      Activation& activation = activations_[stack.back().activation];
      activation.exit = i;
      activation.cancel = cancels_[e.thread];
      for (const std::uint32_t use : activation.touches.events()) ask(use, activation);
      activation.touches.account(trace_, computation_, must_, i, coverage_);
      activation.touches = {};
    }
  }

  // A return belongs to an event from before the cancellation that it may be due to.
  void follow_cancels(std::uint32_t i) {
    const Event& e = trace_.events[i];
    if (!trace::clings(e)) cancels_[e.thread] = kNone;
    const bool cancels = e.kind == EventKind::Cancel && !e.has(trace::kFailed) && e.value < cancels_.size();
    if (cancels && e.value != e.thread && cancels_[e.value] == kNone) cancels_[e.value] = i;
  }

  void ask(std::uint32_t use, const Activation& activation) {
    const std::uint32_t exit = activation.exit;
    const Event& e = trace_.events[use];
    Tried& tried = tried_[std::pair(site_name(e), activation.function)];
    if (tried.finding != 0) {
      if (exit < use) ++findings_[tried.finding - 1].count;
      return;
    }
    const StepId use_step = computation_.step_of_event[use], exit_step = computation_.step_of_event[exit];
    if (use_step == causality::kNoStep || exit_step == causality::kNoStep) return;
    Question question{{use_step}, {exit_step}, {}, {}};
    if (activation.cancel != kNone) question.done.push_back(computation_.step_of_event[activation.cancel]);
    if (exit < use) {
      const StepId next = next_of(exit_step);
      if (!tells_nothing_after(exit, exit_step)) return;
      if (next == causality::kNoStep || computation_.steps[next].event > use) return observed(use, exit, tried);
      if (must_.excludes(use_step, next)) return;
      question.before.push_back(next);
    } else if (must_.precedes(use_step, exit_step)) {
      return;
    }
    // Where the access does not begin its step, another run cannot stop before it.
    const causality::Step& step = computation_.steps[use_step];
    if (step.event != use && !begins_block(step)) return;
    if (!tried.once_more(coverage_, "more accesses of functions' variables at one place than are tried")) return;
    ++coverage_.candidates;
    ++coverage_.questions;
    const Answer answer = feasibility_.ask(question);
    if (answer.truth == Truth::Undecided)
      coverage_.undecided_about(FindingKind::UseAfterFree, {{use, Role::Use}, {exit, Role::Free}}, answer.reason);
    if (answer.truth != Truth::Yes) return;
    Finding& finding = add(use, exit, tried);
    finding.engine = answer.tier;
    finding.witness = witness_of(computation_, trace_, answer.run, {use});
  }

  Finding& add(std::uint32_t use, std::uint32_t exit, Tried& tried) {
    Finding finding;
    finding.kind = FindingKind::UseAfterFree;
    finding.places = {{use, Role::Use}, {exit, Role::Free}};
    finding.note = "The object is a variable of a function that has returned.";
    findings_.push_back(std::move(finding));
    tried.finding = findings_.size();
    return findings_.back();
  }

  // The recorded run itself has it: the thread has returned, and did nothing since.
  void observed(std::uint32_t use, std::uint32_t exit, Tried& tried) {
    const causality::Step& step = computation_.steps[computation_.step_of_event[use]];
    const std::uint32_t until = begins_block(step) ? step.event : use;
    if (until <= exit) return; // the function returned in the middle of the block
    ++coverage_.candidates;
    Finding& finding = add(use, exit, tried);
    finding.status = witness::Status::Observed;
    finding.engine = "linear";
    finding.witness.observed = until;
    finding.witness.next = {use};
  }

  bool begins_block(const causality::Step& step) const {
    const Event& first = trace_.events[step.event];
    return (first.kind == EventKind::Read || first.kind == EventKind::Write) && first.has(trace::kGlued);
  }
  StepId next_of(StepId id) const {
    const causality::Step& step = computation_.steps[id];
    const auto& own = computation_.threads[step.thread].steps;
    return step.place + 1 < own.size() ? own[step.place + 1] : causality::kNoStep;
  }
  bool tells_nothing_after(std::uint32_t exit, StepId id) const {
    for (std::uint32_t i = exit + 1; i <= computation_.steps[id].last_event; ++i)
      if (computation_.step_of_event[i] == id && !tells_nothing(trace_.events[i].kind)) return false;
    return true;
  }

  const trace::Trace& trace_;
  const causality::Computation& computation_;
  const Feasibility& feasibility_;
  const MustOrder& must_;
  Coverage& coverage_;
  const SharedFrames shared_;
  std::vector<std::vector<Call>> stacks_; // by thread, outermost first
  std::vector<std::uint32_t> cancels_;    // by thread: the event, until the thread does more than to return
  std::vector<Activation> activations_;
  Ranges frames_; // disjoint: what functions accessed of their own, until something else is there
  std::map<std::pair<SiteName, std::uint32_t>, Tried> tried_; // by the access and the function
  std::vector<Finding> findings_;
};

} // namespace

std::vector<Finding> find_uses_after_return(const trace::Trace& trace, const causality::Computation& computation,
                                            const Feasibility& feasibility, const MustOrder& must, Coverage& coverage) {
  return FrameEnds(trace, computation, feasibility, must, coverage).run();
}

} // namespace sooth::predict
