#include "causality/sliced_graph.h"

#include <algorithm>
#include <map>

#include <absl/container/flat_hash_map.h>

#include "causality/locations.h"
#include "causality/memory_nodes.h"

namespace sooth::causality {
namespace {

using trace::Event;
using trace::EventKind;
using trace::SiteFacts;
using trace::SiteRole;
using trace::Source;
using trace::SourceKind;

constexpr std::uint32_t kNone = 0xffffffff;

class Walk {
public:
  Walk(const trace::Trace& trace, const Computation& computation, trace::ControlStrength strength)
      : trace_(trace), facts_(trace.static_facts), computation_(computation),
        strength_(static_cast<unsigned>(strength)), locations_(trace), scopes_(facts_.sites.size()),
        threads_(trace.threads.size()) {
    for (std::uint32_t f = 0; f < facts_.functions.size(); ++f)
      if (facts_.functions[f].site != 0) functions_[facts_.functions[f].site] = f;
    for (Thread& thread : threads_) thread.stack.emplace_back();
  }

  SlicedGraph run() {
    out_.node_of_event.resize(trace_.events.size());
    out_.locks_of_event.resize(trace_.events.size());
    for (std::uint32_t i = 0; i < trace_.events.size(); ++i) look_at(i);
    return std::move(out_);
  }

private:
  struct Instances {
    std::uint32_t latest = kNone, every = kNone;
  };
  struct Activation {
    std::uint32_t function = kNone;
    std::uint32_t call_site = 0;
    std::uint32_t begun_by = kNone; // the node of its `enter`
    bool caller_known = false;
    std::vector<std::uint32_t> parameters;
    absl::flat_hash_map<std::uint32_t, Instances> loads, results;
    absl::flat_hash_map<std::uint32_t, std::uint32_t> latest; // by site: any event
  };
  struct Thread {
    std::vector<Activation> stack;
    std::map<std::uint64_t, std::pair<std::uint32_t, std::uint32_t>> locks; // lock -> depth, node of the acquire
    std::uint32_t everything = kNone;                                       // all that was read so far
  };

  void look_at(std::uint32_t number) {
    const Event& e = trace_.events[number];
    Thread& thread = threads_[e.thread];
    const bool enters = e.kind == EventKind::Enter;
    const std::uint32_t site =
        enters ? static_cast<std::uint32_t>(e.value) : e.site; // an `enter` is there if its call is
    const SiteFacts& facts = facts_.of(site);
    SlicedNode node;
    node.thread = e.thread;
    add(node.control, decider(thread.stack.back(), site));
    for (const auto& [lock, held] : thread.locks) {
      add(node.control, held.second);
      out_.locks_of_event[number].push_back(held.second);
    }
    const StepId step = computation_.step_of_event[number];
    if (step != kNoStep && computation_.steps[step].event == number) {
      const auto [from, to] = std::ranges::equal_range(computation_.orders, step, {}, &Order::second);
      for (auto order = from; order != to; ++order)
        if (const std::uint32_t first = computation_.steps[order->first].event; first < number)
          add(node.control, out_.node_of_event[first]);
    }
    if (facts.role == SiteRole::None) add(node.control, thread.everything);
    if (facts.role == SiteRole::Call) {
      add(node.control, value_of(facts.target, e.thread));
      if (!enters)
        for (const trace::SourceSet argument : facts.arguments) add(node.control, value_of(argument, e.thread));
    }
    add(node.control, value_of(facts.address, e.thread));
    add(node.data, value_of(facts.condition, e.thread));
    if (reads_memory(e.kind)) read(e, facts, thread, node);
    if (writes_memory(e.kind)) add(node.data, value_of(facts.value, e.thread));
    const LocationRange range = locations_.of(number);
    for (std::uint32_t l = range.first; l < range.first + range.count; ++l) node.variables.push_back(l);
    node.reads = reads_memory(e.kind);
    node.writes = writes_memory(e.kind);

    const auto made = static_cast<std::uint32_t>(out_.nodes.size());
    out_.nodes.push_back(std::move(node));
    out_.node_of_event[number] = made;
    follow(e, made, thread);
  }

  void read(const Event& e, const SiteFacts& facts, const Thread& thread, SlicedNode& node) {
    memory_.read(e.address, e.size, node.data); // case 2
    const Activation& here = thread.stack.back();
    for (const std::uint32_t decided : facts_.members(facts.other_writes)) // case 3
      if (const auto found = here.latest.find(decided); found != here.latest.end()) add(node.data, found->second);
  }

  // What the event changes for those that follow.
  void follow(const Event& e, std::uint32_t node, Thread& thread) {
    thread.stack.back().latest[e.site] = node;
    if (writes_memory(e.kind))
      memory_.write(e.address, e.size, node, [&](std::uint32_t a, std::uint32_t b) { return join(e.thread, {a, b}); });
    if (reads_memory(e.kind)) {
      note(thread.stack.back().loads[e.site], e.thread, node);
      thread.everything = join(e.thread, {thread.everything, node});
    }
    switch (e.kind) {
    case EventKind::Enter: return enter(e, node, thread);
    case EventKind::Exit: return leave(e, thread);
    case EventKind::Acquire:
    case EventKind::AcquireShared:
      if (e.has(trace::kFailed)) return;
      if (auto& [depth, acquire] = thread.locks[e.address]; depth++ == 0) acquire = node;
      return;
    case EventKind::Release:
    case EventKind::ReleaseShared:
      if (const auto found = thread.locks.find(e.address); found != thread.locks.end() && --found->second.first == 0)
        thread.locks.erase(found);
      return;
    case EventKind::Wait: thread.locks.erase(e.value); return;
    case EventKind::Wake: thread.locks[e.value] = {1, node}; return;
    default: return;
    }
  }

  void enter(const Event& e, std::uint32_t node, Thread& thread) {
    Activation callee;
    callee.call_site = static_cast<std::uint32_t>(e.value);
    callee.begun_by = node;
    if (const auto found = functions_.find(e.site); found != functions_.end()) callee.function = found->second;
    const SiteFacts& call = facts_.of(callee.call_site);
    callee.caller_known = call.role == SiteRole::Call && call.function == thread.stack.back().function;
    if (callee.caller_known)
      for (const trace::SourceSet argument : call.arguments) callee.parameters.push_back(value_of(argument, e.thread));
    thread.stack.push_back(std::move(callee));
  }

  void leave(const Event& e, Thread& thread) {
    while (thread.stack.size() > 1 && thread.stack.size() > e.value + 1) {
      const Activation& callee = thread.stack.back();
      const std::uint32_t result =
          callee.function == kNone ? thread.everything : value_of(facts_.functions[callee.function].result, e.thread);
      const std::uint32_t site = callee.call_site;
      const bool known = callee.caller_known;
      thread.stack.pop_back();
      if (known) note(thread.stack.back().results[site], e.thread, result);
    }
  }

  // Definition 2: the latest event in whose scope the site is. Scopes are closed.
  std::uint32_t decider(const Activation& here, std::uint32_t site) {
    std::uint32_t latest = here.begun_by;
    for (const std::uint32_t parent : scope(site))
      if (const auto found = here.latest.find(parent); found != here.latest.end())
        latest = latest == kNone ? found->second : std::max(latest, found->second);
    return latest;
  }
  // All sites on which it depends, directly or not, that the site is reached.
  const std::vector<std::uint32_t>& scope(std::uint32_t site) {
    static const std::vector<std::uint32_t> nothing;
    if (site >= scopes_.size()) return nothing;
    if (scopes_[site].known) return scopes_[site].sites;
    std::vector<std::uint32_t> all, waiting = {site};
    while (!waiting.empty()) {
      const std::uint32_t here = waiting.back();
      waiting.pop_back();
      for (const std::uint32_t parent : facts_.members(facts_.of(here).control[strength_]))
        if (std::ranges::find(all, parent) == all.end()) {
          all.push_back(parent);
          waiting.push_back(parent);
        }
    }
    scopes_[site] = {true, std::move(all)};
    return scopes_[site].sites;
  }

  static void add(std::vector<std::uint32_t>& to, std::uint32_t node) {
    if (node != kNone) to.push_back(node);
  }
  std::uint32_t join(std::uint32_t thread, std::vector<std::uint32_t> nodes) {
    std::erase(nodes, kNone);
    std::ranges::sort(nodes);
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    if (nodes.empty()) return kNone;
    if (nodes.size() == 1) return nodes.front();
    SlicedNode node;
    node.thread = thread;
    node.event = false;
    node.data = std::move(nodes);
    out_.nodes.push_back(std::move(node));
    return static_cast<std::uint32_t>(out_.nodes.size() - 1);
  }
  void note(Instances& instances, std::uint32_t thread, std::uint32_t node) {
    instances.latest = node;
    instances.every = join(thread, {instances.every, node});
  }

  std::uint32_t value_of(trace::SourceSet set, std::uint32_t thread) {
    if (set == 0) return kNone;
    const Activation& here = threads_[thread].stack.back();
    std::vector<std::uint32_t> parts;
    const auto instances = [&](const absl::flat_hash_map<std::uint32_t, Instances>& of, const Source& source) {
      if (const auto found = of.find(source.index); found != of.end())
        parts.push_back(source.every ? found->second.every : found->second.latest);
    };
    for (const Source& source : facts_.sources(set)) {
      switch (source.kind) {
      case SourceKind::Load: instances(here.loads, source); break;
      case SourceKind::CallResult: instances(here.results, source); break;
      case SourceKind::Parameter:
        if (source.index < here.parameters.size()) parts.push_back(here.parameters[source.index]);
        break;
      case SourceKind::Branch:
        if (const auto found = here.latest.find(source.index); found != here.latest.end())
          parts.push_back(found->second);
        break;
      case SourceKind::Unknown: parts.push_back(threads_[thread].everything); break;
      }
    }
    return join(thread, std::move(parts));
  }

  struct Scope {
    bool known = false;
    std::vector<std::uint32_t> sites;
  };
  const trace::Trace& trace_;
  const trace::StaticFacts& facts_;
  const Computation& computation_;
  const unsigned strength_;
  const Locations locations_;
  absl::flat_hash_map<std::uint32_t, std::uint32_t> functions_; // by site
  std::vector<Scope> scopes_;                                   // by site
  std::vector<Thread> threads_;
  MemoryNodes memory_; // here of all memory: the node that wrote it last
  SlicedGraph out_;
};

} // namespace

SlicedGraph sliced_graph(const trace::Trace& trace, const Computation& computation, trace::ControlStrength strength) {
  return Walk(trace, computation, strength).run();
}

} // namespace sooth::causality
