#include "witness/flow_classes.h"

#include <algorithm>
#include <utility>

namespace sooth::witness::checking {

using trace::Event;
using trace::EventKind;
using trace::ValueFlow;

FlowClasses::FlowClasses(const trace::Trace& trace, const std::vector<std::vector<EventNumber>>& of_thread)
    : trace_(trace), sees_all_code_(trace.static_facts.flows.sees_all_code()),
      has_owners_(trace.defect(trace::Defect::OwnedBlocks) != 0), static_stores_(trace.static_facts.flows),
      reached_(trace::reached_stores(trace.static_facts.flows)) {
  for (const trace::Global& variable : trace.globals)
    if (variable.bytes != 0) variables_[variable.address] = variable.address + (variable.bytes - 1);
  if (has_owners_) find_settled();
  for (const std::vector<EventNumber>& events : of_thread) {
    std::vector<Waiting> waiting;
    for (const EventNumber event : events) follow(event, waiting);
    find_later(events);
  }
  find_alone();
}

// Stores into blocks that their thread used after another thread had, with no join of its own in
// between: two threads had the block at one time, so nobody owns it any more. If somebody did until
// then, the trace has a write of all of the block.
void FlowClasses::find_settled() {
  std::map<std::uint64_t, std::map<std::uint32_t, EventNumber>> newest; // by block, by thread
  std::map<std::uint32_t, EventNumber> alive_since;                     // by thread: its beginning, or its last join
  std::map<std::uint64_t, std::set<std::uint32_t>> shared;              // by block: threads that know it so
  std::set<std::uint64_t> handed_over;
  const auto block_of = [](std::uint64_t address) { return address / trace::kOwnedBytes; };
  for (EventNumber i = 0; i < trace_.events.size(); ++i) {
    const Event& e = trace_.events[i];
    alive_since.try_emplace(e.thread, i);
    if (e.kind == EventKind::Join) alive_since[e.thread] = i;
    if (e.size == 0) continue;
    const std::uint64_t first = block_of(e.address), last = block_of(e.address + (e.size - 1));
    if (e.kind == EventKind::Write && e.has(trace::kMerged) && e.has(trace::kOpaque))
      for (std::uint64_t block = first; block <= last; ++block) handed_over.insert(block);
    if (!stands_for_itself(e) || first != last) continue;
    for (const auto& [thread, use] : newest[first])
      if (thread != e.thread && use > alive_since[e.thread]) shared[first].insert(e.thread);
    newest[first][e.thread] = i;
    if (e.kind == EventKind::Write && shared[first].contains(e.thread)) settled_.insert(i);
  }
  std::erase_if(settled_,
                [&](EventNumber store) { return handed_over.contains(block_of(trace_.events[store].address)); });
}

// Backwards: the joins at which nobody else is left, and all ends of threads before the last one.
void FlowClasses::find_alone() {
  alone_.resize(trace_.events.size());
  std::vector<std::int64_t> others(trace_.events.size()); // created and not joined, after the event
  std::int64_t now = 0;
  for (std::size_t i = 0; i < others.size(); ++i) {
    const Event& e = trace_.events[i];
    now += e.kind == EventKind::Fork ? 1 : 0;
    now -= e.kind == EventKind::Join && !e.has(trace::kFailed) ? 1 : 0;
    others[i] = now;
  }
  bool later = false;
  for (std::size_t i = others.size(); i-- > 0;) {
    const Event& e = trace_.events[i];
    const bool left = e.kind == EventKind::Join && !e.has(trace::kFailed) && others[i] <= 0;
    later = later || left;
    alone_[i] = left || (later && e.kind == EventKind::ThreadEnd);
  }
}

bool FlowClasses::may_hide_stores(const Event& e) {
  if ((e.marks & trace::kBehindOmitted) != 0) return true;
  switch (e.kind) {
  case EventKind::Write: return e.site == 0 || e.has(trace::kHeld) || e.has(trace::kMerged);
  case EventKind::Read: return e.has(trace::kHeld);
  default: return false;
  }
}

// No store that the value may reach was left out by the reader or the recorder.
bool FlowClasses::reaches_known_stores(std::size_t read) const {
  if (!sees_all_code_ || reached_[read].decides || (has_owners_ && !static_stores_.contain_all(reached_[read].sites)))
    return false;
  for (const std::uint32_t site : reached_[read].sites)
    if (site < trace_.sieved_stores.size() && trace_.sieved_stores[site]) return false;
  return true;
}

const std::vector<std::uint32_t>& FlowClasses::later_sites(EventNumber read) const {
  const auto& reads = trace_.static_facts.flows.reads;
  const ValueFlow* flow = trace_.static_facts.flows.of(trace_.events[read].site);
  return reached_[static_cast<std::size_t>(flow - reads.data())].sites;
}

void FlowClasses::find_later(const std::vector<EventNumber>& events) {
  const auto& reads = trace_.static_facts.flows.reads;
  bool complete = true; // since the last synchronisation
  for (const EventNumber event : events) {
    const Event& e = trace_.events[event];
    if (may_hide_stores(e)) complete = false;
    switch (e.kind) {
    case EventKind::Acquire:
    case EventKind::Release: complete = complete || !e.has(trace::kFailed); break;
    case EventKind::AtomicRead:
    case EventKind::AtomicWrite:
    case EventKind::AtomicRmw: complete = true; break;
    default: break;
    }
    const ValueFlow* flow = trace_.static_facts.flows.of(e.site);
    if (!complete || flow == nullptr || flow->bytes != e.size || free_.contains(event)) continue;
    const bool alone = (e.marks & trace::kOtherSites) == 0;
    const bool loads = e.kind == EventKind::AtomicRead || (e.kind == EventKind::Read && stands_for_itself(e));
    const bool reads_so = flow->is_update ? e.kind == EventKind::AtomicRmw : loads && alone;
    if (!reads_so || !reaches_known_stores(static_cast<std::size_t>(flow - reads.data()))) continue;
    free_.insert(event);
    later_.insert(event);
  }
}

bool FlowClasses::stands_for_itself(const Event& e) const {
  if (e.kind != EventKind::Read && e.kind != EventKind::Write) return false;
  return e.site != 0 && (e.flags == 0 || e.flags == trace::kTicket);
}

bool FlowClasses::is_in_variable(const Event& e) const {
  auto found = variables_.upper_bound(e.address);
  return found != variables_.begin() && e.address + (e.size - 1) <= (--found)->second;
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
    if (has_owners_ && !is_in_variable(e) && !settled_.contains(event)) return false; // an owner may look at it unseen
    if (one.missing.erase(s) == 0) return false;                                      // a second time
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
    const auto stays = [](const trace::FlowSinks& sinks) {
      return !sinks.decides && sinks.stores.empty() && sinks.slots.empty();
    };
    if (e.kind == EventKind::AtomicRmw && flow != nullptr && flow->is_update && stays(flow->sinks)) free_.insert(event);
    return;
  }
  std::erase_if(waiting, [&](Waiting& one) { return !takes(one, event); });
  if (e.kind != EventKind::Read || flow == nullptr || flow->is_update || flow->stores.empty()) return;
  Waiting fresh{event, {}, {}};
  for (std::size_t s = 0; s < flow->stores.size(); ++s) fresh.missing.insert(s);
  waiting.push_back(std::move(fresh));
}

} // namespace sooth::witness::checking
