#include "causality/models/certain_order.h"

#include <algorithm>

#include "causality/computation/lifetimes.h"
#include "trace/kind_groups.h"
#include "trace/restore/misplaced.h"

namespace sooth::causality {

using trace::Event;
using trace::EventKind;

CertainOrder::CertainOrder(const trace::Trace& trace, const Computation& computation)
    : trace_(trace), computation_(computation), all_(computation.locations.size() + computation.locks.size()),
      clocks_(trace.threads.size(), all_ + 1) {
  for (const Order& order : computation_.recorded_orders())
    if (is_certain(order)) sources_.emplace(order.first, nullptr);
}

// A trace from outside has no looks: its order is what it says. An external write belongs to the
// read that found it.
bool CertainOrder::is_numbered(EventIndex event) const {
  if ((trace_.flags & trace::kNoValues) != 0) return true;
  if ((trace_.flags & trace::kOneClock) == 0) return false;
  const Event& e = trace_.events[event];
  return e.kind == EventKind::ExternalWrite ? trace::is_numbered_read(trace_, event) : e.has(trace::kTicket);
}

template <typename Do>
void CertainOrder::for_each_access(EventIndex event, StepId step, Do act) const {
  if (is_numbered(event)) act(Access{all_, true});
  if (step == kNoStep) return;
  const bool atomic = (computation_.steps[step].flags & kAtomicStep) != 0;
  for (const Operation& o : computation_.operations_of(step)) {
    const bool of_memory = o.kind == OperationKind::Read || o.kind == OperationKind::Write;
    const bool holds = o.kind == OperationKind::HoldBegin || o.kind == OperationKind::HoldEnd;
    // A try that failed has no number from the time of the lock's holder.
    if (holds || o.kind == OperationKind::TryFailed || is_counted(o.kind) || (of_memory && !atomic)) continue;
    act(access_of(o, computation_));
  }
}

bool CertainOrder::is_certain(const Order& order) const {
  const Event& first = trace_.events[computation_.steps[order.first].event];
  const Event& second = trace_.events[computation_.steps[order.second].event];
  if (first.kind == EventKind::Fork) return true;
  if (second.kind == EventKind::Join) return !second.has(trace::kFailed);
  return trace::kind_is_ticketed(first.kind) && trace::kind_is_ticketed(second.kind) &&
         first.address == second.address && !begins_or_ends_object(first.kind) && !begins_or_ends_object(second.kind);
}

void CertainOrder::see(EventIndex event) {
  const ThreadNumber t = trace_.events[event].thread;
  const StepId step = step_at(event);
  for_each_access(event, step, [&](const Access& access) {
    if (access.writes) clocks_.see_accesses(t, access.object);
    else clocks_.see_writes(t, access.object);
  });
  if (step == kNoStep) return;
  const auto [first, last] = std::ranges::equal_range(computation_.recorded_orders(), step, {}, &Order::second);
  for (auto order = first; order != last; ++order)
    if (is_certain(*order)) clocks_.see(t, sources_.at(order->first));
}

bool CertainOrder::leaves_something(EventIndex event) const {
  const StepId step = step_at(event);
  bool found = sources_.contains(step);
  for_each_access(event, step, [&](const Access&) { found = true; });
  return found;
}

void CertainOrder::leave(EventIndex event) {
  const ThreadNumber t = trace_.events[event].thread;
  const StepId step = step_at(event);
  for_each_access(event, step, [&](const Access& access) {
    if (access.writes) clocks_.leave_write(t, access.object);
    else clocks_.leave_read(t, access.object);
  });
  if (const auto source = sources_.find(step); source != sources_.end()) source->second = clocks_.now(t);
}

} // namespace sooth::causality
