#include "predict/misuse/handlers.h"

#include <csignal>
#include <map>
#include <string>
#include <tuple>

#include "predict/misuse/running_handlers.h"
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
  explicit Handlers(const trace::Trace& trace) : trace_(trace), running_(trace) {}

  std::vector<Finding> run() {
    for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
      running_.follow(i);
      step(i);
    }
    return std::move(findings_);
  }

private:
  void step(std::uint32_t i) {
    const Event& e = trace_.events[i];
    const RunningHandler* handler = running_.of(e.thread);
    if (handler == nullptr || !handler->asynchronous) return;
    if (e.kind == EventKind::SignalExit && e.has(trace::kFailed) && e.value != SIGTERM)
      tell(FindingKind::SignalErrno, i, handler->signal, "The handler returns with another errno than it found.");
    if (is_unsafe(e) && handler->is_inside()) tell(FindingKind::SignalUnsafe, i, handler->signal, call_text(e));
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
  RunningHandlers running_;
  std::map<std::tuple<FindingKind, std::uint32_t, std::uint64_t>, std::size_t> told_;
  std::vector<Finding> findings_;
};

} // namespace

std::vector<Finding> find_handler_misuse(const trace::Trace& trace) { return Handlers(trace).run(); }

} // namespace sooth::predict
