#include "predict/deadlocks/requests.h"

#include <algorithm>
#include <tuple>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "trace/effects.h"

namespace sooth::predict {

using causality::Operation;
using causality::OperationKind;
using causality::StepId;
using trace::Event;
using trace::EventKind;

namespace {

// Any thread may give it, and the waiting thread goes on.
bool helps(EventKind kind) {
  const trace::ObjectKind object = object_of(kind);
  return does(kind, trace::act::kGives) &&
         (object == trace::ObjectKind::Semaphore || object == trace::ObjectKind::Barrier ||
          object == trace::ObjectKind::Condition);
}
bool gives_up(const Event& e) {
  return e.has(trace::kFailed) || (e.value & (trace::kLockTry | trace::kLockTimed)) != 0;
}

class RequestCollector {
public:
  RequestCollector(const trace::Trace& trace, const causality::Computation& computation)
      : trace_(trace), computation_(computation), held_(computation.threads.size()),
        readers_(computation.threads.size()), waits_(computation.threads.size()) {
    for (std::uint32_t lock = 0; lock < computation.locks.size(); ++lock) numbers_[computation.locks[lock]] = lock;
    // A signal handler may help any waiting thread, and signals may come at any time.
    for (const Event& e : trace.events) {
      signals_ |= e.kind == EventKind::SignalEnter;
      if (e.kind == EventKind::SemInit || e.kind == EventKind::BarrierInit) ++inits_[e.address];
      if (e.kind == EventKind::SemInit && e.value >> 32 == 0) result_.first_count[number(e.address)] = e.value;
      if (e.kind == EventKind::BarrierInit && e.value >> 32 == 0) known_size_.insert(e.address);
    }
  }

  Requests run() {
    for (StepId id = 0; id < computation_.steps.size(); ++id) {
      const Event& e = trace_.events[computation_.steps[id].event];
      event(id, e);
      for (const Operation& operation : computation_.operations_of(id)) apply(id, e, operation);
    }
    collect_orders();
    return std::move(result_);
  }

private:
  std::uint32_t number(std::uint64_t address) {
    const auto next = static_cast<std::uint32_t>(computation_.locks.size() + result_.others.size());
    const auto [it, fresh] = numbers_.try_emplace(address, next);
    if (fresh) result_.others.push_back(address);
    return it->second;
  }
  Helps& helps_of(StepId id, std::uint64_t address) {
    return result_.helps[{number(address), computation_.steps[id].thread}];
  }

  // Events that are not operations of the computation.
  void event(StepId id, const Event& e) {
    const std::uint32_t place = computation_.steps[id].place;
    if (helps(e.kind) && !e.has(trace::kFailed)) helps_of(id, e.address).gives.push_back(place);
    switch (e.kind) {
    case EventKind::Join:
      if (!e.has(trace::kFailed) && e.value < computation_.threads.size())
        add(id, RequestKind::Join, static_cast<std::uint32_t>(e.value));
      return;
    case EventKind::AcquireShared: return nested_read(id, e);
    case EventKind::ReleaseShared: --readers_[e.thread][e.address]; return;
    case EventKind::OnceBegin: hold({number(e.address), false}, e.thread); return;
    case EventKind::OnceEnd: give({number(e.address), false}, e.thread); return;
    case EventKind::OnceWait: add(id, RequestKind::Once, number(e.address)); return;
    case EventKind::SemWait:
      if (e.has(trace::kFailed)) return;
      if (!gives_up(e))
        alone(id, e, RequestKind::Semaphore, initialised_once(e) && result_.first_count.contains(number(e.address)));
      helps_of(id, e.address).takes.push_back(place);
      return;
    case EventKind::BarrierLeave:
      return alone(id, e, RequestKind::Barrier, initialised_once(e) && known_size_.contains(e.address));
    case EventKind::Wait: waits_[e.thread] = {e.address, e.has(trace::kFill)}; return;
    case EventKind::Wake:
      alone(id, e, RequestKind::Signal, !e.has(trace::kFailed) && waits_[e.thread] == std::pair(e.address, false));
      return;
    default: return;
    }
  }

  bool initialised_once(const Event& e) const {
    const auto it = inits_.find(e.address);
    return it != inits_.end() && it->second == 1;
  }

  // A request for what has no owner; only where it is known what would grant it.
  void alone(StepId id, const Event& e, RequestKind kind, bool known) {
    if (known && !signals_) add(id, kind, number(e.address));
  }

  // A reader that reads once more: no operation, and no request but behind writers.
  void nested_read(StepId id, const Event& e) {
    if (e.has(trace::kFailed)) return;
    if (readers_[e.thread][e.address]++ > 0 && !gives_up(e) && (e.value & trace::kLockPreferWriter) != 0)
      add(id, RequestKind::Shared, number(e.address));
  }

  void apply(StepId id, const Event& e, const Operation& operation) {
    switch (operation.kind) {
    case OperationKind::Acquire:
    case OperationKind::AcquireShared: {
      const bool shared = operation.kind == OperationKind::AcquireShared;
      if (blocks(e)) add(id, shared ? RequestKind::Shared : RequestKind::Exclusive, operation.object);
      return hold({operation.object, shared}, e.thread);
    }
    case OperationKind::Release:
    case OperationKind::ReleaseShared:
      return give({operation.object, operation.kind == OperationKind::ReleaseShared}, e.thread);
    default: return;
    }
  }
  void hold(const HeldLock& taken, std::uint32_t thread) {
    std::vector<HeldLock>& held = held_[thread];
    held.insert(std::lower_bound(held.begin(), held.end(), taken), taken);
  }
  void give(const HeldLock& given, std::uint32_t thread) {
    std::vector<HeldLock>& held = held_[thread];
    const auto it = std::lower_bound(held.begin(), held.end(), given);
    if (it != held.end() && *it == given) held.erase(it);
  }

  // The request has no time limit. A wait whose time was up is left out, although it waits for its
  // mutex.
  static bool blocks(const Event& e) {
    if (e.kind == EventKind::Wake) return !e.has(trace::kFailed);
    return trace::takes_lock(e.kind) && !gives_up(e);
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
      if (!result_.all[i].same_shape(request)) continue;
      result_.all[i].steps.push_back(id);
      return;
    }
    alike.push_back(result_.all.size());
    request.steps.push_back(id);
    result_.all.push_back(std::move(request));
  }

  // Which post a wait took, in which order threads came to a barrier: other runs need not repeat
  // it.
  void collect_orders() {
    for (const causality::Order& order : computation_.recorded_orders()) {
      const Event& first = trace_.events[computation_.steps[order.first].event];
      const Event& second = trace_.events[computation_.steps[order.second].event];
      if (first.address != second.address) continue;
      const bool semaphore = first.kind == EventKind::SemPost && second.kind == EventKind::SemWait;
      const bool barrier = first.kind == EventKind::BarrierArrive && second.kind == EventKind::BarrierArrive;
      if (semaphore || barrier) result_.observed[number(first.address)].push_back(order);
    }
  }

  const trace::Trace& trace_;
  const causality::Computation& computation_;
  absl::flat_hash_map<std::uint64_t, std::uint32_t> numbers_; // by address: of its object
  std::vector<std::vector<HeldLock>> held_;                   // by thread, ascending
  std::vector<absl::flat_hash_map<std::uint64_t, int>> readers_;
  std::vector<std::pair<std::uint64_t, bool>> waits_;       // by thread: the condition it waits for; only for a time
  absl::flat_hash_map<std::uint64_t, std::uint32_t> inits_; // of semaphores and barriers
  absl::flat_hash_set<std::uint64_t> known_size_;           // barriers
  bool signals_ = false;
  Requests result_;
  std::map<std::tuple<std::uint32_t, RequestKind, std::uint32_t, std::uint32_t>, std::vector<std::size_t>> known_;
};

} // namespace

std::int64_t Requests::last_help(std::uint32_t object, std::uint32_t thread) const {
  const auto it = helps.find({object, thread});
  return it == helps.end() || it->second.gives.empty() ? -1 : std::int64_t{it->second.gives.back()};
}

bool Requests::may_be_empty(const causality::Computation& computation, std::uint32_t semaphore,
                            std::span<const StepId> before) const {
  auto count = static_cast<std::int64_t>(first_count.at(semaphore));
  for (auto it = helps.lower_bound({semaphore, 0}); it != helps.end() && it->first.first == semaphore; ++it) {
    const auto mine =
        std::ranges::find_if(before, [&](StepId step) { return computation.steps[step].thread == it->first.second; });
    if (mine == before.end()) return true;
    const auto earlier = [&](const std::vector<std::uint32_t>& places) {
      return std::ranges::lower_bound(places, computation.steps[*mine].place) - places.begin();
    };
    count += earlier(it->second.gives) - earlier(it->second.takes);
  }
  return count == 0;
}

Requests collect_requests(const trace::Trace& trace, const causality::Computation& computation) {
  return RequestCollector(trace, computation).run();
}

std::uint32_t taking_event(const trace::Trace& trace, const causality::Computation& computation, StepId step,
                           std::uint64_t address) {
  const causality::Step& before = computation.steps[step];
  const auto& own = computation.threads[before.thread].steps;
  for (std::uint32_t place = before.place; place-- > 0;) {
    const std::uint32_t event = computation.steps[own[place]].event;
    const Event& e = trace.events[event];
    if (e.kind == EventKind::OnceBegin && e.address == address) return event;
    for (const Operation& operation : computation.operations_of(own[place]))
      if ((operation.kind == OperationKind::Acquire || operation.kind == OperationKind::AcquireShared) &&
          computation.locks[operation.object] == address)
        return event;
  }
  return static_cast<std::uint32_t>(computation.step_of_event.size());
}

} // namespace sooth::predict
