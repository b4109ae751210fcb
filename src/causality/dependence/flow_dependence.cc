#include "causality/dependence/flow_dependence.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "causality/computation/locations.h"
#include "causality/dependence/memory_nodes.h"
#include "causality/dependence/recorded_memory.h"
#include "causality/dependence/step_dependence_builder.h"
#include "trace/kind_groups.h"
#include "trace/program/static_stores.h"

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

// It ends a segment of the recorder (docs/trace_format.md): from here on everything is in detail.
bool begins_detail(const Event& e) {
  if (is_atomic(e.kind)) return true;
  return (e.kind == EventKind::Acquire || e.kind == EventKind::Release) && !e.has(trace::kFailed);
}

// Events before which no value of their thread may differ. A thread that is alone again, because
// all others were joined, reads memory without an event (docs/trace_format.md, "Alone"): what it
// and they did before must be as it was. So the joins after which it is alone, and the ends of the
// others.
std::vector<bool> settling_events(const trace::Trace& trace) {
  std::vector<bool> settles(trace.events.size());
  std::int64_t threads = 0; // created and not joined
  std::size_t last = 0;     // behind the last such join
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const Event& e = trace.events[i];
    if (e.kind == EventKind::Fork) ++threads;
    if (e.kind != EventKind::Join || e.has(trace::kFailed) || --threads > 0) continue;
    settles[i] = true;
    last = i + 1;
  }
  for (std::size_t i = 0; i < last; ++i)
    if (trace.events[i].kind == EventKind::ThreadEnd) settles[i] = true;
  return settles;
}

// The free reads of a trace.
class FreeReads {
public:
  explicit FreeReads(const trace::Trace& trace)
      : trace_(trace), flows_(trace.static_facts.flows), memory_(trace), class_of_(trace.sites.size(), kNoClass) {
    const bool sees_all_code = flows_.sees_all_code();
    reached_ = trace::reached_stores(flows_);
    const trace::StaticStores static_stores(flows_);
    const bool owned = trace.defect(trace::Defect::OwnedBlocks) != 0; // what owners did is not recorded
    for (std::uint32_t i = 0; i < flows_.reads.size(); ++i) {
      const ValueFlow& read = flows_.reads[i];
      const bool at_once = has_stores(read) && (sees_all_code || read.out_of_reach);
      trace::ReachedStores& reached = reached_[i];
      if (!sees_all_code || (owned && !static_stores.contain_all(reached.sites))) reached.decides = true;
      for (const std::uint32_t site : reached.sites)
        if (site < trace.sieved_stores.size() && trace.sieved_stores[site]) reached.decides = true;
      at_once_.push_back(at_once);
      if (read.site < class_of_.size() && (at_once || !reached.decides)) class_of_[read.site] = i;
    }
  }

  // Of one thread.
  void look_at(std::span<const std::uint32_t> events) {
    bool in_detail = true;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const Event& e = trace_.events[events[i]];
      if (may_hide_stores(e)) in_detail = false;
      if (begins_detail(e)) in_detail = true; // what was left out stands before it
      if (reads_memory(e.kind)) look_at_read(events.subspan(i), in_detail);
    }
  }

  bool none() const { return free_.empty(); }
  bool contains(std::uint32_t read) const { return free_.contains(read); }
  // The events that it flows into ...
  std::span<const std::uint32_t> stores(std::uint32_t read) const { return free_.at(read); }
  // ... or the sites of later events of its thread; empty if the events are known.
  std::span<const std::uint32_t> later_stores(std::uint32_t read) const {
    if (!later_.contains(read)) return {};
    return reached_[class_of_[trace_.events[read].site]].sites;
  }
  bool flows_later(std::uint32_t read) const { return later_.contains(read); }

  // From here to the end of the segment, stores of the thread may be missing in the trace.
  static bool may_hide_stores(const Event& e) {
    if ((e.marks & trace::kBehindOmitted) != 0) return true;
    if (e.kind != EventKind::Read && e.kind != EventKind::Write) return false;
    return e.has(trace::kHeld) || e.has(trace::kMerged) || (e.kind == EventKind::Write && e.site == 0);
  }

private:
  static constexpr std::uint32_t kNoClass = 0xffffffff;

  // The stores of its block are known; an update has none but itself.
  static bool has_stores(const ValueFlow& read) {
    if (!read.is_update) return !read.stores.empty();
    return !read.sinks.decides && read.sinks.stores.empty() && read.sinks.slots.empty();
  }

  void look_at_read(std::span<const std::uint32_t> events, bool in_detail) {
    const Event& read = trace_.events[events.front()];
    const std::uint32_t number = read.site < class_of_.size() ? class_of_[read.site] : kNoClass;
    if (number == kNoClass) return;
    const ValueFlow& flow = flows_.reads[number];
    if (flow.bytes != read.size || flow.is_update != (read.kind == EventKind::AtomicRmw)) return;
    const bool atomic = flow.is_update || read.kind == EventKind::AtomicRead;
    if (!atomic && (read.kind != EventKind::Read || !is_plain(read))) return;
    if (at_once_[number] && flow.is_update) free_.insert({events.front(), {}});
    else if (at_once_[number] && !atomic) look_for_stores(events, flow);
    if (free_.contains(events.front()) || reached_[number].decides || !in_detail) return;
    if ((read.marks & trace::kOtherSites) != 0) return; // what other sites do with the value is not known
    free_.insert({events.front(), {}});
    later_.insert(events.front());
  }

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
        if (found[s] != 0) return;             // it ran twice: some other store was left out
        if (!memory_.keeps(events[i])) return; // its thread may own it later, and look at it unseen
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
  const trace::ValueFlows& flows_;
  const RecordedMemory memory_;
  std::vector<trace::ReachedStores> reached_; // by class
  std::vector<bool> at_once_;                 // by class: its stores are known, and nobody else reads them
  std::vector<std::uint32_t> class_of_;       // by site
  absl::flat_hash_map<std::uint32_t, std::vector<std::uint32_t>> free_;
  absl::flat_hash_set<std::uint32_t> later_; // those of free_ that flow into later stores
};

class FlowWalk {
public:
  FlowWalk(const trace::Trace& trace, const Computation& computation, const Locations& locations, const FreeReads& free)
      : trace_(trace), locations_(locations), free_(free), settles_(settling_events(trace)),
        builder_(trace, computation) {}

  StepDependence run(const std::vector<std::vector<std::uint32_t>>& of_thread) {
    for (const std::vector<std::uint32_t>& events : of_thread) {
      memory_ = {};
      flows_.clear();
      later_.clear();
      anything_ = everything_ = kNoNode;
      for (const std::uint32_t event : events) {
        builder_.begin_event(event);
        const EventKind kind = trace_.events[event].kind;
        if (FreeReads::may_hide_stores(trace_.events[event])) builder_.decided_by(anything_);
        if (settles_[event]) builder_.decided_by(everything_);
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
      else flow_on(event, seen);
    }
    if (!writes_memory(e.kind)) return builder_.value_of_event_is(seen);
    std::vector<DependenceNode> sources = {free ? seen : kNoNode}; // of an update
    if (const auto found = flows_.find(event); found != flows_.end()) {
      sources.insert(sources.end(), found->second.begin(), found->second.end());
      flows_.erase(found);
    }
    if (const auto found = later_.find(e.site); found != later_.end()) sources.push_back(found->second);
    const DependenceNode value = builder_.depends_on(sources);
    builder_.writes_from(value, shared);
    if (alone) memory_.write(e.address, e.size, value);
  }

  void flow_on(std::uint32_t read, DependenceNode seen) {
    for (const std::uint32_t store : free_.stores(read)) flows_[store].push_back(seen);
    join(everything_, seen);
    if (!free_.flows_later(read)) return;
    for (const std::uint32_t site : free_.later_stores(read))
      join(later_.try_emplace(site, kNoNode).first->second, seen);
    join(anything_, seen);
  }
  void join(DependenceNode& all, DependenceNode one) {
    const std::array<DependenceNode, 2> both = {all, one};
    all = builder_.depends_on(both);
  }

  const trace::Trace& trace_;
  const Locations& locations_;
  const FreeReads& free_;
  const std::vector<bool> settles_; // by event
  StepDependenceBuilder builder_;

  // Of the thread that is looked at.
  MemoryNodes memory_;                                                    // that no other thread touches
  absl::flat_hash_map<std::uint32_t, std::vector<DependenceNode>> flows_; // by event: what flows into its value
  absl::flat_hash_map<std::uint32_t, DependenceNode> later_;              // by site: what may flow into its stores
  DependenceNode anything_ = kNoNode;                                     // all that may still flow somewhere
  DependenceNode everything_ = kNoNode;                                   // all free reads so far
};

} // namespace

StepDependence flow_dependence_of(const trace::Trace& trace, const Computation& computation,
                                  const Locations& locations) {
  if (!trace.is_fit_for_flows() || trace.static_facts.flows.reads.empty()) return {};
  std::vector<std::vector<std::uint32_t>> of_thread(trace.threads.size());
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) of_thread[trace.events[i].thread].push_back(i);
  FreeReads free(trace);
  for (const std::vector<std::uint32_t>& events : of_thread) free.look_at(events);
  return free.none() ? StepDependence{} : FlowWalk(trace, computation, locations, free).run(of_thread);
}

} // namespace sooth::causality
