#include "causality/dependence/flow_dependence.h"

#include <algorithm>
#include <span>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "causality/computation/locations.h"
#include "causality/dependence/memory_nodes.h"
#include "causality/dependence/step_dependence_builder.h"
#include "trace/kind_groups.h"

namespace sooth::causality {
namespace {

using trace::Event;
using trace::EventKind;
using trace::FlowStore;
using trace::ValueFlow;

// More events than this between a read and its store are not looked through.
constexpr std::size_t kMostBetween = 64;

// A plain access that stands for itself alone: a held, merged or glued one stands for others, too.
bool is_plain(const Event& e) {
  return (e.kind == EventKind::Read || e.kind == EventKind::Write) && (e.flags & ~trace::kTicket) == 0;
}

// The free reads of a trace, and the events of the stores that they flow into.
class FreeReads {
public:
  explicit FreeReads(const trace::Trace& trace) : trace_(trace), class_of_(trace.sites.size()) {
    const trace::ValueFlows& flows = trace.static_facts.flows;
    const bool sees_all_code = flows.sees_all_code();
    for (const ValueFlow& read : flows.reads)
      if (read.site < class_of_.size() && (sees_all_code || read.out_of_reach)) class_of_[read.site] = &read;
  }

  // The read is the first of these events of its thread.
  void look_at(std::span<const std::uint32_t> events) {
    const Event& read = trace_.events[events.front()];
    const ValueFlow* flow = read.site < class_of_.size() ? class_of_[read.site] : nullptr;
    if (!flow || flow->bytes != read.size) return;
    if (flow->is_update != (read.kind == EventKind::AtomicRmw)) return;
    if (flow->is_update) free_.insert({events.front(), {}});
    else if (read.kind == EventKind::Read && is_plain(read)) look_for_stores(events, *flow);
  }

  bool none() const { return free_.empty(); }
  bool contains(std::uint32_t read) const { return free_.contains(read); }
  std::span<const std::uint32_t> stores(std::uint32_t read) const { return free_.at(read); }

private:
  void look_for_stores(std::span<const std::uint32_t> events, const ValueFlow& flow) {
    const Event& read = trace_.events[events.front()];
    std::vector<std::uint32_t> found(flow.stores.size(), 0); // event; 0: not yet
    std::size_t missing = found.size();
    const std::size_t end = std::min(events.size(), kMostBetween);
    for (std::size_t i = 1; i < end && missing != 0; ++i) {
      const Event& e = trace_.events[events[i]];
      if (!is_plain(e) || e.site == 0 || (e.kind == EventKind::Read && e.site == read.site)) return;
      if (e.kind != EventKind::Write) continue;
      for (std::size_t s = 0; s < found.size(); ++s) {
        if (!is_store(flow.stores[s], e, read)) continue;
        if (found[s] != 0) return; // it ran twice: some other store was left out
        found[s] = events[i];
        --missing;
      }
    }
    if (missing == 0) free_.insert({events.front(), std::move(found)});
  }

  static bool is_store(const FlowStore& store, const Event& write, const Event& read) {
    if (store.site != write.site) return false;
    return !store.same_bytes || (write.address == read.address && write.size == read.size);
  }

  const trace::Trace& trace_;
  std::vector<const ValueFlow*> class_of_; // by site
  absl::flat_hash_map<std::uint32_t, std::vector<std::uint32_t>> free_;
};

class FlowWalk {
public:
  FlowWalk(const trace::Trace& trace, const Computation& computation, const Locations& locations, const FreeReads& free)
      : trace_(trace), locations_(locations), free_(free), builder_(trace, computation) {}

  StepDependence run(const std::vector<std::vector<std::uint32_t>>& of_thread) {
    for (const std::vector<std::uint32_t>& events : of_thread) {
      memory_ = {};
      flows_.clear();
      for (const std::uint32_t event : events) {
        builder_.begin_event(event);
        const EventKind kind = trace_.events[event].kind;
        if (is_access(kind) && kind != EventKind::ExternalWrite) access(event);
      }
    }
    return builder_.finish();
  }

private:
  void access(std::uint32_t event) {
    const Event& e = trace_.events[event];
    std::uint64_t shared_bytes = 0;
    const LocationRange range = locations_.of(event);
    for (std::uint32_t l = range.first; l < range.first + range.count; ++l)
      shared_bytes += locations_.pieces()[l].bytes;
    const bool shared = range.count != 0, alone = shared_bytes < e.size, free = free_.contains(event);

    DependenceNode seen = kNoNode;
    if (reads_memory(e.kind)) {
      std::vector<DependenceNode> parts;
      if (alone) memory_.read(e.address, e.size, parts);
      if (shared) parts.push_back(builder_.what_it_reads());
      seen = builder_.depends_on(parts);
      if (!free) builder_.decided_by_what_follows(seen);
      else
        for (const std::uint32_t store : free_.stores(event)) flows_[store].push_back(seen);
    }
    if (!writes_memory(e.kind)) return builder_.value_of_event_is(seen);
    std::vector<DependenceNode> sources = {free ? seen : kNoNode}; // of an update
    if (const auto found = flows_.find(event); found != flows_.end()) {
      sources.insert(sources.end(), found->second.begin(), found->second.end());
      flows_.erase(found);
    }
    const DependenceNode value = builder_.depends_on(sources);
    builder_.writes_from(value, shared);
    if (alone) memory_.write(e.address, e.size, value);
  }

  const trace::Trace& trace_;
  const Locations& locations_;
  const FreeReads& free_;
  StepDependenceBuilder builder_;

  // Of the thread that is looked at.
  MemoryNodes memory_;                                                    // that no other thread touches
  absl::flat_hash_map<std::uint32_t, std::vector<DependenceNode>> flows_; // by event: what flows into its value
};

} // namespace

StepDependence flow_dependence_of(const trace::Trace& trace, const Computation& computation,
                                  const Locations& locations) {
  if (!trace.is_fit_for_flows() || trace.static_facts.flows.reads.empty()) return {};
  std::vector<std::vector<std::uint32_t>> of_thread(trace.threads.size());
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) of_thread[trace.events[i].thread].push_back(i);
  FreeReads free(trace);
  for (const std::vector<std::uint32_t>& events : of_thread)
    for (std::size_t i = 0; i < events.size(); ++i)
      if (reads_memory(trace.events[events[i]].kind)) free.look_at(std::span(events).subspan(i));
  return free.none() ? StepDependence{} : FlowWalk(trace, computation, locations, free).run(of_thread);
}

} // namespace sooth::causality
