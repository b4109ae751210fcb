#include "predict/races/handler_races.h"

#include <algorithm>
#include <csignal>
#include <map>
#include <utility>

#include "predict/misuse/running_handlers.h"
#include "predict/question/own_accesses.h"
#include "predict/races/benign_races.h"
#include "trace/contents.h"
#include "trace/kind_groups.h"

namespace sooth::predict {
namespace {

using trace::Event;
using trace::EventKind;
using witness::Finding;
using witness::Role;

constexpr std::size_t kMaxOfHandler = 4096; // of one handler

bool is_sig_atomic(const Event& e) { return e.has(trace::kVolatile) && e.size == sizeof(std::sig_atomic_t); }
bool conflict(const Event& a, const Event& b) {
  return trace::overlap(a, b) && (trace::writes_memory(a.kind) || trace::writes_memory(b.kind)) &&
         !(trace::is_atomic(a.kind) && trace::is_atomic(b.kind)) && !(is_sig_atomic(a) && is_sig_atomic(b));
}
// What the thread did before it may be ordered before the signal.
bool may_order(const Event& e) {
  switch (e.kind) {
  case EventKind::Enter:
  case EventKind::Exit:
  case EventKind::Branch:
  case EventKind::Read:
  case EventKind::ExternalWrite:
  case EventKind::AtomicRead: return false;
  case EventKind::Write: return e.has(trace::kVolatile);
  default: return true;
  }
}

class HandlerRaces {
public:
  HandlerRaces(const trace::Trace& trace, Coverage& coverage)
      : trace_(trace), coverage_(coverage), running_(trace), benign_(trace), open_(trace.threads.size()) {}

  std::vector<Finding> run() {
    for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
      running_.follow(i);
      const Event& e = trace_.events[i];
      const RunningHandler* handler = running_.of(e.thread);
      Open& open = open_[e.thread];
      if (open.signal != (handler == nullptr ? kNone : handler->signal)) close(e.thread);
      if (handler == nullptr || !handler->asynchronous || !handler->is_inside() || !is_single_access(e)) continue;
      open.signal = handler->signal;
      if (open.accesses.size() < kMaxOfHandler) open.accesses.push_back(i);
      else if (left_out_++ == 0) coverage_.undecided_because("a signal handler made more accesses than are compared");
    }
    for (std::uint32_t thread = 0; thread < open_.size(); ++thread) close(thread);
    return std::move(findings_);
  }

private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  struct Open { // a handler, and what it accessed
    std::uint32_t signal = kNone;
    std::vector<std::uint32_t> accesses;
  };

  void close(std::uint32_t thread) {
    const Open open = std::exchange(open_[thread], {});
    if (open.accesses.empty()) return;
    for (std::uint32_t i = open.signal; i-- > trace_.standing;) {
      const Event& e = trace_.events[i];
      if (e.thread != thread) continue;
      if (is_single_access(e))
        for (const std::uint32_t access : open.accesses)
          if (conflict(e, trace_.events[access])) tell(i, access, open.signal);
      if (may_order(e)) return;
    }
  }

  void tell(std::uint32_t own, std::uint32_t handlers, std::uint32_t signal) {
    if (benign_.ignores(own) || benign_.ignores(handlers)) return;
    const auto [it, fresh] =
        told_.try_emplace({trace_.events[own].site, trace_.events[handlers].site}, findings_.size());
    if (!fresh) {
      ++findings_[it->second].count;
      return;
    }
    ++coverage_.candidates;
    Finding finding;
    finding.kind = witness::FindingKind::Race;
    finding.status = witness::Status::Observed;
    finding.model = witness::Model::HappensBefore;
    finding.engine = "memory-model";
    finding.places = {{own, Role::Access}, {handlers, Role::Access}, {signal, Role::Signal}};
    finding.witness.observed = std::size_t{handlers} + 1;
    finding.note = "The signal may come in the middle of the thread's access.";
    findings_.push_back(std::move(finding));
  }

  const trace::Trace& trace_;
  Coverage& coverage_;
  RunningHandlers running_;
  BenignRaces benign_;
  std::vector<Open> open_; // by thread: its innermost handler
  std::size_t left_out_ = 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> told_; // by sites: index of the finding
  std::vector<Finding> findings_;
};

} // namespace

std::vector<Finding> find_handler_races(const trace::Trace& trace, Coverage& coverage) {
  const bool any = std::ranges::any_of(trace.events, [](const Event& e) { return e.kind == EventKind::SignalEnter; });
  if (!any) return {};
  return HandlerRaces(trace, coverage).run();
}

} // namespace sooth::predict
