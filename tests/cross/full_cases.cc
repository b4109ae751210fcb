#include "full_cases.h"

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "trace/program/static_stores.h"
#include "traces.h"

namespace sooth::cross {
namespace {

using trace::Event;
using trace::EventKind;
using trace::FlowStore;
using trace::SiteRole;
using trace::StaticFactsBuilder;
using trace::ValueFlow;

std::vector<trace::Source> sources_of(const trace::Trace& trace, const std::set<std::uint32_t>& reads) {
  std::vector<trace::Source> out;
  for (const std::uint32_t read : reads) out.push_back(StaticFactsBuilder::load(trace.events[read].site));
  return out;
}

SiteRole role_of(const Event& e) {
  switch (e.kind) {
  case EventKind::Branch: return SiteRole::Branch;
  case EventKind::Read:
  case EventKind::AtomicRead: return SiteRole::Load;
  case EventKind::Write:
  case EventKind::AtomicWrite: return SiteRole::Store;
  case EventKind::AtomicRmw: return SiteRole::Update;
  default: return SiteRole::Call;
  }
}

// The events of its thread behind the event.
std::vector<std::uint32_t> behind(const trace::Trace& trace, std::uint32_t event) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = event + 1; i < trace.events.size(); ++i)
    if (trace.events[i].thread == trace.events[event].thread) out.push_back(i);
  return out;
}

bool is_plain(const Event& e) {
  return (e.kind == EventKind::Read || e.kind == EventKind::Write) && (e.flags & ~trace::kTicket) == 0;
}

// Stores of its thread may be missing before it.
bool hides(const Event& e) {
  return (e.marks & trace::kBehindOmitted) != 0 || (e.kind == EventKind::Write && e.site == 0) ||
         ((e.kind == EventKind::Read || e.kind == EventKind::Write) && (e.has(trace::kHeld) || e.has(trace::kMerged)));
}

// After it, or after a later join, a thread is alone, and its reads may be missing.
bool leaves_alone(const trace::Trace& trace, std::uint32_t event) {
  const auto all_joined = [&](std::uint32_t join) { // by then
    if (trace.events[join].kind != EventKind::Join || trace.events[join].has(trace::kFailed)) return false;
    std::int64_t left = 0;
    for (std::uint32_t i = 0; i <= join; ++i) {
      if (trace.events[i].kind == EventKind::Fork) ++left;
      if (trace.events[i].kind == EventKind::Join && !trace.events[i].has(trace::kFailed)) --left;
    }
    return left <= 0;
  };
  if (trace.events[event].kind != EventKind::ThreadEnd) return all_joined(event);
  for (std::uint32_t i = event; i < trace.events.size(); ++i)
    if (all_joined(i)) return true;
  return false;
}

bool has_owners(const trace::Trace& trace) { return trace.defect(trace::Defect::OwnedBlocks) != 0; }

bool in_a_variable(const trace::Trace& trace, const Event& e) {
  return std::ranges::any_of(trace.globals, [&](const trace::Global& g) {
    return e.address >= g.address && e.address + e.size <= g.address + g.bytes;
  });
}

// Two threads had the block at one time: nobody owns it afterwards.
bool in_a_shared_block(const trace::Trace& trace, std::uint32_t store) {
  const auto block = [&](std::uint32_t i) { return trace.events[i].address / trace::kOwnedBytes; };
  const auto same = [&](std::uint32_t i) {
    return is_plain(trace.events[i]) && trace.events[i].site != 0 && block(i) == block(store);
  };
  const std::uint32_t thread = trace.events[store].thread;
  for (std::uint32_t own = 0; own <= store; ++own) {
    if (!same(own) || trace.events[own].thread != thread) continue;
    for (std::uint32_t i = own; i-- > 0;) {
      if (trace.events[i].thread == thread && trace.events[i].kind == EventKind::Join) break;
      const bool begun = std::ranges::any_of(trace.events.begin(), trace.events.begin() + i,
                                             [&](const Event& e) { return e.thread == thread; });
      if (same(i) && trace.events[i].thread != thread && begun) return true;
    }
  }
  return false;
}

// docs/sliced.md: each of its stores is there, once, before anything but plain accesses, and before the read's site again.
// Empty: it decides.
std::set<std::uint32_t> stores_of(const trace::Trace& trace, std::uint32_t read) {
  const Event& e = trace.events[read];
  const ValueFlow* flow = trace.static_facts.flows.of(e.site);
  if (!flow || flow->is_update || flow->stores.empty() || flow->bytes != e.size) return {};
  if (!is_plain(e) || e.kind != EventKind::Read) return {};
  std::vector<std::uint32_t> plain = behind(trace, read);
  plain.erase(std::ranges::find_if(plain,
                                   [&](std::uint32_t i) {
                                     const Event& other = trace.events[i];
                                     return !is_plain(other) || (other.kind == EventKind::Read && other.site == e.site);
                                   }),
              plain.end());
  std::set<std::uint32_t> found;
  for (const FlowStore& store : flow->stores) {
    const auto matches = [&](std::uint32_t i) {
      const Event& w = trace.events[i];
      const bool same = w.address == e.address && w.size == e.size;
      return w.kind == EventKind::Write && w.site == store.site && (same || !store.same_bytes);
    };
    const auto first = std::ranges::find_if(plain, matches);
    if (first == plain.end()) return {};
    if (has_owners(trace) && !in_a_variable(trace, trace.events[*first]) && !in_a_shared_block(trace, *first))
      return {};
    found.insert(*first);
  }
  for (const std::uint32_t i : plain) { // none of them a second time
    if (i > *found.rbegin()) break;
    const Event& w = trace.events[i];
    for (const FlowStore& store : flow->stores)
      if (w.kind == EventKind::Write && w.site == store.site && !found.contains(i) &&
          (!store.same_bytes || (w.address == e.address && w.size == e.size)))
        return {};
  }
  return found;
}

// docs/sliced.md, second rule: the sites of all stores that the read may ever reach. Null: it
// decides, or the first rule holds.
const std::vector<std::uint32_t>* later_stores_of(const trace::Trace& trace, std::uint32_t read) {
  const Event& e = trace.events[read];
  const ValueFlow* flow = trace.static_facts.flows.of(e.site);
  if (!flow || flow->bytes != e.size || flow->sinks.decides || (e.marks & trace::kOtherSites) != 0) return nullptr;
  const bool loads = e.kind == EventKind::AtomicRead || (e.kind == EventKind::Read && is_plain(e));
  if (flow->is_update ? e.kind != EventKind::AtomicRmw : !loads) return nullptr;
  for (const std::uint32_t site : flow->sinks.stores)
    if ((site < trace.sieved_stores.size() && trace.sieved_stores[site]) ||
        (has_owners(trace) && std::ranges::count(trace.static_facts.flows.passed.back().sinks.stores, site) == 0))
      return nullptr;
  for (std::uint32_t i = read + 1;
       i-- > 0;) { // back to the beginning of the segment, or to where something may be missing
    const Event& before = trace.events[i];
    if (before.thread != e.thread) continue;
    const bool locks =
        (before.kind == EventKind::Acquire || before.kind == EventKind::Release) && !before.has(trace::kFailed);
    if (locks || before.kind == EventKind::AtomicRead || before.kind == EventKind::AtomicWrite ||
        before.kind == EventKind::AtomicRmw)
      break;
    if (hides(before)) return nullptr;
  }
  return &flow->sinks.stores;
}

} // namespace

Case random_case(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  RandomShape shape = random_shape(seed);
  shape.events = 8 + seed % 5;
  Case out;
  const trace::Trace plain = random_trace(seed, shape);
  out.trace = plain;
  out.trace.events.clear();
  std::vector<std::vector<std::uint32_t>> reads(plain.threads.size()); // so far, by thread
  const auto some = [&](std::uint32_t thread, unsigned percent) {
    std::set<std::uint32_t> set;
    for (const std::uint32_t read : reads[thread])
      if (random() % 100 < percent) set.insert(read);
    return set;
  };
  const auto add = [&](const Event& e) {
    const auto number = static_cast<std::uint32_t>(out.trace.events.size());
    out.trace.events.push_back(e);
    out.trace.events.back().site = number + 1;
    const bool access = trace::reads_memory(e.kind) || trace::writes_memory(e.kind);
    out.relation.leads.push_back(e.kind == EventKind::Branch ? some(e.thread, 35) : some(e.thread, access ? 5 : 0));
    out.relation.writes.push_back(trace::writes_memory(e.kind) ? some(e.thread, 40) : std::set<std::uint32_t>{});
    out.relation.used.push_back(false);
    if (trace::reads_memory(e.kind)) reads[e.thread].push_back(number);
  };
  for (const Event& e : plain.events) {
    add(e);
    if (random() % 100 >= 30 || reads[e.thread].empty() || e.kind == EventKind::ThreadEnd) continue;
    Event branch;
    branch.kind = EventKind::Branch;
    branch.thread = e.thread;
    add(branch);
  }
  out.trace.sites.resize(out.trace.events.size() + 1);
  for (std::uint32_t i = 0; i < out.trace.sites.size(); ++i) out.trace.sites[i].line = i;

  StaticFactsBuilder facts;
  facts.add_function(0, 0);
  for (std::uint32_t i = 0; i < out.trace.events.size(); ++i) {
    const Event& e = out.trace.events[i];
    trace::SiteFacts& site = facts.add_site(e.site, 0, role_of(e));
    const auto leads = facts.sources(sources_of(out.trace, out.relation.leads[i]));
    if (e.kind == EventKind::Branch) site.condition = leads;
    else site.address = leads;
    site.value = facts.sources(sources_of(out.trace, out.relation.writes[i]));
  }
  out.trace.static_facts = facts.take();
  out.trace.flags |= trace::kForFacts;
  return out;
}

void give_classes(trace::Trace& trace, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  trace::ValueFlows& flows = trace.static_facts.flows;
  flows.modules = flows.modules_main = 1;
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
    const Event& e = trace.events[i];
    if (!trace::reads_memory(e.kind) || random() % 100 >= 75 || flows.of(e.site)) continue;
    ValueFlow flow{
        e.site, random() % 20 ? static_cast<std::uint32_t>(e.size) : 8, e.kind == EventKind::AtomicRmw, true, {}, {}};
    flow.sinks.decides = !flow.is_update && random() % 2 == 0;
    for (const std::uint32_t later : behind(trace, i)) {
      const Event& w = trace.events[later];
      if (w.kind != EventKind::Write || flow.is_update || random() % 100 >= 60) continue;
      const FlowStore store{w.site, w.address == e.address && w.size == e.size && random() % 2 == 0};
      if (std::ranges::find(flow.stores, store.site, &FlowStore::site) == flow.stores.end())
        flow.stores.push_back(store);
      if (random() % 2) break;
    }
    if (!flow.sinks.decides)
      for (const std::uint32_t later : behind(trace, i))
        if (trace::writes_memory(trace.events[later].kind) && random() % 100 < 40)
          flow.sinks.stores.push_back(trace.events[later].site);
    std::ranges::sort(flow.sinks.stores);
    flow.sinks.stores.erase(std::unique(flow.sinks.stores.begin(), flow.sinks.stores.end()), flow.sinks.stores.end());
    if (flow.sinks.decides && flow.stores.empty()) continue;
    flows.reads.push_back(flow);
    std::ranges::sort(flows.reads, {}, &ValueFlow::site);
  }
}

// Blocks were owned; some memory is that of variables, and some stores write nothing else.
void give_owners(trace::Trace& trace, std::mt19937_64& random) {
  trace.defects[static_cast<unsigned>(trace::Defect::OwnedBlocks)] = 1;
  std::set<std::uint64_t> variables;
  for (const Event& e : trace.events)
    if (e.size != 0 && random() % 2 == 0) variables.insert(e.address & ~std::uint64_t{7});
  for (const std::uint64_t address : variables) {
    trace.globals.emplace_back();
    trace.globals.back().address = address;
    trace.globals.back().bytes = 8;
  }
  std::ranges::shuffle(trace.globals, random);
  trace::PassedFlow to_variables{trace::kStaticMemory, {{}, {}, false, false}};
  for (std::uint32_t site = 1; site < trace.sites.size(); ++site)
    if (random() % 2 == 0) to_variables.sinks.stores.push_back(site);
  trace.static_facts.flows.passed.push_back(std::move(to_variables));
}

Case class_case(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  RandomShape shape = random_shape(seed);
  shape.events = 8 + seed % 6;
  Case out;
  out.has_classes = true;
  out.trace = random_trace(seed, shape);
  std::vector<Event>& events = out.trace.events;
  for (std::uint32_t i = 0; i < events.size(); ++i) { // some have the site of an earlier event
    events[i].site = i + 1;
    if (random() % 100 >= 15 || i == 0) continue;
    const Event& earlier = events[random() % i];
    if (earlier.kind == events[i].kind && earlier.thread == events[i].thread) events[i].site = earlier.site;
  }
  out.trace.sites.resize(events.size() + 1);
  out.trace.sieved_stores.resize(events.size() + 1);
  for (std::uint32_t i = 0; i < events.size(); ++i) { // and some say that others were left out
    const bool loads = events[i].kind == EventKind::Read || events[i].kind == EventKind::AtomicRead;
    if (loads && random() % 100 < 8) events[i].marks |= trace::kOtherSites;
    if (random() % 100 < 5) events[i].marks |= trace::kBehindOmitted;
    out.trace.sieved_stores[i + 1] = random() % 100 < 5;
  }
  give_classes(out.trace, seed + 1);
  if (seed % 3 == 0) give_owners(out.trace, random);
  const trace::ValueFlows& flows = out.trace.static_facts.flows;
  out.relation.leads.resize(events.size());
  out.relation.writes.resize(events.size());
  out.relation.used.resize(events.size());
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    const ValueFlow* flow = flows.of(events[i].site);
    const bool updates = events[i].kind == EventKind::AtomicRmw && flow && flow->is_update &&
                         flow->bytes == events[i].size && !flow->sinks.decides && flow->sinks.stores.empty();
    const std::set<std::uint32_t> stores = stores_of(out.trace, i);
    const std::vector<std::uint32_t>* later = updates || !stores.empty() ? nullptr : later_stores_of(out.trace, i);
    out.relation.used[i] = trace::reads_memory(events[i].kind) && stores.empty() && !updates && !later;
    for (const std::uint32_t store : stores) out.relation.writes[store].insert(i);
    if (!later && stores.empty() && !updates) continue;
    for (const std::uint32_t next : behind(out.trace, i))
      if (leaves_alone(out.trace, next)) out.relation.leads[next].insert(i);
    if (!later) continue;
    for (const std::uint32_t next : behind(out.trace, i)) {
      if (hides(events[next])) out.relation.leads[next].insert(i);
      if (trace::writes_memory(events[next].kind) && std::ranges::binary_search(*later, events[next].site))
        out.relation.writes[next].insert(i);
    }
  }
  return out;
}

} // namespace sooth::cross
