#include "witness/flow_classes.h"

#include <utility>

namespace sooth::witness::checking {

using trace::Event;
using trace::EventKind;
using trace::ValueFlow;

FlowClasses::FlowClasses(const trace::Trace& trace, const std::vector<std::vector<EventNumber>>& of_thread)
    : trace_(trace), sees_all_code_(trace.static_facts.flows.sees_all_code()) {
  for (const std::vector<EventNumber>& events : of_thread) {
    std::vector<Waiting> waiting;
    for (const EventNumber event : events) follow(event, waiting);
  }
}

bool FlowClasses::stands_for_itself(const Event& e) const {
  if (e.kind != EventKind::Read && e.kind != EventKind::Write) return false;
  return e.site != 0 && (e.flags == 0 || e.flags == trace::kTicket);
}

bool FlowClasses::is_update(EventNumber event) const {
  return trace_.events[event].kind == EventKind::AtomicRmw && is_free(event);
}

const std::vector<EventNumber>& FlowClasses::sources(EventNumber write) const {
  static const std::vector<EventNumber> none;
  const auto found = sources_.find(write);
  return found == sources_.end() ? none : found->second;
}

// Whether the read goes on waiting. It is free as soon as no store is missing.
bool FlowClasses::takes(Waiting& one, EventNumber event) {
  const Event& e = trace_.events[event];
  const Event& read = trace_.events[one.read];
  if (e.kind == EventKind::Read) return e.site != read.site;
  const ValueFlow& flow = *trace_.static_facts.flows.of(read.site);
  for (std::size_t s = 0; s < flow.stores.size(); ++s) {
    const bool elsewhere = flow.stores[s].same_bytes && (e.address != read.address || e.size != read.size);
    if (flow.stores[s].site != e.site || elsewhere) continue;
    if (one.missing.erase(s) == 0) return false; // a second time
    one.stores.push_back(event);
  }
  if (!one.missing.empty()) return true;
  free_.insert(one.read);
  for (const EventNumber store : one.stores) sources_[store].push_back(one.read);
  return false;
}

void FlowClasses::follow(EventNumber event, std::vector<Waiting>& waiting) {
  const Event& e = trace_.events[event];
  const ValueFlow* flow = trace_.static_facts.flows.of(e.site);
  if (flow != nullptr && (flow->bytes != e.size || !(sees_all_code_ || flow->out_of_reach))) flow = nullptr;
  if (!stands_for_itself(e)) {
    waiting.clear();
    if (e.kind == EventKind::AtomicRmw && flow != nullptr && flow->is_update) free_.insert(event);
    return;
  }
  std::erase_if(waiting, [&](Waiting& one) { return !takes(one, event); });
  if (e.kind != EventKind::Read || flow == nullptr || flow->is_update) return;
  Waiting fresh{event, {}, {}};
  for (std::size_t s = 0; s < flow->stores.size(); ++s) fresh.missing.insert(s);
  waiting.push_back(std::move(fresh));
}

} // namespace sooth::witness::checking
