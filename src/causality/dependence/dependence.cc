#include "causality/dependence/dependence.h"

#include <algorithm>
#include <optional>

#include <absl/container/flat_hash_map.h>

#include "causality/computation/locations.h"
#include "causality/dependence/activations.h"
#include "causality/dependence/flow_dependence.h"
#include "causality/dependence/memory_nodes.h"
#include "causality/dependence/step_dependence_builder.h"
#include "trace/kind_groups.h"

namespace sooth::causality {
namespace {

using trace::CallEffect;
using trace::Event;
using trace::EventKind;
using trace::SiteFacts;
using trace::SiteRole;
using trace::Source;
using trace::SourceKind;
using trace::SourceSet;

class DependenceWalk {
public:
  DependenceWalk(const trace::Trace& trace, const Computation& computation, const Locations& locations)
      : trace_(trace), facts_(trace.static_facts), index_(facts_), locations_(locations), builder_(trace, computation),
        of_thread_(trace.threads.size()) {
    for (std::uint32_t i = 0; i < trace.events.size(); ++i) of_thread_[trace.events[i].thread].push_back(i);
  }

  StepDependence run() {
    for (const std::vector<std::uint32_t>& events : of_thread_) {
      activations_.emplace(index_, Activations::Graph{[this](std::span<const DependenceNode> nodes) {
                                                        return builder_.depends_on(nodes);
                                                      },
                                                      [this] { return everything(); }, false});
      private_ = {};
      everything_ = kNoNode;
      reads_.clear();
      copied_.clear();
      for (std::size_t i = 0; i < events.size(); ++i) {
        builder_.begin_event(events[i]);
        look_at(events[i], i + 1 < events.size() ? &trace_.events[events[i + 1]] : nullptr);
      }
    }
    return builder_.finish();
  }

private:
  void look_at(std::uint32_t event, const Event* next) {
    const Event& e = trace_.events[event];
    const SiteFacts& facts = facts_.of(e.site);
    switch (e.kind) {
    case EventKind::Enter: return enter(e);
    case EventKind::Exit: return leave(e.value);
    case EventKind::Branch: return branch(e, facts, next);
    case EventKind::ExternalWrite: return; // nobody's
    default: break;
    }
    if (is_access(e.kind)) return access(event, e, facts);
    if (facts.role == SiteRole::Call) return decide_arguments(facts);
    // Synchronisation from a place that nobody knows; starts and ends of threads and of their
    // stacks have none. Marks of blocks do nothing: that the thread comes by is for branches to
    // decide.
    switch (e.kind) {
    case EventKind::ThreadStart:
    case EventKind::ThreadEnd:
    case EventKind::StackBegin:
    case EventKind::StackEnd:
    case EventKind::SignalEnter:
    case EventKind::SignalExit:
    case EventKind::AtomicBegin:
    case EventKind::AtomicEnd:
    case EventKind::Fence: return;
    default: builder_.decided_by(everything());
    }
  }

  // --- calls ---
  void enter(const Event& e) {
    if (index_.is_called_directly(e))
      builder_.decided_by(value_of(facts_.of(static_cast<std::uint32_t>(e.value)).target));
    activations_->enter(e, kNoNode);
  }
  void leave(std::uint64_t remaining) {
    // To code that we do not see, or to the thread that joins this one.
    activations_->leave(remaining, [this](DependenceNode result) { builder_.decided_by(result); });
  }

  void branch(const Event& e, const SiteFacts& facts, const Event* next) {
    if (facts.role == SiteRole::None) return builder_.decided_by(everything());
    const bool has_hooks = facts.role == SiteRole::Call && next != nullptr && next->kind == EventKind::Enter &&
                           next->value == e.site && index_.is_called_directly(*next);
    if (has_hooks) return;
    builder_.decided_by(value_of(facts.condition));
    // Code without hooks may look at whatever this thread has left in memory.
    if (facts.role == SiteRole::Call && (facts.effect == CallEffect::Reads || facts.effect == CallEffect::Other))
      builder_.decided_by(everything());
  }

  void decide_arguments(const SiteFacts& facts) {
    builder_.decided_by(value_of(facts.target));
    for (const SourceSet argument : facts.arguments) builder_.decided_by(value_of(argument));
  }

  // --- memory ---
  void access(std::uint32_t event, const Event& e, const SiteFacts& facts) {
    const bool reads = reads_memory(e.kind), writes = writes_memory(e.kind);
    std::uint64_t shared_bytes = 0;
    const LocationRange range = locations_.of(event);
    for (std::uint32_t l = range.first; l < range.first + range.count; ++l)
      shared_bytes += locations_.pieces()[l].bytes;
    const bool shared = range.count != 0, alone = shared_bytes < e.size;

    const bool copies = facts.role == SiteRole::Copy || names_itself(facts.value, e.site);
    if (facts.role == SiteRole::Call) decide_arguments(facts);
    else if (facts.role == SiteRole::None) builder_.decided_by(everything());
    else builder_.decided_by(value_of(facts.address));
    builder_.decided_by(value_of(facts.condition));

    DependenceNode seen = kNoNode;
    if (reads) {
      std::vector<DependenceNode> parts;
      if (alone) private_.read(e.address, e.size, parts);
      if (shared) parts.push_back(builder_.what_it_reads());
      seen = builder_.depends_on(parts);
      const bool to_the_unseen = facts.role == SiteRole::None || (facts.role == SiteRole::Call && !copies);
      // A compare-exchange compares what it reads.
      if (to_the_unseen ||
          (facts.role == SiteRole::Update && (facts.condition != 0 || e.kind == EventKind::AtomicRead)))
        builder_.decided_by_what_follows(seen);
    }
    if (writes) {
      DependenceNode value = facts.role == SiteRole::None ? kNoNode : value_of(facts.value); // all it read was kept
      if (reads) value = join(value, seen);
      if (copies) {
        value = join(value, copied_[e.site].node);
        copied_[e.site].written = true;
      }
      builder_.writes_from(value, shared);
      if (alone) private_.write(e.address, e.size, value);
    } else {
      builder_.value_of_event_is(seen);
    }
    if (!reads) return;
    activations_->note_read(e.site, seen);
    if (seen != kNoNode) reads_.push_back(seen);
    if (copies && !writes) {
      Copied& copied = copied_[e.site];
      copied.node = copied.written ? seen : join(copied.node, seen);
      copied.written = false;
    }
  }

  bool names_itself(SourceSet set, std::uint32_t site) const {
    return std::ranges::any_of(facts_.sources(set), [&](const Source& source) {
      return source.kind == SourceKind::Load && source.index == site;
    });
  }

  // --- values ---
  DependenceNode join(DependenceNode a, DependenceNode b) {
    const DependenceNode both[] = {a, b};
    return builder_.depends_on(both);
  }

  DependenceNode value_of(SourceSet set) { return activations_->value_of(set); }

  // All that the thread has read so far.
  DependenceNode everything() {
    if (reads_.empty()) return everything_;
    reads_.push_back(everything_);
    everything_ = builder_.depends_on(reads_);
    reads_.clear();
    return everything_;
  }

  struct Copied { // what a copy has read and not written yet
    DependenceNode node = kNoNode;
    bool written = false;
  };

  const trace::Trace& trace_;
  const trace::StaticFacts& facts_;
  const FactIndex index_;
  const Locations& locations_;
  StepDependenceBuilder builder_;
  std::vector<std::vector<std::uint32_t>> of_thread_;

  // Of the thread that is looked at.
  std::optional<Activations> activations_;
  MemoryNodes private_;
  absl::flat_hash_map<std::uint32_t, Copied> copied_; // by site
  std::vector<DependenceNode> reads_;                 // since everything_ was made
  DependenceNode everything_ = kNoNode;
};

} // namespace

StepDependence dependence_of(const trace::Trace& trace, const Computation& computation, const Locations& locations) {
  if (!trace.is_fit_for_dependence()) return flow_dependence_of(trace, computation, locations);
  return DependenceWalk(trace, computation, locations).run();
}

} // namespace sooth::causality
