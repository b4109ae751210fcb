#include "predict/deadlocks/abandoned_locks.h"

#include <set>
#include <tuple>

#include <absl/container/flat_hash_map.h>

#include "predict/deadlocks/blocking.h"
#include "predict/question/tries.h"
#include "predict/question/witness_of.h"

namespace sooth::predict {
namespace {

using causality::Operation;
using causality::OperationKind;
using causality::StepId;
using witness::Finding;
using witness::Role;

class AbandonedLocks {
public:
  AbandonedLocks(const trace::Trace& trace, const causality::Computation& computation, const Feasibility& feasibility,
                 const Requests& requests, Coverage& coverage)
      : trace_(trace), computation_(computation), feasibility_(feasibility), requests_(requests), coverage_(coverage) {}

  std::vector<Finding> run() {
    absl::flat_hash_map<std::uint32_t, std::vector<const Request*>> waiting; // by object
    for (const Request& request : requests_.all)
      if (request.kind == RequestKind::Exclusive || request.kind == RequestKind::Shared)
        waiting[request.object].push_back(&request);
    for (const causality::ThreadSteps& thread : computation_.threads) {
      if (thread.steps.empty()) continue;
      const StepId end = thread.steps.back();
      if (!ends_only_its_thread(trace_, trace_.events[computation_.steps[end].last_event])) continue;
      for (const HeldLock& held : kept(thread)) {
        const std::uint32_t taken = taking_event(trace_, computation_, end, computation_.locks[held.lock]);
        if (taken >= trace_.events.size() || (trace_.events[taken].value & trace::kLockRobust) != 0) continue;
        for (const Request* request : waiting[held.lock])
          if (waits(*request, held)) ask(*request, end, taken);
      }
    }
    return std::move(findings_);
  }

private:
  // Locks that the thread never gives up.
  std::set<HeldLock> kept(const causality::ThreadSteps& thread) const {
    std::set<HeldLock> out;
    for (const StepId step : thread.steps) {
      for (const Operation& o : computation_.operations_of(step)) {
        if (o.kind == OperationKind::Acquire) out.insert({o.object, false});
        if (o.kind == OperationKind::AcquireShared) out.insert({o.object, true});
        if (o.kind == OperationKind::Release) out.erase({o.object, false});
        if (o.kind == OperationKind::ReleaseShared) out.erase({o.object, true});
      }
    }
    return out;
  }
  static bool waits(const Request& request, const HeldLock& held) {
    return request.kind == RequestKind::Exclusive || (request.kind == RequestKind::Shared && !held.shared);
  }

  void ask(const Request& request, StepId end, std::uint32_t taken) {
    if (request.thread == computation_.steps[end].thread) return;
    const auto name = std::tuple(request.site, request.site == 0 ? request.thread : 0, trace_.events[taken].site,
                                 trace_.events[taken].site == 0 ? taken : 0);
    if (found_.contains(name)) return;
    ++coverage_.candidates;
    std::string undecided;
    for (std::size_t n = 0; n < request.steps.size(); ++n) {
      if (n == kTriesPerLocks) {
        undecided = "a request for a lock that is never given up has more instances than are tried";
        break;
      }
      ++coverage_.questions;
      const Answer answer = feasibility_.ask({{request.steps[n]}, {end}, {}, {}});
      if (answer.truth == Truth::Undecided) undecided = answer.reason;
      if (answer.truth != Truth::Yes) continue;
      const std::uint32_t event = computation_.steps[request.steps[n]].event;
      Finding finding;
      finding.kind = witness::FindingKind::Deadlock;
      finding.engine = answer.tier;
      finding.places = {{event, Role::Request}, {taken, Role::Hold}};
      finding.note = "The thread that holds the lock ends without giving it up.";
      finding.witness = witness_of(computation_, trace_, answer.run, {event});
      findings_.push_back(std::move(finding));
      found_.insert(name);
      return;
    }
    if (!undecided.empty())
      coverage_.undecided_about(witness::FindingKind::Deadlock,
                                {{computation_.steps[request.steps.front()].event, Role::Request}, {taken, Role::Hold}},
                                undecided);
  }

  const trace::Trace& trace_;
  const causality::Computation& computation_;
  const Feasibility& feasibility_;
  const Requests& requests_;
  Coverage& coverage_;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>> found_; // by site
  std::vector<Finding> findings_;
};

} // namespace

std::vector<Finding> find_abandoned_locks(const trace::Trace& trace, const causality::Computation& computation,
                                          const Feasibility& feasibility, const Requests& requests,
                                          Coverage& coverage) {
  return AbandonedLocks(trace, computation, feasibility, requests, coverage).run();
}

} // namespace sooth::predict
