#include "witness/taint.h"

#include <algorithm>

namespace sooth::witness::checking {

using trace::CallEffect;
using trace::Event;
using trace::EventKind;
using trace::SiteFacts;
using trace::SiteRole;
using trace::Source;
using trace::SourceKind;

namespace {

// Events that no instruction of the program made, and marks that do nothing.
bool made_by_nobody(EventKind kind) {
  switch (kind) {
  case EventKind::ExternalWrite:
  case EventKind::ThreadStart:
  case EventKind::ThreadEnd:
  case EventKind::StackBegin:
  case EventKind::StackEnd:
  case EventKind::SignalEnter:
  case EventKind::SignalExit:
  case EventKind::AtomicBegin:
  case EventKind::AtomicEnd:
  case EventKind::Fence: return true;
  default: return false;
  }
}

} // namespace

Taint::Taint(const trace::Trace& trace, const std::vector<std::vector<EventNumber>>& of_thread,
             const std::vector<std::uint32_t>& place)
    : trace_(trace), facts_(trace.static_facts), of_thread_(of_thread), place_(place),
      classes_(trace.is_fit_for_flows() ? std::make_shared<FlowClasses>(trace, of_thread) : nullptr),
      applies_(classes_ != nullptr || trace.is_fit_for_dependence()) {
  for (std::uint32_t f = 0; f < facts_.functions.size(); ++f)
    if (facts_.functions[f].site != 0) functions_[facts_.functions[f].site] = f;
}

void Taint::reset() {
  threads_.assign(of_thread_.size(), {});
  for (Thread& thread : threads_) thread.frames.resize(1); // the caller of the thread's first function
}

std::uint32_t Taint::function_at(std::uint32_t site) const {
  const auto found = functions_.find(site);
  return found == functions_.end() ? 0xffffffff : found->second;
}

bool Taint::of(trace::SourceSet set, const Thread& thread) const {
  const Frame& frame = thread.frames.back();
  const auto given = [](const std::map<std::uint32_t, Given>& by, const Source& source) {
    const auto found = by.find(source.index);
    return found != by.end() && (source.every ? found->second.every : found->second.latest);
  };
  return std::ranges::any_of(facts_.sources(set), [&](const Source& source) {
    switch (source.kind) {
    case SourceKind::Load: return given(frame.loads, source);
    case SourceKind::CallResult: return given(frame.results, source);
    case SourceKind::Parameter: return source.index < frame.parameters.size() && frame.parameters[source.index];
    case SourceKind::Branch: return false; // a branch of the run went as it did in the trace
    case SourceKind::Unknown: return thread.anything;
    }
    return thread.anything;
  });
}

bool Taint::arguments(const SiteFacts& facts, const Thread& thread) const {
  return of(facts.target, thread) ||
         std::ranges::any_of(facts.arguments, [&](trace::SourceSet set) { return of(set, thread); });
}

// What it reads, it writes; other calls use the values they read in unseen ways.
bool Taint::is_copy(const SiteFacts& facts, std::uint32_t site) const {
  if (facts.role == SiteRole::Copy) return true;
  return std::ranges::any_of(facts_.sources(facts.value), [&](const Source& source) {
    return source.kind == SourceKind::Load && source.index == site;
  });
}

bool Taint::is_followed_by_its_activation(EventNumber event) const {
  const auto& mine = of_thread_[trace_.events[event].thread];
  const std::size_t next = std::size_t{place_[event]} + 1;
  if (next >= mine.size()) return false;
  const Event& follower = trace_.events[mine[next]];
  return follower.kind == EventKind::Enter && follower.value == trace_.events[event].site &&
         enters_what_is_named(follower);
}

// Whether the entered function is the one that the call names. If it is another one, code without
// hooks called it.
bool Taint::enters_what_is_named(const Event& enter) const {
  const SiteFacts& call = facts_.of(static_cast<std::uint32_t>(enter.value));
  const std::uint32_t function = function_at(enter.site);
  return call.role == SiteRole::Call && call.callee != 0 && function != 0xffffffff &&
         facts_.functions[function].name == call.callee;
}

bool Taint::misled(EventNumber number) const {
  if (classes_) // reads that decide are in the run as they were; others lead only to what is not in the trace
    return (threads_[trace_.events[number].thread].anything && FlowClasses::may_hide_stores(trace_.events[number])) ||
           (!threads_[trace_.events[number].thread].tainted.empty() && classes_->leaves_alone(number));
  const Event& e = trace_.events[number];
  const Thread& thread = threads_[e.thread];
  const SiteFacts& facts = facts_.of(e.site);
  if (made_by_nobody(e.kind) && facts.role == SiteRole::None) return false;
  switch (e.kind) {
  case EventKind::ExternalWrite: return false;
  case EventKind::Enter: {
    return enters_what_is_named(e) && of(facts_.of(static_cast<std::uint32_t>(e.value)).target, thread);
  }
  case EventKind::Exit: {
    // Values that are returned to code that we do not see must not be tainted. (Frames that an
    // exception leaves return nothing.)
    Thread copy = thread;
    while (copy.frames.size() > 1 && copy.frames.size() > e.value + 1) {
      const Frame& frame = copy.frames.back();
      const bool result =
          frame.function == 0xffffffff ? copy.anything : of(facts_.functions[frame.function].result, copy);
      if (result && !frame.caller_known) return true;
      copy.frames.pop_back();
    }
    return false;
  }
  case EventKind::Branch:
    if (facts.role == SiteRole::None) return thread.anything;
    if (facts.role == SiteRole::Call) {
      if (is_followed_by_its_activation(number)) return false;
      if ((facts.effect == CallEffect::Reads || facts.effect == CallEffect::Other) && thread.anything) return true;
    }
    return of(facts.condition, thread);
  default: break;
  }
  if (facts.role == SiteRole::None) return thread.anything;
  if (facts.role == SiteRole::Call && arguments(facts, thread)) return true;
  return of(facts.address, thread) || of(facts.condition, thread);
}

bool Taint::misleads(EventNumber number, bool reads_tainted) const {
  if (!reads_tainted) return false;
  if (classes_) return !classes_->is_free(number);
  const Event& e = trace_.events[number];
  const SiteFacts& facts = facts_.of(e.site);
  switch (facts.role) {
  case SiteRole::None: return true;
  case SiteRole::Call: return !is_copy(facts, e.site);
  case SiteRole::Update: return facts.condition != 0 || e.kind == EventKind::AtomicRead; // it compares
  default: return false;
  }
}

void Taint::give(std::map<std::uint32_t, Given>& to, std::uint32_t site, bool tainted) {
  const auto found = to.find(site);
  if (found != to.end()) found->second = {tainted, tainted || found->second.every};
  else if (tainted) to[site] = {true, true};
}

void Taint::enter(const Event& e, Thread& thread) {
  Frame frame;
  frame.call_site = static_cast<std::uint32_t>(e.value);
  frame.function = function_at(e.site);
  const SiteFacts& call = facts_.of(frame.call_site);
  frame.caller_known = enters_what_is_named(e) && call.function == thread.frames.back().function;
  if (frame.caller_known)
    for (const trace::SourceSet argument : call.arguments) frame.parameters.push_back(of(argument, thread));
  thread.frames.push_back(std::move(frame));
}

bool Taint::apply_by_class(EventNumber number, bool reads_tainted) {
  Thread& thread = threads_[trace_.events[number].thread];
  const bool flowed = thread.reached.contains(trace_.events[number].site);
  if (reads_tainted) thread.tainted.insert(number);
  if (reads_tainted && classes_->flows_later(number)) {
    thread.anything = true;
    for (const std::uint32_t site : classes_->later_sites(number)) thread.reached.insert(site);
  }
  if (flowed && writes_memory(trace_.events[number].kind)) return true;
  if (classes_->is_update(number)) return reads_tainted;
  return std::ranges::any_of(classes_->sources(number),
                             [&](EventNumber read) { return thread.tainted.contains(read); });
}

bool Taint::apply(EventNumber number, bool reads_tainted) {
  if (classes_) return apply_by_class(number, reads_tainted);
  const Event& e = trace_.events[number];
  Thread& thread = threads_[e.thread];
  const SiteFacts& facts = facts_.of(e.site);
  if (e.kind == EventKind::Enter) {
    enter(e, thread);
    return false;
  }
  if (e.kind == EventKind::Exit) {
    while (thread.frames.size() > 1 && thread.frames.size() > e.value + 1) {
      const Frame& frame = thread.frames.back();
      const bool result =
          frame.function == 0xffffffff ? thread.anything : of(facts_.functions[frame.function].result, thread);
      const std::uint32_t site = frame.call_site;
      const bool caller_known = frame.caller_known;
      thread.frames.pop_back();
      if (caller_known) give(thread.frames.back().results, site, result);
    }
    return false;
  }
  if (!touches_memory(e.kind) || e.kind == EventKind::ExternalWrite) return false;
  const bool reads = trace::reads_memory(e.kind), writes = trace::writes_memory(e.kind);
  const bool copy = is_copy(facts, e.site);
  bool taints = false;
  if (writes) {
    taints = facts.role != SiteRole::None && of(facts.value, thread);
    if (reads) taints |= reads_tainted;
    if (copy) taints |= thread.copied[e.site];
    if (copy) thread.wrote[e.site] = true;
  }
  if (reads) {
    give(thread.frames.back().loads, e.site, reads_tainted);
    thread.anything |= reads_tainted;
    if (copy && !writes) {
      if (thread.wrote[e.site]) thread.copied[e.site] = false;
      thread.copied[e.site] = thread.copied[e.site] || reads_tainted;
      thread.wrote[e.site] = false;
    }
  }
  return taints;
}

} // namespace sooth::witness::checking
