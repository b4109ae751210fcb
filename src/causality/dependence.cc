#include "causality/dependence.h"

#include <algorithm>

#include <absl/container/flat_hash_map.h>

#include "causality/locations.h"
#include "causality/memory_nodes.h"
#include "causality/step_dependence_builder.h"

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

constexpr DependenceNode kNoNode = StepDependence::kNoNode;

bool is_access(EventKind kind) { return reads_memory(kind) || writes_memory(kind); }

// What the instances of a site gave, in one activation.
struct Instances {
  DependenceNode latest = kNoNode;
  DependenceNode every = kNoNode;
};

struct Activation {
  std::uint32_t function = kNoFunction;
  std::uint32_t call_site = 0;
  bool caller_known = false; // the call site is one of the activation below
  std::vector<DependenceNode> parameters;
  absl::flat_hash_map<std::uint32_t, Instances> loads, results; // by site

  static constexpr std::uint32_t kNoFunction = 0xffffffff;
};

class Walk {
public:
  Walk(const trace::Trace& trace, const Computation& computation)
      : trace_(trace), facts_(trace.static_facts), locations_(trace), builder_(trace, computation),
        every_(facts_.sites.size()), of_thread_(trace.threads.size()) {
    for (std::uint32_t f = 0; f < facts_.functions.size(); ++f) functions_[facts_.functions[f].site] = f;
    for (const auto& set : facts_.source_sets)
      for (const Source& source : set)
        if (source.every && source.index < every_.size()) every_[source.index] = true;
    for (std::uint32_t i = 0; i < trace.events.size(); ++i) of_thread_[trace.events[i].thread].push_back(i);
  }

  StepDependence run() {
    for (const std::vector<std::uint32_t>& events : of_thread_) {
      stack_.assign(1, {});
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
    // Synchronisation from a place that nobody knows; starts and ends of threads and of their stacks have none.
    switch (e.kind) {
    case EventKind::ThreadStart:
    case EventKind::ThreadEnd:
    case EventKind::StackBegin:
    case EventKind::StackEnd:
    case EventKind::SignalEnter:
    case EventKind::SignalExit:
    case EventKind::Fence: return;
    default: builder_.decided_by(everything());
    }
  }

  // --- calls ---
  void enter(const Event& e) {
    Activation callee;
    callee.call_site = static_cast<std::uint32_t>(e.value);
    if (const auto found = functions_.find(e.site); found != functions_.end() && e.site != 0)
      callee.function = found->second;
    const SiteFacts& call = facts_.of(callee.call_site);
    callee.caller_known = call.role == SiteRole::Call && call.function == stack_.back().function;
    if (callee.caller_known) {
      builder_.decided_by(value_of(call.target));
      for (const SourceSet argument : call.arguments) callee.parameters.push_back(value_of(argument));
    }
    stack_.push_back(std::move(callee));
  }

  void leave(std::uint64_t remaining) {
    while (stack_.size() > 1 && stack_.size() > remaining + 1) {
      const Activation& callee = stack_.back();
      const bool known = callee.function != Activation::kNoFunction;
      const DependenceNode result = known ? value_of(facts_.functions[callee.function].result) : everything();
      const std::uint32_t site = callee.call_site;
      const bool caller_known = callee.caller_known;
      stack_.pop_back();
      if (caller_known) note(stack_.back().results[site], site, result);
      else builder_.decided_by(result); // to code that we do not see, or to whoever joins the thread
    }
  }

  void branch(const Event& e, const SiteFacts& facts, const Event* next) {
    switch (facts.role) {
    case SiteRole::Branch:
    case SiteRole::Trap: builder_.decided_by(value_of(facts.condition)); break;
    case SiteRole::Call:
      if (next != nullptr && next->kind == EventKind::Enter && next->value == e.site) {
        builder_.decided_by(value_of(facts.target));
        break;
      }
      decide_arguments(facts);
      // Code without hooks may look at whatever this thread has left in memory.
      if (facts.effect == CallEffect::Reads || facts.effect == CallEffect::Other) builder_.decided_by(everything());
      break;
    default: builder_.decided_by(everything());
    }
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
      if (alone)
        private_.write(e.address, e.size, value, [&](DependenceNode a, DependenceNode b) { return join(a, b); });
    }
    if (!reads) return;
    note(stack_.back().loads[e.site], e.site, seen);
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

  void note(Instances& instances, std::uint32_t site, DependenceNode node) {
    instances.latest = node;
    if (site < every_.size() && every_[site]) instances.every = join(instances.every, node);
  }

  DependenceNode value_of(SourceSet set) {
    if (set == 0) return kNoNode;
    std::vector<DependenceNode> parts;
    const Activation& here = stack_.back();
    const auto add = [&](const absl::flat_hash_map<std::uint32_t, Instances>& of, const Source& source) {
      const auto found = of.find(source.index);
      if (found != of.end()) parts.push_back(source.every ? found->second.every : found->second.latest);
    };
    for (const Source& source : facts_.sources(set)) {
      switch (source.kind) {
      case SourceKind::Load: add(here.loads, source); break;
      case SourceKind::CallResult: add(here.results, source); break;
      case SourceKind::Parameter:
        if (source.index < here.parameters.size()) parts.push_back(here.parameters[source.index]);
        break;
      case SourceKind::Branch: break; // it decides, so it went the way it did
      case SourceKind::Unknown: parts.push_back(everything()); break;
      }
    }
    return builder_.depends_on(parts);
  }

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
  const Locations locations_;
  StepDependenceBuilder builder_;
  absl::flat_hash_map<std::uint32_t, std::uint32_t> functions_; // by site
  std::vector<bool> every_;                                     // by site: somebody asks for all of its instances
  std::vector<std::vector<std::uint32_t>> of_thread_;

  // Of the thread that is looked at.
  std::vector<Activation> stack_; // [0] is what called the first function
  MemoryNodes private_;
  absl::flat_hash_map<std::uint32_t, Copied> copied_; // by site
  std::vector<DependenceNode> reads_;                 // since everything_ was made
  DependenceNode everything_ = kNoNode;
};

} // namespace

StepDependence dependence_of(const trace::Trace& trace, const Computation& computation) {
  if (!trace.is_fit_for_dependence()) return {};
  return Walk(trace, computation).run();
}

} // namespace sooth::causality
