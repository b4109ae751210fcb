#include "causality/dependence/sliced_graph.h"

#include <algorithm>
#include <map>

#include "causality/computation/locations.h"
#include "causality/dependence/activations.h"
#include "causality/dependence/memory_nodes.h"
#include "trace/effects.h"

namespace sooth::causality {
namespace {

using trace::Event;
using trace::EventKind;
using trace::SiteFacts;
using trace::SiteRole;

constexpr std::uint32_t kNothing = 0xffffffff;

class SliceWalk {
public:
  SliceWalk(const trace::Trace& trace, const Computation& computation, trace::ControlStrength strength)
      : trace_(trace), facts_(trace.static_facts), computation_(computation),
        strength_(static_cast<unsigned>(strength)), index_(facts_), locations_(trace), scopes_(facts_.sites.size()) {
    for (std::uint32_t t = 0; t < trace.threads.size(); ++t) {
      const auto join_here = [this, t](std::span<const std::uint32_t> nodes) {
        return join(t, {nodes.begin(), nodes.end()});
      };
      threads_.emplace_back(index_, Activations::Graph{join_here, [this, t] { return threads_[t].everything; }, true});
    }
  }

  SlicedGraph run() {
    out_.node_of_event.resize(trace_.events.size());
    out_.locks_of_event.resize(trace_.events.size());
    for (std::uint32_t i = 0; i < trace_.events.size(); ++i) look_at(i);
    return std::move(out_);
  }

private:
  struct Thread {
    Thread(const FactIndex& index, Activations::Graph graph) : activations(index, std::move(graph)) {}
    Activations activations;
    std::map<std::uint64_t, std::pair<std::uint32_t, std::uint32_t>> locks; // lock -> depth, node of the acquire
    std::uint32_t everything = kNothing;                                    // all that was read so far
    std::uint32_t waited =
        kNothing; // the latest event that waited for another thread: nothing behind it is there without it
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
    add(node.control, decider(thread.activations, site));
    for (const auto& [lock, held] : thread.locks) {
      add(node.control, held.second);
      out_.locks_of_event[number].push_back(held.second);
    }
    bool waited = false;
    const StepId step = computation_.step_of_event[number];
    if (step != kNoStep && computation_.steps[step].event == number) {
      const auto [from, to] = std::ranges::equal_range(computation_.recorded_orders(), step, {}, &Order::second);
      for (auto order = from; order != to; ++order)
        if (const std::uint32_t first = computation_.steps[order->first].event; first < number) {
          add(node.control, out_.node_of_event[first]);
          waited = true;
        }
    }
    add(node.control, thread.waited);
    if (facts.role == SiteRole::None) add(node.control, thread.everything);
    if (facts.role == SiteRole::Call) {
      add(node.control, thread.activations.value_of(facts.target));
      if (!enters)
        for (const trace::SourceSet argument : facts.arguments)
          add(node.control, thread.activations.value_of(argument));
    }
    add(node.control, thread.activations.value_of(facts.address));
    add(node.data, thread.activations.value_of(facts.condition));
    if (reads_memory(e.kind)) read(e, facts, thread, node);
    if (writes_memory(e.kind)) add(node.data, thread.activations.value_of(facts.value));
    const LocationRange range = locations_.of(number);
    for (std::uint32_t l = range.first; l < range.first + range.count; ++l) node.variables.push_back(l);
    node.reads = reads_memory(e.kind);
    node.writes = writes_memory(e.kind);

    const auto made = static_cast<std::uint32_t>(out_.nodes.size());
    out_.nodes.push_back(std::move(node));
    out_.node_of_event[number] = made;
    if (waited) thread.waited = made;
    follow(e, made, thread);
  }

  void read(const Event& e, const SiteFacts& facts, const Thread& thread, SlicedNode& node) {
    memory_.read(e.address, e.size, node.data);                            // case 2
    for (const std::uint32_t decided : facts_.members(facts.other_writes)) // case 3
      add(node.data, thread.activations.latest(decided));
  }

  // The event's effect on those that follow.
  void follow(const Event& e, std::uint32_t node, Thread& thread) {
    thread.activations.note_event(e.site, node);
    if (writes_memory(e.kind)) memory_.write(e.address, e.size, node);
    if (reads_memory(e.kind)) {
      thread.activations.note_read(e.site, node);
      thread.everything = join(e.thread, {thread.everything, node});
    }
    switch (e.kind) {
    case EventKind::Enter: return thread.activations.enter(e, node);
    case EventKind::Exit: return thread.activations.leave(e.value, [](std::uint32_t) {});
    default: break;
    }
    for_lock_move(
        e,
        [&](const trace::Affected& lock) {
          if (auto& [depth, acquire] = thread.locks[lock.address]; depth++ == 0) acquire = node;
        },
        [&](const trace::Affected& lock) {
          const auto found = thread.locks.find(lock.address);
          if (found != thread.locks.end() && (lock.whole || --found->second.first == 0)) thread.locks.erase(found);
        });
  }

  // Definition 2: the latest event in whose scope the site is. Scopes are closed.
  std::uint32_t decider(const Activations& here, std::uint32_t site) {
    std::uint32_t latest = here.begun_by();
    for (const std::uint32_t parent : scope(site))
      if (const std::uint32_t found = here.latest(parent); found != kNothing)
        latest = latest == kNothing ? found : std::max(latest, found);
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
    if (node != kNothing) to.push_back(node);
  }
  std::uint32_t join(std::uint32_t thread, std::vector<std::uint32_t> nodes) {
    std::erase(nodes, kNothing);
    std::ranges::sort(nodes);
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    if (nodes.empty()) return kNothing;
    if (nodes.size() == 1) return nodes.front();
    SlicedNode node;
    node.thread = thread;
    node.event = false;
    node.data = std::move(nodes);
    out_.nodes.push_back(std::move(node));
    return static_cast<std::uint32_t>(out_.nodes.size() - 1);
  }
  struct Scope {
    bool known = false;
    std::vector<std::uint32_t> sites;
  };
  const trace::Trace& trace_;
  const trace::StaticFacts& facts_;
  const Computation& computation_;
  const unsigned strength_;
  const FactIndex index_;
  const Locations locations_;
  std::vector<Scope> scopes_; // by site
  std::vector<Thread> threads_;
  MemoryNodes memory_; // here of all memory: the node that wrote it last
  SlicedGraph out_;
};

} // namespace

SlicedGraph sliced_graph(const trace::Trace& trace, const Computation& computation, trace::ControlStrength strength) {
  return SliceWalk(trace, computation, strength).run();
}

} // namespace sooth::causality
