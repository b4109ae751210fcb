#include "predict/requests.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace sooth::predict {

using causality::Operation;
using causality::OperationKind;
using causality::StepId;
using trace::Event;
using trace::EventKind;

namespace {

class Collector {
public:
  Collector(const trace::Trace& trace, const causality::Computation& computation)
      : trace_(trace), computation_(computation), held_(computation.threads.size()) {}

  std::vector<Request> run() {
    for (StepId id = 0; id < computation_.steps.size(); ++id) {
      const causality::Step& step = computation_.steps[id];
      const Event& e = trace_.events[step.event];
      if (e.kind == EventKind::Join && !e.has(trace::kFailed) && e.value < computation_.threads.size())
        add(id, RequestKind::Join, static_cast<std::uint32_t>(e.value));
      for (const Operation& operation : computation_.operations_of(id)) apply(id, e, operation);
    }
    return std::move(requests_);
  }

private:
  void apply(StepId id, const Event& e, const Operation& operation) {
    std::vector<HeldLock>& held = held_[e.thread];
    switch (operation.kind) {
    case OperationKind::Acquire:
    case OperationKind::AcquireShared: {
      const bool shared = operation.kind == OperationKind::AcquireShared;
      if (blocks(e)) add(id, shared ? RequestKind::Shared : RequestKind::Exclusive, operation.object);
      const HeldLock taken{operation.object, shared};
      held.insert(std::lower_bound(held.begin(), held.end(), taken), taken);
      return;
    }
    case OperationKind::Release:
    case OperationKind::ReleaseShared: {
      const HeldLock given{operation.object, operation.kind == OperationKind::ReleaseShared};
      const auto it = std::lower_bound(held.begin(), held.end(), given);
      if (it != held.end() && *it == given) held.erase(it);
      return;
    }
    default: return;
    }
  }

  // The request waits as long as it takes. A wait whose time was up is left out, although it waits for its mutex.
  static bool blocks(const Event& e) {
    if (e.has(trace::kFailed)) return false;
    if (e.kind == EventKind::Wake) return true;
    const bool lock = e.kind == EventKind::Acquire || e.kind == EventKind::AcquireShared;
    return lock && (e.value & (trace::kLockTry | trace::kLockTimed)) == 0;
  }

  void add(StepId id, RequestKind kind, std::uint32_t object) {
    const Event& e = trace_.events[computation_.steps[id].event];
    Request request;
    request.thread = e.thread;
    request.kind = kind;
    request.object = object;
    request.site = e.site;
    request.behind_writers = kind == RequestKind::Shared && (e.value & trace::kLockPreferWriter) != 0;
    request.held = held_[e.thread];
    auto& alike = known_[std::tuple(request.thread, kind, object, request.site)];
    for (const std::size_t i : alike) {
      if (!requests_[i].same_shape(request)) continue;
      requests_[i].steps.push_back(id);
      return;
    }
    alike.push_back(requests_.size());
    request.steps.push_back(id);
    requests_.push_back(std::move(request));
  }

  const trace::Trace& trace_;
  const causality::Computation& computation_;
  std::vector<std::vector<HeldLock>> held_; // by thread, ascending
  std::vector<Request> requests_;
  std::map<std::tuple<std::uint32_t, RequestKind, std::uint32_t, std::uint32_t>, std::vector<std::size_t>> known_;
};

} // namespace

std::vector<Request> collect_requests(const trace::Trace& trace, const causality::Computation& computation) {
  return Collector(trace, computation).run();
}

std::uint32_t taking_event(const causality::Computation& computation, StepId step, std::uint32_t lock) {
  const causality::Step& before = computation.steps[step];
  const auto& own = computation.threads[before.thread].steps;
  for (std::uint32_t place = before.place; place-- > 0;) {
    for (const Operation& operation : computation.operations_of(own[place]))
      if (operation.object == lock &&
          (operation.kind == OperationKind::Acquire || operation.kind == OperationKind::AcquireShared))
        return computation.steps[own[place]].event;
  }
  return static_cast<std::uint32_t>(computation.step_of_event.size());
}

} // namespace sooth::predict
