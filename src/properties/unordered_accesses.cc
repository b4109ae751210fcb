#include "properties/unordered_accesses.h"

#include <algorithm>

namespace sooth::properties {

using causality::EventIndex;
using trace::Event;
using trace::EventKind;

void UnorderedAccesses::look_at_memory(EventIndex event, const causality::Operation& operation) {
  const causality::ThreadNumber t = trace_.events[event].thread;
  const bool writes = operation.kind == causality::OperationKind::Write;
  std::vector<Visitor>& visitors = visitors_[operation.object];
  const causality::SharedClock& now = order_.clocks().now(t);
  Visitor* own = nullptr;
  for (Visitor& visitor : visitors) {
    if (visitor.thread == t) {
      own = &visitor;
      continue;
    }
    const auto& visits = visitor.visits;
    auto visit = std::ranges::lower_bound(visits, (*now)[visitor.thread], {}, &Visit::count);
    while (visit != visits.end() && !writes && !visit->writes) ++visit;
    if (visit != visits.end()) add({visit->event, visit->event, event});
  }
  if (own == nullptr) own = &visitors.emplace_back(Visitor{t, {}});
  const causality::Count count = order_.clocks().counted(t);
  if (own->visits.empty() || own->visits.back().count != count || (writes && !own->visits.back().writes))
    own->visits.push_back({count, event, writes});
}

void UnorderedAccesses::look_at_tries(EventIndex event) {
  const Event& e = trace_.events[event];
  const trace::ObjectKind object = object_of(e.kind);
  const bool tried = object == trace::ObjectKind::Lock || object == trace::ObjectKind::Semaphore;
  if (!tried || !does(e.kind, trace::act::kTakes | trace::act::kGives)) return;
  const auto last = last_at_.try_emplace(e.address, event).first;
  if (e.has(trace::kFailed)) add({event, last->second, event});
  last->second = event;
}

} // namespace sooth::properties
