#include "report/describe.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "report/event_text.h"
#include "report/fingerprint.h"
#include "report/groups.h"
#include "report/held_locks.h"
#include "report/lock_names.h"
#include "report/object_names.h"
#include "report/phrases.h"
#include "report/reads_from.h"
#include "report/schedule.h"
#include "report/story.h"
#include "trace/kind_groups.h"
#include "trace/place_names.h"

namespace sooth::report {

using trace::Event;
using trace::EventKind;
using trace::Trace;
using witness::Finding;

namespace {

constexpr std::size_t kObservedScan = 100'000; // how many events before the last place are searched
constexpr std::size_t kObservedShown = 64;     // how many of them are kept, the last ones

Spot spot_of(const Trace& trace, std::uint32_t site) {
  if (site == 0 || site >= trace.sites.size()) return {};
  const trace::Site& s = trace.sites[site];
  return {s.file, s.line, s.column, s.function, (s.flags & trace::kSiteSystem) != 0};
}

// Adds the spot, and those of the calls by which its function was inlined.
void add_spots(const Trace& trace, Spot spot, std::uint32_t site, std::vector<Spot>& out) {
  out.push_back(std::move(spot));
  if (site >= trace.sites.size()) return;
  for (std::uint32_t call = trace.sites[site].inlined_at; call != 0; call = trace.inlined_calls[call].inlined_at) {
    out.back().inlined = true;
    const trace::InlinedCall& c = trace.inlined_calls[call];
    out.push_back({c.file, c.line, c.column, c.function, (c.flags & trace::kSiteSystem) != 0});
  }
}

// Innermost first. If the place of a call is unknown, the calling function's name may still be
// known.
std::vector<Spot> stack_text(const Trace& trace, const Event& event, std::span<const trace::Frame> frames) {
  std::vector<Spot> out;
  Spot top = spot_of(trace, event.site);
  if (top.function.empty() && !frames.empty()) top.function = spot_of(trace, frames.back().function).function;
  if (top.line != 0 || !top.function.empty()) add_spots(trace, std::move(top), event.site, out);
  for (std::size_t i = frames.size(); i-- > 0;) {
    Spot caller = spot_of(trace, frames[i].call);
    if (caller.function.empty() && i > 0) caller.function = spot_of(trace, frames[i - 1].function).function;
    if (caller.line != 0 || !caller.function.empty()) add_spots(trace, std::move(caller), frames[i].call, out);
  }
  return out;
}

struct ObjectAt {
  ObjectText text;
  std::optional<std::uint32_t> event; // that began it
};

// Results of the first pass for an event at a finding's place.
struct Gathered {
  std::vector<Held> locks;
  std::vector<std::string> lock_names; // if the source does not name them
  ObjectAt object;
  std::uint32_t since = 0; // the thread's event before it
};

class Describer {
public:
  Describer(const Trace& trace, std::span<const Finding> findings, const OriginalAddress& original,
            const DescribeOptions& options, Report& report)
      : trace_(trace), findings_(findings), original_(original), options_(options), report_(report),
        forks_(trace.threads.size()), lock_names_(trace) {}

  void run() {
    for (const Finding& finding : findings_) want_places_of(finding);
    gather();
    for (auto& [event, gathered] : gathered_) want_more_for(gathered);
    for (const auto& [lock, event] : lock_names_.blocks()) want(event);
    for (const std::optional<std::uint32_t>& fork : forks_)
      if (fork) want(*fork);
    resolve();
    if (lock_names_.tell_apart([&](std::uint32_t event) { return step_of(report_, event).spot; })) resolve();
    name_lines();
    const std::vector<FindingGroup> groups =
        without_unwanted(merged(options_.each ? by_lines() : group_findings(trace_, findings_)));
    for (const FindingGroup& group : groups) want_run_of(findings_[group.members.front()]);
    ask_for_writes(groups);
    resolve();
    for (StepText& step : report_.steps) step.from = reads_from_.recorded(step.event);
    for (const FindingGroup& group : groups) report_.findings.push_back(assemble(group));
    std::uint32_t id = 0;
    for (FindingText& finding : report_.findings) finding.id = ++id;
  }

private:
  const trace::Site& site_of(const Event& e) const { return trace_.sites[e.site < trace_.sites.size() ? e.site : 0]; }

  void want(std::uint32_t event) { wanted_.try_emplace(event); }

  void want_places_of(const Finding& finding) {
    for (const witness::Place& place : finding.places) want(place.event), gathered_.try_emplace(place.event);
  }

  // Requests the steps to show for a finding.
  void want_run_of(const Finding& finding) {
    schedules_.push_back(schedule_of(
        finding.witness.steps, finding.witness.next, [&](std::uint32_t event) { return schedule_step(event); },
        options_.whole_witness));
    for (const std::uint32_t event : schedules_.back().listed) want(event);
    for (const std::uint32_t event : finding.witness.next) want(event);
    for (const witness::RunStep& step : finding.run.steps) want(step.event);
    for (const witness::RunStep& step : finding.run.unordered) want(step.event);
    observed_.push_back(observed_of(finding));
    for (const std::uint32_t event : observed_.back()) want(event);
    stories_.push_back(story_of(trace_, finding, holds_at(finding)));
    for (const StoryStep& step : stories_.back().recorded) want(step.event);
    for (const StoryStep& step : stories_.back().predicted) want(step.event);
  }
  // The events that took the locks held at the places.
  std::vector<std::uint32_t> holds_at(const Finding& finding) {
    std::vector<std::uint32_t> out;
    for (const witness::Place& place : finding.places)
      for (const Held& held : gathered_[place.event].locks) out.push_back(held.event);
    return out;
  }
  ScheduleStep schedule_step(std::uint32_t event) const {
    if (event >= trace_.events.size()) return {};
    const Event& e = trace_.events[event];
    return {e.thread, e.address, trace::reads_memory(e.kind) || trace::writes_memory(e.kind),
            explains_schedules(e.kind)};
  }

  // Requests the writes that the shown reads see.
  void ask_for_writes(const std::vector<FindingGroup>& groups) {
    for (const auto& [event, stack] : wanted_) reads_from_.ask_recorded(event);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const witness::Witness& run = findings_[groups[i].members.front()].witness;
      reads_from_.ask_witness(i, run, schedules_[i].listed);
      reads_from_.ask_witness(i, run, run.next);
    }
    reads_from_.answer();
    std::vector<std::uint32_t> writes;
    for (const auto& [event, stack] : wanted_)
      if (const auto write = reads_from_.recorded(event)) writes.push_back(*write);
    for (std::size_t i = 0; i < groups.size(); ++i)
      for (const auto& [read, write] : reads_from_.of_witness(i)) writes.push_back(write);
    for (const std::uint32_t write : writes) want(write);
    in_full_ = true;
  }

  // The events of the finding's threads up to its last place: synchronisation, and accesses of the
  // same bytes.
  std::vector<std::uint32_t> observed_of(const Finding& finding) const {
    if (!finding.run.rule.empty()) return observed_steps(finding.run);
    if (finding.places.empty()) return {};
    std::vector<std::uint32_t> threads;
    std::uint32_t first = ~0u, last = 0;
    for (const witness::Place& place : finding.places) {
      if (place.event >= trace_.events.size()) continue;
      first = std::min(first, place.event), last = std::max(last, place.event);
      threads.push_back(trace_.events[place.event].thread);
    }
    if (last - std::min(first, last) > kObservedScan) first = last - kObservedScan;
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = last + 1; i-- > first && out.size() < kObservedShown;) {
      const Event& e = trace_.events[i];
      if (std::find(threads.begin(), threads.end(), e.thread) == threads.end()) continue;
      if (explains_schedules(e.kind) || is_atomic(e.kind) || is_place(finding, i) || touches_same(finding, e))
        out.push_back(i);
    }
    for (const witness::Place& place : finding.places)
      if (std::find(out.begin(), out.end(), place.event) == out.end()) out.push_back(place.event);
    std::sort(out.begin(), out.end());
    return out;
  }

  // For a property's run: its own steps, in the recorded order.
  static std::vector<std::uint32_t> observed_steps(const witness::PropertyRun& run) {
    std::vector<std::uint32_t> out;
    out.reserve(run.steps.size());
    for (const witness::RunStep& step : run.steps) out.push_back(step.event);
    std::sort(out.begin(), out.end());
    return out;
  }

  static bool is_place(const Finding& finding, std::uint32_t event) {
    return std::any_of(finding.places.begin(), finding.places.end(),
                       [&](const witness::Place& place) { return place.event == event; });
  }
  bool touches_same(const Finding& finding, const Event& e) const {
    if (e.size == 0) return false;
    return std::any_of(finding.places.begin(), finding.places.end(), [&](const witness::Place& place) {
      const Event& p = trace_.events[place.event];
      return p.size != 0 && p.address < e.address + e.size && e.address < p.address + p.size;
    });
  }

  // First pass: finds the locks and objects at the findings' places, and the forks of threads.
  void gather() {
    trace::AddressNames names(trace_);
    HeldLocks locks(trace_.threads.size());
    std::vector<std::uint32_t> newest(trace_.threads.size(), 0);
    for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
      const Event& e = trace_.events[i];
      names.follow(e);
      lock_names_.follow(i);
      if (e.kind == EventKind::Fork && e.value < forks_.size() && !e.has(trace::kFailed)) forks_[e.value] = i;
      // Before locks.follow(e): the locks that a request finds, not the one that it asks for.
      if (const auto it = gathered_.find(i); it != gathered_.end()) {
        it->second = gather_one(e, names, locks);
        it->second.since = newest[e.thread];
        if (has_address(e.kind)) lock_names_.use(e.address, names);
        for (const Held& held : locks.of(e.thread)) lock_names_.use(held.lock, names);
      }
      locks.follow(e, i);
      newest[e.thread] = i;
    }
  }

  Gathered gather_one(const Event& e, const trace::AddressNames& names, const HeldLocks& locks) const {
    Gathered out;
    for (const Held& held : locks.of(e.thread)) {
      out.locks.push_back(held);
      out.lock_names.push_back(address_text(lock_names_.variable(held.lock, names), held.lock));
    }
    if (has_address(e.kind)) out.object = object_at(e.address, names);
    return out;
  }

  std::string address_text(std::string name, std::uint64_t address) const {
    return name.empty() ? fmt::format("{:#x}", original_(address)) : std::move(name);
  }

  ObjectAt object_at(std::uint64_t address, const trace::AddressNames& names) const {
    ObjectAt out;
    out.text.name = trace::without_library_members(lock_names_.variable(address, names));
    out.text.address = original_(address);
    const auto after = std::upper_bound(trace_.globals.begin(), trace_.globals.end(), address,
                                        [](std::uint64_t a, const trace::Global& g) { return a < g.address; });
    if (after != trace_.globals.begin() && address - (after - 1)->address < (after - 1)->bytes) {
      const trace::Global& global = *(after - 1);
      out.text.sort = "global";
      out.text.bytes = global.bytes;
      out.text.spot = {global.file, global.line, 0, "", false};
    } else if (const auto object = names.object(address)) {
      const EventKind kind = trace_.events[object->event].kind;
      out.text.sort = kind == EventKind::Alloc ? "heap" : kind == EventKind::Map ? "mapping" : "stack";
      out.text.bytes = object->end - object->begin;
      out.event = static_cast<std::uint32_t>(object->event);
    }
    return out;
  }

  void want_more_for(const Gathered& gathered) {
    for (const Held& held : gathered.locks) want(held.event);
    if (gathered.object.event) want(*gathered.object.event);
  }

  // Second pass: describes every requested event.
  void resolve() {
    std::vector<std::uint32_t> order;
    order.reserve(wanted_.size());
    for (const auto& [event, stack] : wanted_)
      if (event < trace_.events.size()) order.push_back(event);
    std::sort(order.begin(), order.end());
    Narrator narrator(trace_);
    HeldLocks locks(trace_.threads.size()); // before the event
    std::size_t followed = 0;
    report_.steps.clear();
    report_.steps.reserve(order.size());
    for (const std::uint32_t event : order) {
      while (followed <= event) {
        if (followed != 0 && in_full_)
          locks.follow(trace_.events[followed - 1], static_cast<std::uint32_t>(followed - 1));
        narrator.follow(followed++);
      }
      report_.steps.push_back(step_text(event, narrator));
      std::vector<Spot> stack;
      if (in_full_ || needs_stack(event)) stack = stack_text(trace_, trace_.events[event], narrator.stack());
      if (in_full_)
        report_.steps.back().context = shared_context(stack, locks.of(trace_.events[event].thread), narrator);
      if (needs_stack(event)) wanted_[event] = std::move(stack);
    }
    agree_on_names();
  }

  // The source reaches one member by several names. All places of a report use that of its class.
  void agree_on_names() {
    absl::flat_hash_map<std::uint64_t, std::string> members;
    for (const StepText& step : report_.steps) {
      if (!step.access || short_name(step.variable) == step.variable) continue;
      std::string& member = members[step.address];
      if (member.empty() || step.variable < member) member = step.variable;
    }
    for (StepText& step : report_.steps)
      if (const auto it = members.find(step.address);
          step.access && it != members.end() && is_member_of(step.variable, it->second))
        step.variable = it->second;
  }

  // Consecutive events of a thread often have the same one.
  std::shared_ptr<const Context> shared_context(std::vector<Spot> stack, std::span<const Held> held,
                                                const Narrator& narrator) {
    Context context{std::move(stack), {}};
    for (const Held& one : held) {
      const std::string& known = lock_names_.of(one.lock);
      context.locks.push_back(
          {known.empty() ? address_text(lock_names_.variable(one.lock, narrator.names()), one.lock) : known,
           original_(one.lock),
           one.shared,
           {}});
    }
    for (const std::shared_ptr<const Context>& known : newest_contexts_)
      if (known && *known == context) return known;
    auto& slot = newest_contexts_[newest_++ % newest_contexts_.size()];
    slot = std::make_shared<const Context>(std::move(context));
    return slot;
  }

  bool needs_stack(std::uint32_t event) const {
    if (gathered_.contains(event)) return true;
    const EventKind kind = trace_.events[event].kind;
    return kind == EventKind::Fork || kind == EventKind::Alloc || kind == EventKind::Map;
  }

  // Describes a request as the event it waits for, so that a deadlock has one fingerprint, observed
  // or predicted.
  StepText step_text(std::uint32_t event, const Narrator& narrator) const {
    const Event e =
        trace_.events[event].kind == EventKind::Request ? trace::awaited(trace_.events[event]) : trace_.events[event];
    const bool returns =
        e.kind == EventKind::Exit && gathered_.contains(event); // then the finding is about the function
    const trace::Site& site = returns ? narrator.left() : narrator.place();
    StepText out;
    out.event = event;
    out.thread = e.thread;
    out.kind = trace::kind_name(e.kind);
    out.variable =
        returns ? site.function : trace::without_library_members(member_name(narrator.variable(), site.function));
    if (has_address(e.kind)) out.address = original_(e.address);
    if (object_of(e.kind) <= trace::ObjectKind::LastPrimitive) {
      if (narrator.names().has_own_name(e.address)) out.variable = lock_names_.variable(e.address, narrator.names());
      else if (const std::string& name = lock_names_.of(e.address); !name.empty()) out.variable = name;
    }
    if (out.variable.empty() && has_address(e.kind) && e.address != 0) out.variable = fmt::format("{:#x}", out.address);
    if (e.order != trace::MemoryOrder::Plain) out.order = trace::order_name(e.order);
    out.value = narrator.value_text();
    out.number = e.value;
    out.size = e.size;
    out.access = trace::reads_memory(e.kind) || trace::writes_memory(e.kind);
    out.synchronises = explains_schedules(e.kind);
    out.pending = trace_.events[event].kind == EventKind::Request;
    out.spot = {site.file, site.line, site.column, site.function, (site.flags & trace::kSiteSystem) != 0};
    if (out.spot.function.empty() && !narrator.stack().empty())
      out.spot.function = spot_of(trace_, narrator.stack().back().function).function;
    return out;
  }

  // Distinguishes findings: the lines, and details that the fingerprint lacks.
  struct Lines {
    std::string fingerprint;
    std::string more; // differs between runs: addresses where the source is unknown, cuts in which a property can fail
    bool unwanted = false;
  };
  void name_lines() {
    lines_.reserve(findings_.size());
    for (const Finding& finding : findings_) {
      FindingText text = with_places(finding);
      add_threads(text);
      lines_.push_back(
          {fingerprint(text), not_in_fingerprint(finding, text), options_.unwanted && options_.unwanted(text)});
    }
  }
  static std::string not_in_fingerprint(const Finding& finding, const FindingText& text) {
    std::string out;
    for (const PlaceText& place : text.places)
      if (place.step.spot.line == 0) out += fmt::format("|{:x}", place.step.address);
    for (const std::uint32_t steps : finding.run.cut) out += fmt::format("|{}", steps);
    return out;
  }
  std::string identity(std::size_t finding) const { return lines_[finding].fingerprint + lines_[finding].more; }

  // Every finding alone; observed ones come before predicted ones.
  std::vector<FindingGroup> by_lines() const {
    std::vector<FindingGroup> out;
    for (const bool observed : {true, false})
      for (std::size_t i = 0; i < findings_.size(); ++i)
        if ((findings_[i].status == witness::Status::Observed) == observed) out.push_back({"", {i}});
    return out;
  }
  // Several engines may report the same finding at the same lines: the first one stays.
  std::vector<FindingGroup> merged(std::vector<FindingGroup> groups) const {
    absl::flat_hash_map<std::string, std::size_t> known;
    std::vector<FindingGroup> out;
    for (FindingGroup& group : groups) {
      const auto [it, added] = group.name.empty() ? known.try_emplace(identity(group.members.front()), out.size())
                                                  : std::pair(known.end(), true);
      if (added) out.push_back(std::move(group));
      else out[it->second].members.push_back(group.members.front());
    }
    return out;
  }

  // A group without remaining members counts as suppressed.
  std::vector<FindingGroup> without_unwanted(std::vector<FindingGroup> groups) {
    for (FindingGroup& group : groups)
      suppressed_.push_back(std::erase_if(group.members, [&](std::size_t i) { return lines_[i].unwanted; }));
    std::vector<FindingGroup> out;
    std::vector<std::uint64_t> suppressed;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (groups[i].members.empty()) {
        ++report_.suppressed;
        continue;
      }
      out.push_back(std::move(groups[i]));
      suppressed.push_back(suppressed_[i]);
    }
    suppressed_ = std::move(suppressed);
    return out;
  }

  std::vector<PairText> pairs_of(const FindingGroup& group) const {
    std::vector<PairText> out;
    absl::flat_hash_map<std::string, std::size_t> known;
    for (const std::size_t i : group.members) {
      const Finding& finding = findings_[i];
      const auto [it, added] = known.try_emplace(identity(i), out.size());
      if (added)
        out.push_back(
            {identity(i), lines_[i].fingerprint, finding.status, finding.engine, finding.count, finding.places});
      else out[it->second].count = std::max(out[it->second].count, finding.count);
    }
    return out;
  }

  FindingText assemble(const FindingGroup& group) {
    const Finding& finding = findings_[group.members.front()];
    FindingText out = with_places(finding);
    const std::size_t number = report_.findings.size();
    if (!group.name.empty()) out.fingerprint = fingerprint_of_group(group.name);
    else out.fingerprint = options_.each ? lines_[group.members.front()].fingerprint : fingerprint_without_lines(out);
    out.identity = group.name.empty() ? identity(group.members.front()) : group.identity;
    out.pairs = pairs_of(group);
    out.count = 0;
    for (const PairText& pair : out.pairs) out.count += pair.count;
    if (group.name.empty()) out.pairs.clear();
    out.suppressed_pairs = suppressed_[number];
    out.run = run_text(finding.run);
    out.observed_prefix = finding.witness.observed;
    Schedule& schedule = schedules_[number];
    out.left_out = finding.witness.steps.size() - schedule.listed.size();
    out.schedule = std::move(schedule.listed);
    out.turns = std::move(schedule.turns);
    out.next = finding.witness.next;
    out.reads_from = reads_from_.of_witness(number);
    out.observed = std::move(observed_[number]);
    out.recorded = std::move(stories_[number].recorded);
    out.predicted = std::move(stories_[number].predicted);
    add_threads(out);
    if (options_.script) out.script = options_.script(finding, out.fingerprint);
    return out;
  }

  FindingText with_places(const Finding& finding) {
    FindingText out;
    out.kind = finding.kind;
    out.status = finding.status;
    out.model = finding.model;
    out.engine = finding.engine;
    out.property = finding.property;
    out.note = finding.note;
    for (const witness::Place& place : finding.places) out.places.push_back(place_text(place));
    return out;
  }

  RunText run_text(const witness::PropertyRun& run) const {
    RunText out{run.rule, run.place, run.initial, run.skipped, {}, run.repeated, run.cut, {}, run.entry};
    for (const witness::RunStep& step : run.steps) out.steps.push_back(run_step_text(step));
    for (const witness::RunStep& step : run.unordered) out.unordered.push_back(run_step_text(step));
    return out;
  }
  RunStepText run_step_text(const witness::RunStep& step) const {
    const StepText& known = step_of(report_, step.event);
    return {step.event, known.thread,  step.what.empty() ? step_phrase(known) : step.what,
            step.state, step.observed, known.spot};
  }

  PlaceText place_text(const witness::Place& place) {
    Gathered& gathered = gathered_[place.event];
    PlaceText out;
    out.step = step_of(report_, place.event);
    out.role = place.role;
    out.order = out.step.order;
    out.object = gathered.object.text;
    if (const auto event = gathered.object.event) {
      out.object.spot = step_of(report_, *event).spot;
      out.object.thread = trace_.events[*event].thread;
      out.object.stack = wanted_[*event];
      if (out.object.sort == "heap") out.object.type = site_of(trace_.events[*event]).object;
    }
    out.stack = wanted_[place.event];
    out.since = gathered.since;
    for (std::size_t i = 0; i < gathered.locks.size(); ++i) {
      const Held& held = gathered.locks[i];
      const std::string& name = lock_names_.of(held.lock);
      out.locks.push_back({name.empty() ? gathered.lock_names[i] : name, original_(held.lock), held.shared,
                           step_of(report_, held.event).spot});
    }
    return out;
  }

  // The outermost function of the thread's own stack that is not in a library.
  static std::string start_of(const FindingText& finding, std::uint32_t thread) {
    for (const PlaceText& place : finding.places) {
      if (place.step.thread != thread) continue;
      for (std::size_t i = place.stack.size(); i-- > 0;)
        if (!place.stack[i].system && !place.stack[i].function.empty()) return place.stack[i].function;
    }
    return {};
  }

  void add_threads(FindingText& out) {
    std::vector<std::uint32_t> numbers;
    numbers.reserve(out.places.size());
    for (const PlaceText& place : out.places) numbers.push_back(place.step.thread);
    for (const RunStepText& step : out.run.steps) numbers.push_back(step.thread);
    for (const RunStepText& step : out.run.unordered) numbers.push_back(step.thread);
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    for (const std::uint32_t number : numbers) {
      ThreadText thread;
      thread.number = number;
      thread.name = trace_.threads[number].name;
      thread.parent = trace_.threads[number].parent;
      if (forks_[number]) {
        thread.created = true;
        thread.parent = trace_.events[*forks_[number]].thread;
        thread.stack = wanted_[*forks_[number]];
        thread.start = start_of(out, number);
      }
      out.threads.push_back(std::move(thread));
    }
  }

  const Trace& trace_;
  std::span<const Finding> findings_;
  const OriginalAddress& original_;
  const DescribeOptions& options_;
  Report& report_;
  std::vector<std::optional<std::uint32_t>> forks_;              // by thread: the event that created it
  absl::flat_hash_map<std::uint32_t, std::vector<Spot>> wanted_; // by event: its stack, if needed
  absl::flat_hash_map<std::uint32_t, Gathered> gathered_;        // by event: the findings' places
  LockNames lock_names_;
  std::vector<Lines> lines_;                         // by finding
  std::vector<std::uint64_t> suppressed_;            // by group: unwanted members
  std::vector<Schedule> schedules_;                  // by group
  std::vector<std::vector<std::uint32_t>> observed_; // by group
  std::vector<Story> stories_;                       // by group
  ReadsFrom reads_from_{trace_};                     // witnesses by group
  bool in_full_ = false;                             // steps get their context; places alone, before, do not
  std::array<std::shared_ptr<const Context>, 16> newest_contexts_;
  std::size_t newest_ = 0;
};

} // namespace

const StepText& step_of(const Report& report, std::uint32_t event) {
  static const StepText unknown;
  const auto it = std::lower_bound(report.steps.begin(), report.steps.end(), event,
                                   [](const StepText& step, std::uint32_t wanted) { return step.event < wanted; });
  return it != report.steps.end() && it->event == event ? *it : unknown;
}

namespace {

// In a child's own trace, an event of the same kind names its parent.
ProcessText process_of(const Trace& trace) {
  ProcessText out{trace.process.pid, trace.process.parent_pid, {}, trace.process.end == trace::EndKind::Exec};
  for (const trace::Event& e : trace.events)
    if (e.kind == trace::EventKind::ProcessFork && e.value != out.parent) out.forked.push_back(e.value);
  return out;
}

} // namespace

void describe(const Trace& trace, std::span<const Finding> findings, const OriginalAddress& original, Report& report,
              const DescribeOptions& options) {
  report.program = trace.process.program;
  report.arguments = trace.process.arguments;
  report.directory = trace.process.directory;
  report.events = trace.events.size();
  report.threads = trace.threads.size();
  report.process = process_of(trace);
  if (!findings.empty()) Describer(trace, findings, original, options, report).run();
}

} // namespace sooth::report
