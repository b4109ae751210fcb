#include "report/describe.h"

#include <algorithm>
#include <optional>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "report/event_text.h"
#include "report/fingerprint.h"
#include "report/held_locks.h"
#include "report/phrases.h"
#include "trace/kind_groups.h"

namespace sooth::report {

using trace::Event;
using trace::EventKind;
using trace::Trace;
using witness::Finding;

namespace {

constexpr std::size_t kObservedScan = 100'000; // so many events before the last place are looked at
constexpr std::size_t kObservedShown = 64;     // so many of them are kept, the last ones

Spot spot_of(const Trace& trace, std::uint32_t site) {
  if (site == 0 || site >= trace.sites.size()) return {};
  const trace::Site& s = trace.sites[site];
  return {s.file, s.line, s.column, s.function, (s.flags & trace::kSiteSystem) != 0};
}

// The spot, and those of the calls by which its function was inlined.
void add_spots(const Trace& trace, Spot spot, std::uint32_t site, std::vector<Spot>& out) {
  out.push_back(std::move(spot));
  if (site >= trace.sites.size()) return;
  for (std::uint32_t call = trace.sites[site].inlined_at; call != 0; call = trace.inlined_calls[call].inlined_at) {
    out.back().inlined = true;
    const trace::InlinedCall& c = trace.inlined_calls[call];
    out.push_back({c.file, c.line, c.column, c.function, (c.flags & trace::kSiteSystem) != 0});
  }
}

// Innermost first. A call whose place nobody knows still gives the name of the function that made it.
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

// Synchronisation that explains a schedule; not what only tells of memory, names and calls.
bool synchronises(EventKind kind) {
  switch (kind) {
  case EventKind::Alloc:
  case EventKind::Map:
  case EventKind::Unmap:
  case EventKind::StackBegin:
  case EventKind::StackEnd:
  case EventKind::ThreadName:
  case EventKind::Watch:
  case EventKind::LockInit:
  case EventKind::AtomicWrite:
  case EventKind::AtomicRmw: return false;
  default: return trace::kind_is_ticketed(kind);
  }
}

struct ObjectAt {
  ObjectText text;
  std::optional<std::uint32_t> event; // that began it
};

// What the first pass finds out about an event that a finding is about.
struct Gathered {
  std::vector<Held> locks;
  std::vector<std::string> lock_names;
  ObjectAt object;
  std::uint32_t since = 0; // the thread's event before it
};

class Describer {
public:
  Describer(const Trace& trace, std::span<const Finding> findings, const OriginalAddress& original, Report& report)
      : trace_(trace), findings_(findings), original_(original), report_(report), forks_(trace.threads.size()) {}

  void run() {
    for (const Finding& finding : findings_) want_events_of(finding);
    gather();
    for (auto& [event, gathered] : gathered_) want_more_for(gathered);
    for (const std::optional<std::uint32_t>& fork : forks_)
      if (fork) want(*fork);
    resolve();
    for (const Finding& finding : findings_) report_.findings.push_back(assemble(finding));
    number();
  }

private:
  void want(std::uint32_t event) { wanted_.try_emplace(event); }

  void want_events_of(const Finding& finding) {
    for (const witness::Place& place : finding.places) want(place.event), gathered_.try_emplace(place.event);
    for (const std::uint32_t event : finding.witness.steps) want(event);
    for (const std::uint32_t event : finding.witness.next) want(event);
    for (const witness::RunStep& step : finding.run.steps) want(step.event);
    for (const witness::RunStep& step : finding.run.unordered) want(step.event);
    observed_.push_back(observed_of(finding));
    for (const std::uint32_t event : observed_.back()) want(event);
  }

  // What the threads of the finding did before its last place: synchronisation, and accesses of the same bytes.
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
      if (synchronises(e.kind) || is_atomic(e.kind) || is_place(finding, i) || touches_same(finding, e))
        out.push_back(i);
    }
    for (const witness::Place& place : finding.places)
      if (std::find(out.begin(), out.end(), place.event) == out.end()) out.push_back(place.event);
    std::sort(out.begin(), out.end());
    return out;
  }

  // Of a property's run: its own steps, as they came.
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

  // First pass: the locks and objects at the findings' places, the creations of threads.
  void gather() {
    trace::AddressNames names(trace_);
    HeldLocks locks(trace_.threads.size());
    std::vector<std::uint32_t> newest(trace_.threads.size(), 0);
    for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
      const Event& e = trace_.events[i];
      names.follow(e);
      if (e.kind == EventKind::Fork && e.value < forks_.size() && !e.has(trace::kFailed)) forks_[e.value] = i;
      // The locks that a request finds, not the one that it asks for.
      if (const auto it = gathered_.find(i); it != gathered_.end()) {
        it->second = gather_one(e, names, locks);
        it->second.since = newest[e.thread];
      }
      locks.follow(e, i);
      newest[e.thread] = i;
    }
  }

  Gathered gather_one(const Event& e, const trace::AddressNames& names, const HeldLocks& locks) const {
    Gathered out;
    for (const Held& held : locks.of(e.thread)) {
      out.locks.push_back(held);
      out.lock_names.push_back(address_text(names.name(held.lock), held.lock));
    }
    if (has_address(e.kind)) out.object = object_at(e.address, names);
    return out;
  }

  std::string address_text(std::string name, std::uint64_t address) const {
    return name.empty() ? fmt::format("{:#x}", original_(address)) : std::move(name);
  }

  ObjectAt object_at(std::uint64_t address, const trace::AddressNames& names) const {
    ObjectAt out;
    out.text.name = names.name(address);
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

  // Second pass: words for every event that is wanted.
  void resolve() {
    std::vector<std::uint32_t> order;
    order.reserve(wanted_.size());
    for (const auto& [event, stack] : wanted_)
      if (event < trace_.events.size()) order.push_back(event);
    std::sort(order.begin(), order.end());
    Narrator narrator(trace_);
    std::size_t followed = 0;
    report_.steps.reserve(order.size());
    for (const std::uint32_t event : order) {
      while (followed <= event) narrator.follow(followed++);
      report_.steps.push_back(step_text(event, narrator));
      if (needs_stack(event)) wanted_[event] = stack_text(trace_, trace_.events[event], narrator.stack());
    }
  }

  bool needs_stack(std::uint32_t event) const {
    if (gathered_.contains(event)) return true;
    const EventKind kind = trace_.events[event].kind;
    return kind == EventKind::Fork || kind == EventKind::Alloc || kind == EventKind::Map;
  }

  // A request is told as what it asks for, so that a deadlock has one fingerprint, observed or predicted.
  StepText step_text(std::uint32_t event, const Narrator& narrator) const {
    const Event e =
        trace_.events[event].kind == EventKind::Request ? trace::awaited(trace_.events[event]) : trace_.events[event];
    const bool returns =
        e.kind == EventKind::Exit && gathered_.contains(event); // what a finding is about is the function
    const trace::Site& site = returns ? narrator.left() : narrator.place();
    StepText out;
    out.event = event;
    out.thread = e.thread;
    out.kind = trace::kind_name(e.kind);
    out.variable = returns ? site.function : narrator.variable();
    if (has_address(e.kind)) out.address = original_(e.address);
    if (out.variable.empty() && has_address(e.kind)) out.variable = fmt::format("{:#x}", out.address);
    out.value = narrator.value_text();
    out.number = e.value;
    out.size = e.size;
    out.access = trace::reads_memory(e.kind) || trace::writes_memory(e.kind);
    out.synchronises = synchronises(e.kind);
    out.pending = trace_.events[event].kind == EventKind::Request;
    out.spot = {site.file, site.line, site.column, site.function, (site.flags & trace::kSiteSystem) != 0};
    if (out.spot.function.empty() && !narrator.stack().empty())
      out.spot.function = spot_of(trace_, narrator.stack().back().function).function;
    return out;
  }

  FindingText assemble(const Finding& finding) {
    FindingText out;
    out.kind = finding.kind;
    out.status = finding.status;
    out.model = finding.model;
    out.engine = finding.engine;
    out.property = finding.property;
    out.note = finding.note;
    out.run = run_text(finding.run);
    out.count = finding.count;
    out.observed_prefix = finding.witness.observed;
    out.schedule = finding.witness.steps;
    out.next = finding.witness.next;
    out.observed = std::move(observed_[report_.findings.size()]);
    for (const witness::Place& place : finding.places) out.places.push_back(place_text(place));
    add_threads(out);
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
    const Event& e = trace_.events[place.event];
    Gathered& gathered = gathered_[place.event];
    PlaceText out;
    out.step = step_of(report_, place.event);
    out.role = place.role;
    if (e.order != trace::MemoryOrder::Plain) out.order = trace::order_name(e.order);
    out.object = gathered.object.text;
    if (const auto event = gathered.object.event) {
      out.object.spot = step_of(report_, *event).spot;
      out.object.thread = trace_.events[*event].thread;
      out.object.stack = wanted_[*event];
    }
    out.stack = wanted_[place.event];
    out.since = gathered.since;
    for (std::size_t i = 0; i < gathered.locks.size(); ++i) {
      const Held& held = gathered.locks[i];
      out.locks.push_back(
          {gathered.lock_names[i], original_(held.lock), held.shared, step_of(report_, held.event).spot});
    }
    return out;
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
      }
      out.threads.push_back(std::move(thread));
    }
  }

  // Several engines may find the same: what was observed comes before what was predicted, and stays.
  void number() {
    std::vector<FindingText>& findings = report_.findings;
    for (FindingText& finding : findings) finding.fingerprint = fingerprint(finding);
    absl::flat_hash_map<std::string, std::size_t> places; // by fingerprint
    std::vector<FindingText> kept;
    for (const bool observed : {true, false})
      for (FindingText& finding : findings) {
        if (is_observed(finding) != observed) continue;
        const auto [it, added] = places.try_emplace(finding.fingerprint + not_in_fingerprint(finding), kept.size());
        if (!added) kept[it->second].count = std::max(kept[it->second].count, finding.count);
        else kept.push_back(finding);
      }
    findings = std::move(kept);
    std::uint32_t id = 0;
    for (FindingText& finding : findings) finding.id = ++id;
  }
  // What the fingerprint does not tell apart, since it is the same in no other run: places where the source is unknown, and cuts
  // in which a property can fail.
  static std::string not_in_fingerprint(const FindingText& finding) {
    std::string out;
    for (const PlaceText& place : finding.places)
      if (place.step.spot.line == 0) out += fmt::format("|{:x}", place.step.address);
    for (const std::uint32_t steps : finding.run.cut) out += fmt::format("|{}", steps);
    return out;
  }
  static bool is_observed(const FindingText& finding) { return finding.status == witness::Status::Observed; }

  const Trace& trace_;
  std::span<const Finding> findings_;
  const OriginalAddress& original_;
  Report& report_;
  std::vector<std::optional<std::uint32_t>> forks_;              // by thread: the event that created it
  absl::flat_hash_map<std::uint32_t, std::vector<Spot>> wanted_; // by event: its stack, where it is needed
  absl::flat_hash_map<std::uint32_t, Gathered> gathered_;        // by event: the findings' places
  std::vector<std::vector<std::uint32_t>> observed_;             // by finding
};

} // namespace

const StepText& step_of(const Report& report, std::uint32_t event) {
  static const StepText unknown;
  const auto it = std::lower_bound(report.steps.begin(), report.steps.end(), event,
                                   [](const StepText& step, std::uint32_t wanted) { return step.event < wanted; });
  return it != report.steps.end() && it->event == event ? *it : unknown;
}

void describe(const Trace& trace, std::span<const Finding> findings, const OriginalAddress& original, Report& report) {
  report.program = trace.process.program;
  report.arguments = trace.process.arguments;
  report.directory = trace.process.directory;
  report.events = trace.events.size();
  report.threads = trace.threads.size();
  if (!findings.empty()) Describer(trace, findings, original, report).run();
}

} // namespace sooth::report
