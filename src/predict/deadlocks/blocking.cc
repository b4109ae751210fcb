#include "predict/deadlocks/blocking.h"

#include <algorithm>
#include <utility>

namespace sooth::predict {

using causality::StepId;
using trace::Event;
using trace::EventKind;

Blocking::Blocking(const trace::Trace& trace, const causality::Computation& computation)
    : trace_(trace), computation_(computation), waiting_(computation.threads.size()),
      arrivals_(computation.threads.size()), ended_(computation.threads.size(), false) {
  for (const causality::ThreadSteps& thread : computation.threads)
    left_.push_back(static_cast<std::uint32_t>(thread.steps.size()));
  // An object that is initialised only once may be asked about from the start: its users come after
  // that, by order.
  for (const Event& e : trace.events) {
    if (e.kind == EventKind::SemInit) semaphores_[e.address] = {static_cast<std::int64_t>(e.value), e.value >> 32 == 0};
    if (e.kind == EventKind::BarrierInit) barriers_[e.address] = {e.value >> 32 == 0 ? e.value : 0, 0};
  }
}

const Event& Blocking::event_of(StepId step) const { return trace_.events[computation_.steps[step].event]; }

bool Blocking::lock_taken(std::uint64_t address, std::uint32_t thread, bool shared) const {
  const auto it = locks_.find(address);
  if (it == locks_.end()) return false;
  const Lock& lock = it->second;
  return (lock.owner != kNobody && lock.owner != thread) || (!shared && lock.others_read(thread));
}

bool Blocking::allows(StepId step) const {
  const Event& e = event_of(step);
  if (e.has(trace::kFailed)) return true;
  switch (e.kind) {
  case EventKind::SemWait: {
    const auto it = semaphores_.find(e.address);
    return it == semaphores_.end() || !it->second.known || it->second.count > 0;
  }
  case EventKind::BarrierLeave: {
    const auto it = barriers_.find(e.address);
    if (it == barriers_.end() || it->second.needed == 0) return true;
    const auto mine = arrivals_[e.thread].find(e.address);
    if (mine == arrivals_[e.thread].end()) return true;
    return it->second.arrived >= (mine->second / it->second.needed + 1) * it->second.needed;
  }
  case EventKind::OnceBegin:
  case EventKind::OnceWait: {
    const auto it = running_.find(e.address);
    return it == running_.end() || it->second == e.thread;
  }
  default: return true;
  }
}

bool Blocking::waits(StepId step) const {
  const Event& e = event_of(step);
  if (e.has(trace::kFailed) || !does(e.kind, trace::act::kBlocks)) return false;
  const bool patient = (e.value & (trace::kLockTry | trace::kLockTimed)) == 0;
  switch (e.kind) {
  case EventKind::Acquire: return patient && lock_taken(e.address, e.thread, false);
  case EventKind::AcquireShared: return patient && lock_taken(e.address, e.thread, true);
  case EventKind::Wake: {
    if (e.value != 0 && lock_taken(e.value, e.thread, false)) return true;
    const Wait& wait = waiting_[e.thread];
    return wait.open && wait.condition == e.address && !wait.timed && !wait.signalled;
  }
  case EventKind::Join: return e.value < left_.size() && e.value != e.thread && left_[e.value] != 0;
  case EventKind::SemWait: return patient && !allows(step);
  case EventKind::BarrierLeave:
  case EventKind::OnceBegin:
  case EventKind::OnceWait: return !allows(step);
  default: return false;
  }
}

bool Blocking::waits_behind(StepId reader, StepId writer) const {
  const Event& r = event_of(reader);
  const Event& w = event_of(writer);
  return r.kind == EventKind::AcquireShared && w.kind == EventKind::Acquire && r.address == w.address &&
         (r.value & trace::kLockPreferWriter) != 0 && (r.value & (trace::kLockTry | trace::kLockTimed)) == 0 &&
         r.thread != w.thread && !r.has(trace::kFailed) && waits(writer);
}

void Blocking::take(StepId id) {
  const causality::Step& step = computation_.steps[id];
  --left_[step.thread];
  for (std::uint32_t i = step.event; i <= step.last_event; ++i)
    if (computation_.step_of_event[i] == id) apply(trace_.events[i]);
}

void Blocking::take_lock(std::uint32_t thread, const trace::Affected& taken) {
  Lock& lock = locks_[taken.address];
  if (taken.shared) {
    ++lock.readers[thread];
    return;
  }
  if (lock.owner != thread) lock.depth = 0;
  lock.owner = thread;
  ++lock.depth;
}

void Blocking::give_lock(std::uint32_t thread, const trace::Affected& given) {
  const auto it = locks_.find(given.address);
  if (it == locks_.end()) return;
  Lock& lock = it->second;
  if (given.shared) {
    const auto mine = lock.readers.find(thread);
    if (mine != lock.readers.end() && --mine->second == 0) lock.readers.erase(mine);
  } else if (lock.owner == thread) {
    if (lock.depth > 0) --lock.depth;
    if (lock.depth == 0) lock.owner = kNobody;
  }
}

void Blocking::apply(const Event& e) {
  if (e.has(trace::kFailed) && e.kind != EventKind::Wake) {
    if (e.kind == EventKind::OnceEnd) running_.erase(e.address);
    return;
  }
  for_lock_move(
      e, [&](const trace::Affected& lock) { take_lock(e.thread, lock); },
      [&](const trace::Affected& lock) { give_lock(e.thread, lock); });
  switch (e.kind) {
  case EventKind::Wake:
    waiting_[e.thread].open = false;
    waiters_[e.address].erase(e.thread);
    return;
  case EventKind::Wait:
    waiters_[waiting_[e.thread].condition].erase(e.thread);
    waiting_[e.thread] = {e.address, e.has(trace::kFill), true, false};
    waiters_[e.address].insert(e.thread);
    return;
  case EventKind::Signal:
  case EventKind::Broadcast:
    // Waiting threads are named once.
    for (const std::uint32_t thread : std::exchange(waiters_[e.address], {}))
      waiting_[thread].signalled |= waiting_[thread].open;
    return;
  case EventKind::SemPost: ++semaphores_[e.address].count; return;
  case EventKind::SemWait: --semaphores_[e.address].count; return;
  case EventKind::BarrierArrive: arrivals_[e.thread][e.address] = barriers_[e.address].arrived++; return;
  case EventKind::OnceBegin: running_[e.address] = e.thread; return;
  case EventKind::OnceEnd: running_.erase(e.address); return;
  case EventKind::ThreadEnd: ended_[e.thread] = ends_only_its_thread(trace_, e); return;
  default: return;
  }
}

bool ends_only_its_thread(const trace::Trace& trace, const Event& e) {
  if (e.kind != EventKind::ThreadEnd) return false;
  const trace::EndKind end = trace.process.end;
  const bool exits = end == trace::EndKind::Exit || end == trace::EndKind::QuickExit;
  return e.address != 0 || (e.thread != 0 && !exits);
}

} // namespace sooth::predict
