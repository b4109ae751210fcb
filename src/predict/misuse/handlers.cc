#include "predict/misuse/handlers.h"

#include <csignal>
#include <map>
#include <string>
#include <tuple>

#include "trace/trace.h"

namespace sooth::predict {
namespace {

using trace::Event;
using trace::EventKind;
using witness::Finding;
using witness::FindingKind;
using witness::Role;

// POSIX does not have it in its list.
bool is_unsafe(const Event& e) {
  switch (e.kind) {
  case EventKind::Alloc:
  case EventKind::Free:
  case EventKind::Acquire:
  case EventKind::AcquireShared:
  case EventKind::Wait:
  case EventKind::Signal:
  case EventKind::Broadcast:
  case EventKind::BarrierArrive:
  case EventKind::Fork:
  case EventKind::Join: break;
  default: return false;
  }
  const bool lock = e.kind == EventKind::Acquire || e.kind == EventKind::AcquireShared;
  return !lock || (e.value & trace::kLockAnnotated) == 0;
}

class Handlers {
public:
  explicit Handlers(const trace::Trace& trace) : trace_(trace), threads_(trace.threads.size()) {}

  std::vector<Finding> run() {
    for (std::uint32_t i = 0; i < trace_.events.size(); ++i) step(i);
    return std::move(findings_);
  }

private:
  struct Running {
    std::uint32_t signal = 0;           // its signal-enter
    std::uint64_t depth = 0;            // of the calls that it interrupted
    bool asynchronous = false;          //
    bool entered = false, left = false; // its function
  };
  struct Thread {
    std::uint64_t depth = 0; // of calls
    std::vector<Running> handlers;
  };

  void step(std::uint32_t i) {
    const Event& e = trace_.events[i];
    Thread& t = threads_[e.thread];
    switch (e.kind) {
    case EventKind::SignalEnter:
      t.handlers.push_back({i, t.depth, !e.has(trace::kFill) && i >= trace_.standing, false, false});
      return;
    case EventKind::SignalExit:
      if (t.handlers.empty()) return;
      if (e.has(trace::kFailed) && t.handlers.back().asynchronous && e.value != SIGTERM)
        tell(FindingKind::SignalErrno, i, t.handlers.back().signal,
             "The handler returns with another errno than it found.");
      t.handlers.pop_back();
      return;
    case EventKind::Enter:
      ++t.depth;
      if (!t.handlers.empty()) t.handlers.back().entered = true;
      return;
    case EventKind::Exit:
      t.depth = e.value;
      // By siglongjmp it may leave several at once, and no signal-exit follows.
      while (!t.handlers.empty() && t.handlers.back().depth > t.depth) t.handlers.pop_back();
      if (!t.handlers.empty() && t.handlers.back().depth == t.depth) t.handlers.back().left = true;
      return;
    default: break;
    }
    if (t.handlers.empty() || !is_unsafe(e)) return;
    const Running& handler = t.handlers.back();
    if (handler.asynchronous && handler.entered && !handler.left)
      tell(FindingKind::SignalUnsafe, i, handler.signal, call_text(e));
  }

  std::string call_text(const Event& e) const {
    const std::string& called = trace_.sites[e.site < trace_.sites.size() ? e.site : 0].variable;
    return (called.empty() ? "The function" : "`" + called + "`") +
           " may be what the signal has interrupted: a handler must not call it.";
  }

  void tell(FindingKind kind, std::uint32_t event, std::uint32_t signal, std::string note) {
    const std::uint32_t site = trace_.events[event].site;
    const auto [it, fresh] =
        told_.try_emplace({kind, site, site == 0 ? trace_.events[event].address : 0}, findings_.size());
    if (!fresh) {
      ++findings_[it->second].count;
      return;
    }
    Finding finding;
    finding.kind = kind;
    finding.status = witness::Status::Observed;
    finding.engine = "recorded-run";
    finding.places = {{event, Role::Use}, {signal, Role::Signal}};
    finding.witness.observed = std::size_t{event} + 1;
    finding.note = std::move(note);
    findings_.push_back(std::move(finding));
  }

  const trace::Trace& trace_;
  std::vector<Thread> threads_;
  std::map<std::tuple<FindingKind, std::uint32_t, std::uint64_t>, std::size_t> told_;
  std::vector<Finding> findings_;
};

} // namespace

std::vector<Finding> find_handler_misuse(const trace::Trace& trace) { return Handlers(trace).run(); }

} // namespace sooth::predict
