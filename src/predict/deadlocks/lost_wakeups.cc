#include "predict/deadlocks/lost_wakeups.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "predict/question/last_writes.h"
#include "predict/question/must_order.h"
#include "predict/question/tries.h"
#include "predict/question/witness_of.h"

namespace sooth::predict {
namespace {

using causality::StepId;
using trace::Event;
using trace::EventKind;
using witness::Finding;
using witness::Role;

bool signals(EventKind kind) { return does_to(trace::ObjectKind::Condition, kind, trace::act::kGives); }

class LostWakeups {
public:
  LostWakeups(const trace::Trace& trace, const causality::Computation& computation, const Feasibility& feasibility,
              Coverage& coverage)
      : trace_(trace), computation_(computation), feasibility_(feasibility), coverage_(coverage),
        over_(trace.threads.size(), false) {}

  std::vector<Finding> run() {
    for (std::uint32_t i = 0; i < trace_.events.size(); ++i)
      if (signals(trace_.events[i].kind)) {
        signals_[trace_.events[i].address].push_back(i);
        last_signals_[trace_.events[i].address][trace_.events[i].thread] = i;
      }
    if (signals_.empty()) return {};
    for (const Event& e : trace_.events)
      if (e.kind == EventKind::ThreadEnd) over_[e.thread] = true;
    std::vector<std::uint32_t> open(trace_.threads.size(), kNone); // by thread: its wait
    for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
      const Event& e = trace_.events[i];
      if (e.kind == EventKind::Wait) open[e.thread] = e.has(trace::kFill) ? kNone : i;
      if (e.kind != EventKind::Wake) continue;
      const std::uint32_t wait = open[e.thread];
      open[e.thread] = kNone;
      if (wait != kNone && !e.has(trace::kFailed) && trace_.events[wait].address == e.address) woken(wait, i);
    }
    return std::move(findings_);
  }

private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  void woken(std::uint32_t wait, std::uint32_t wake) {
    const auto its = signals_.find(trace_.events[wait].address);
    if (its == signals_.end()) return;
    std::uint32_t signal = kNone; // that ended the wait: the first one since
    for (auto s = std::ranges::upper_bound(its->second, wait); s != its->second.end() && *s < wake && signal == kNone;
         ++s)
      if (trace_.events[*s].thread != trace_.events[wait].thread) signal = *s;
    if (signal == kNone) return;

    const Event& w = trace_.events[wait];
    const Event& s = trace_.events[signal];
    Tried& tried = tried_[std::tuple(w.site, w.site == 0 ? w.address : 0, s.site)];
    if (tried.finding != 0) return;
    if (is_signalled_later(wait)) return;
    if (!tried.once_more(coverage_, "more waits at one place than are tried")) return;
    ++coverage_.candidates;
    const Lost lost = look(wait, wake, its->second);
    if (lost.answer.truth == Truth::Undecided)
      coverage_.undecided_about(witness::FindingKind::LostWakeup, {{wait, Role::Wait}, {signal, Role::Signal}},
                                lost.answer.reason);
    if (lost.answer.truth != Truth::Yes) return;
    Finding finding;
    finding.kind = witness::FindingKind::LostWakeup;
    finding.engine = lost.answer.tier;
    finding.places = {{wait, Role::Wait}, {signal, Role::Signal}};
    finding.witness = witness_of(computation_, trace_, lost.answer.run, {lost.next});
    findings_.push_back(std::move(finding));
    tried.finding = findings_.size();
  }

  // Another thread's last signal comes behind the wait in every run: no wait is for ever that does
  // not see it.
  bool is_signalled_later(std::uint32_t wait) const {
    const MustOrder& must = feasibility_.must_by_lives(trace_);
    const auto& last = last_signals_.find(trace_.events[wait].address)->second;
    return std::ranges::any_of(last, [&](const auto& signal) {
      return signal.first != trace_.events[wait].thread &&
             must.precedes(computation_.step_of_event[wait], computation_.step_of_event[signal.second]);
    });
  }

  struct Lost {
    Answer answer;
    std::uint32_t next = kNone; // the event that the waiting thread stands before
  };
  // Before the wait, with everything done by the others; or behind it, when some of them need the
  // mutex that it gives up.
  Lost look(std::uint32_t wait, std::uint32_t wake, const std::vector<std::uint32_t>& all_signals) {
    const std::uint32_t waiter = trace_.events[wait].thread;
    const StepId wait_step = computation_.step_of_event[wait];
    Question question;
    question.before = {wait_step};
    waive(wait_step, all_signals, question);
    for (const std::uint32_t s : all_signals)
      if (trace_.events[s].thread != waiter) question.done.push_back(computation_.step_of_event[s]);
    const std::vector<StepId> in_time = question.done;
    if (is_contradicted(question)) return {{Truth::No, "closure", {}, {}}, wait};
    if (const auto running = end_all_others(waiter, question)) return {*running, wait};
    if (!is_contradicted(question)) {
      Answer answer = ask(question);
      if (answer.truth == Truth::Yes) return {std::move(answer), wait};
    }
    question.before.front() = computation_.step_of_event[wake];
    for (const StepId signal : in_time) question.sequence.emplace_back(signal, wait_step);
    return {ask(question), wake};
  }

  void waive(StepId wait_step, const std::vector<std::uint32_t>& all_signals, Question& question) const {
    const auto by_second = [](const causality::Order& a, const causality::Order& b) {
      return std::pair(a.second, a.first) < std::pair(b.second, b.first);
    };
    for (const std::uint32_t s : all_signals) {
      const causality::Order order{wait_step, computation_.step_of_event[s]};
      if (std::ranges::binary_search(computation_.recorded_orders(), order, by_second))
        question.waived.push_back(order);
    }
  }

  // All that the other threads do has happened, but what comes behind a join of the waiting thread.
  std::optional<Answer> end_all_others(std::uint32_t waiter, Question& question) const {
    // A thread that joins a thread that waits for ever waits for ever, too.
    std::vector<StepId> stands(computation_.threads.size(), causality::kNoStep);
    stands[waiter] = question.before.front();
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t t = 0; t < computation_.threads.size(); ++t) {
        if (stands[t] != causality::kNoStep) continue;
        const StepId join = first_join_of(t, stands);
        if (join == causality::kNoStep) continue;
        stands[t] = join;
        question.before.push_back(join);
        changed = true;
      }
    }
    for (std::uint32_t t = 0; t < computation_.threads.size(); ++t) {
      if (stands[t] != causality::kNoStep) continue;
      // A thread that still runs when the trace ends (it was detached, the program was killed, the
      // trace was cut) may signal again.
      if (!over_[t]) return Answer{Truth::Undecided, "", {}, "a thread whose end was not recorded may still signal"};
      question.done.push_back(computation_.threads[t].steps.back());
    }
    return {};
  }

  Answer ask(const Question& question) {
    ++coverage_.questions;
    return feasibility_.ask(question);
  }

  // What the thread saw before it waits cannot be so when all others have done what they did.
  bool is_contradicted(const Question& question) {
    if (feasibility_.is_sliced()) return false;
    if (!last_writes_) last_writes_.emplace(feasibility_.index(), feasibility_.must_by_lives(trace_));
    return last_writes_->contradict(question);
  }

  StepId first_join_of(std::uint32_t thread, const std::vector<StepId>& stands) const {
    for (const StepId step : computation_.threads[thread].steps) {
      const Event& e = trace_.events[computation_.steps[step].event];
      if (e.kind == EventKind::Join && !e.has(trace::kFailed) && e.value < stands.size() &&
          stands[e.value] != causality::kNoStep)
        return step;
    }
    return causality::kNoStep;
  }

  const trace::Trace& trace_;
  const causality::Computation& computation_;
  const Feasibility& feasibility_;
  Coverage& coverage_;
  std::optional<LastWrites> last_writes_;                                        // made for the first question
  std::vector<bool> over_;                                                       // by thread: its end is in the trace
  std::map<std::uint64_t, std::vector<std::uint32_t>> signals_;                  // by condition
  std::map<std::uint64_t, std::map<std::uint32_t, std::uint32_t>> last_signals_; // by condition and thread
  std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint32_t>, Tried> tried_;
  std::vector<Finding> findings_;
};

} // namespace

std::vector<Finding> find_lost_wakeups(const trace::Trace& trace, const causality::Computation& computation,
                                       const Feasibility& feasibility, const Limits&, Coverage& coverage) {
  return LostWakeups(trace, computation, feasibility, coverage).run();
}

} // namespace sooth::predict
