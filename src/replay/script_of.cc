#include "replay/script_of.h"

#include <algorithm>
#include <numeric>

#include <absl/container/flat_hash_map.h>

#include "replay/critical.h"
#include "replay/fewer_switches.h"
#include "trace/effects.h"
#include "trace/kind_groups.h"
#include "trace/restore/hand_over.h"
#include "trace/stack.h"

namespace sooth::replay {

using trace::Event;
using trace::EventKind;
using trace::Trace;
using witness::FindingKind;

namespace {

// Events that the hooks of a replayed program meet, too.
bool is_met(const Event& e) {
  if (trace::is_access(e.kind) && e.site == 0) return false; // several writes that the recorder merged
  if (trace::is_hand_over(e)) return false;
  switch (e.kind) {
  case EventKind::ExternalWrite: // nobody's instruction
  case EventKind::Fence:
  case EventKind::Alloc:
  case EventKind::Map:
  case EventKind::StackBegin:
  case EventKind::StackEnd:
  case EventKind::ThreadName:
  case EventKind::Watch:
  case EventKind::Enter:
  case EventKind::Exit:
  case EventKind::Branch:
  case EventKind::Request:
  case EventKind::Crash:
  case EventKind::Detach:
  case EventKind::SignalEnter:
  case EventKind::SignalExit:
  case EventKind::SignalChange:
  case EventKind::ProcessFork:
  case EventKind::None: return false;
  default: return true;
  }
}

// A hook tells that of tries and waits, not of initialisers.
bool has_failed(const Event& e) { return e.has(trace::kFailed) && e.kind != EventKind::OnceEnd; }

// Threads may be switched there. libc frees memory of its own when it likes.
bool can_be_named(const Event& e) { return is_met(e) && !trace::begins_or_ends_object(e.kind); }

// Every one of them is recorded, so they can be counted from any point.
bool is_exact(const Event& e) {
  return is_met(e) && !has_failed(e) && e.kind != EventKind::Read && e.kind != EventKind::Write &&
         e.kind != EventKind::AtomicRead;
}

// A thread can be held there, whatever accesses it makes on its way.
bool can_pause_before(const Event& e) { return is_exact(e) && can_be_named(e) && has_hook_before(e.kind); }

std::string name_of(const Trace& trace, const Event& e) {
  if (e.site >= trace.sites.size()) return {};
  const trace::Site& site = trace.sites[e.site];
  return trace::is_access(e.kind) ? site.variable : site.object; // a call's `variable` is what it calls
}

ScriptPlace place_of(const Trace& trace, const Event& e) {
  const trace::Site& site = trace.sites[e.site < trace.sites.size() ? e.site : 0];
  return {site.file, site.line, site.column, site.function};
}

// The value is compared where an event carries it in full.
std::uint16_t value_flag(const Event& e) {
  return (e.kind == EventKind::Write || e.kind == EventKind::AtomicWrite) && e.size <= 8 ? std::uint16_t{kHasValue}
                                                                                         : std::uint16_t{0};
}

// A kind of event at a place of the source.
struct What {
  EventKind kind;
  bool failed;
  std::string_view file, function;
  std::uint32_t line, column;
  friend bool operator==(const What&, const What&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const What& w) {
    return H::combine(std::move(h), static_cast<int>(w.kind), w.failed, w.file, w.function, w.line, w.column);
  }
};

What what_of(const Trace& trace, const Event& e) {
  const trace::Site& site = trace.sites[e.site < trace.sites.size() ? e.site : 0];
  return {e.kind, has_failed(e), site.file, site.function, site.line, site.column};
}

class Writer {
public:
  Writer(const Trace& trace, Script& script) : trace_(trace), script_(script), own_(trace.threads.size()) {}

  void add_threads(const std::vector<std::uint32_t>& run) {
    number_.assign(trace_.threads.size(), ~0u);
    std::vector<std::uint32_t> children(trace_.threads.size());
    number_[0] = 0;
    script_.threads.push_back({});
    for (const std::uint32_t i : run) {
      const Event& e = trace_.events[i];
      if (e.kind != EventKind::Fork || e.value >= number_.size() || number_[e.thread] == ~0u) continue;
      number_[e.value] = static_cast<std::uint32_t>(script_.threads.size());
      script_.threads.push_back({number_[e.thread], ++children[e.thread]});
    }
  }
  bool knows(std::uint32_t thread) const { return thread < number_.size() && number_[thread] != ~0u; }

  // The thread makes this event. `named`: it becomes a step.
  void make(std::uint32_t event, bool named, std::uint16_t flags) {
    const Event& e = trace_.events[event];
    if (!is_met(e) || !knows(e.thread)) return;
    Own& own = own_[e.thread];
    ++own.counts[what_of(trace_, e)];
    if (can_be_named(e)) own.last = event;
    if (is_exact(e) && can_be_named(e)) {
      own.last_exact = event;
      own.exact_is_open = true;
      own.since_exact.clear();
    } else {
      ++own.since_exact[what_of(trace_, e)];
    }
    if (named) name(e.thread, event, flags);
  }
  // The thread returns from a function, or ends: its frames are gone, and the goal needs them.
  void end_frames(std::uint32_t event) {
    const Event& e = trace_.events[event];
    if (!knows(e.thread)) return;
    leave(e.thread);
    add(e, 1, e.kind == EventKind::Exit ? kRemember | kHasValue : kRemember);
  }
  // The thread's last event becomes a step: another thread goes on. `next`: the thread's next
  // event; ~0: none. A pause before that one is safer than counted accesses: the recorder omits
  // some, and makes others of its own.
  void leave(std::uint32_t thread, std::uint32_t next = ~0u) {
    if (!knows(thread)) return;
    Own& own = own_[thread];
    if (own.last == ~0u || own.named == own.last) return;
    if (next == ~0u || is_exact(trace_.events[own.last]) || !can_pause_before(trace_.events[next]))
      return name(thread, own.last, 0);
    const Event& e = trace_.events[next];
    const auto it = own.counts.find(what_of(trace_, e));
    add(e, (it == own.counts.end() ? 0 : it->second) + 1, kPauses);
    begin_counting(own);
    own.named = own.last;
  }
  void stop(std::uint32_t event) {
    const Event& e = trace_.events[event];
    if (!knows(e.thread)) return;
    Own& own = own_[e.thread];
    if (!is_exact(e)) name_last_exact(e.thread);
    const auto it = own.counts.find(what_of(trace_, e));
    add(e, (it == own.counts.end() ? 0 : it->second) + 1, kStops);
  }

  // For people: nothing counts from here.
  ScriptEvent told(std::uint32_t event) const {
    const Event& e = trace_.events[event];
    ScriptEvent out;
    out.step = {number_[e.thread], e.kind, 1, place_of(trace_, e), 0, 0, name_of(trace_, e)};
    const What what = what_of(trace_, e);
    for (std::uint32_t i = 0; i < event; ++i)
      if (trace_.events[i].thread == e.thread && what_of(trace_, trace_.events[i]) == what) ++out.step.count;
    const std::vector<trace::Frame> frames = trace::stack_at(trace_, event);
    for (std::size_t i = frames.size(); i-- > 0 && out.stack.size() < kShownFrames;)
      if (const trace::Site& call = trace_.sites[frames[i].call < trace_.sites.size() ? frames[i].call : 0];
          call.line != 0)
        out.stack.push_back({call.file, call.line, call.column, call.function});
    return out;
  }

private:
  static constexpr std::size_t kShownFrames = 24;
  struct Own {
    absl::flat_hash_map<What, std::uint32_t> counts;      // since the thread's step before
    absl::flat_hash_map<What, std::uint32_t> since_exact; // accesses since last_exact
    std::uint32_t last = ~0u, last_exact = ~0u;
    bool exact_is_open = false; // no step was made of last_exact, or of an event behind it
    std::uint32_t named = ~0u;  // the thread's last step
  };

  void name_last_exact(std::uint32_t thread) {
    Own& own = own_[thread];
    if (!own.exact_is_open) return;
    const Event& e = trace_.events[own.last_exact];
    add(e, own.counts[what_of(trace_, e)], 0);
    own.counts = own.since_exact;
    own.exact_is_open = false;
  }
  void name(std::uint32_t thread, std::uint32_t event, std::uint16_t flags) {
    Own& own = own_[thread];
    const Event& e = trace_.events[event];
    if (!is_exact(e)) name_last_exact(thread);
    add(e, own.counts[what_of(trace_, e)], flags);
    begin_counting(own);
    own.named = own.last = event;
  }
  static void begin_counting(Own& own) {
    own.counts.clear();
    own.since_exact.clear();
    own.exact_is_open = false;
  }
  void add(const Event& e, std::uint32_t count, std::uint16_t flags) {
    ScriptStep step;
    step.thread = number_[e.thread];
    step.kind = e.kind;
    step.count = count;
    step.place = place_of(trace_, e);
    step.flags = flags;
    step.name = name_of(trace_, e);
    if (has_failed(e)) step.flags |= kFails;
    if ((flags & kHasValue) != 0) step.value = e.value;
    script_.steps.push_back(std::move(step));
  }

  const Trace& trace_;
  Script& script_;
  std::vector<Own> own_;
  std::vector<std::uint32_t> number_; // by thread of the trace: its number in the script
};

Goal goal_of(FindingKind kind) {
  switch (kind) {
  case FindingKind::Race: return Goal::Race;
  case FindingKind::Deadlock: return Goal::Deadlock;
  case FindingKind::LostWakeup: return Goal::Waiting;
  case FindingKind::UseAfterFree:
  case FindingKind::DoubleFree: return Goal::Freed;
  default: return Goal::Followed;
  }
}

// The steps that the finding itself is about, with what the replay has to look at.
absl::flat_hash_map<std::uint32_t, std::uint16_t> named_events(const Trace& trace, const witness::Finding& finding) {
  absl::flat_hash_map<std::uint32_t, std::uint16_t> out;
  for (const witness::RunStep& step : finding.run.steps) out[step.event] = value_flag(trace.events[step.event]);
  if (finding.kind == FindingKind::Atomicity)
    for (const witness::Place& place : finding.places) out.try_emplace(place.event, 0);
  for (const witness::Place& place : finding.places)
    if (place.role == witness::Role::Free) out[place.event] = kRemember;
  return out;
}

// An event that is no step by itself, and that other threads may notice: the end of a block.
bool matters_to_others(const Event& e) {
  const trace::ObjectKind object = trace::object_of(e.kind);
  return object != trace::ObjectKind::Call && object != trace::ObjectKind::Name &&
         object != trace::ObjectKind::Awaited && !trace::does(e.kind, trace::act::kBegins);
}

// For each place of the run: the next event of the same thread, if it may be a step; else ~0.
// What the finding names is counted from the event before.
std::vector<std::uint32_t> next_named(const Trace& trace, const std::vector<std::uint32_t>& run,
                                      const absl::flat_hash_map<std::uint32_t, std::uint16_t>& named) {
  std::vector<std::uint32_t> out(run.size(), ~0u), latest(trace.threads.size(), ~0u);
  for (std::size_t at = run.size(); at-- > 0;) {
    const Event& e = trace.events[run[at]];
    out[at] = latest[e.thread];
    if (can_be_named(e) && !named.contains(run[at])) latest[e.thread] = run[at];
    else if (named.contains(run[at]) || matters_to_others(e)) latest[e.thread] = ~0u;
  }
  return out;
}

void write_run(const Trace& trace, const std::vector<std::uint32_t>& run,
               const absl::flat_hash_map<std::uint32_t, std::uint16_t>& named, Writer& writer) {
  std::uint32_t before = ~0u;
  std::vector<std::uint32_t> handlers(trace.threads.size()); // of signals, that are running
  const std::vector<std::uint32_t> next = next_named(trace, run, named);
  std::vector<std::uint32_t> next_of(trace.threads.size(), ~0u); // the event after the thread's last one
  for (std::size_t at = 0; at < run.size(); ++at) {
    const std::uint32_t i = run[at];
    const Event& e = trace.events[i];
    const auto it = named.find(i);
    const bool is_named = it != named.end();
    // What a handler does belongs to the signal, which comes when it likes.
    if (e.kind == EventKind::SignalEnter) ++handlers[e.thread];
    if (e.kind == EventKind::SignalExit && handlers[e.thread] != 0) --handlers[e.thread];
    if (handlers[e.thread] != 0 || !(is_met(e) || is_named)) continue;
    if (can_be_named(e) || is_named) {
      if (before != ~0u && before != e.thread) writer.leave(before, next_of[before]);
      before = e.thread;
      next_of[e.thread] = next[at];
    }
    if (is_named && (e.kind == EventKind::Exit || e.kind == EventKind::StackEnd)) writer.end_frames(i);
    else writer.make(i, is_named, is_named ? it->second : std::uint16_t{0});
  }
  if (before != ~0u) writer.leave(before);
}

std::string base_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

} // namespace

std::vector<std::uint32_t> run_of(const witness::Witness& witness) {
  std::vector<std::uint32_t> out(witness.observed);
  std::iota(out.begin(), out.end(), 0u);
  out.insert(out.end(), witness.steps.begin(), witness.steps.end());
  return out;
}

std::optional<Script> script_of(const Trace& trace, const witness::Finding& finding,
                                const std::vector<std::uint32_t>& run, std::uint64_t& work) {
  if (finding.status != witness::Status::Predicted || trace.is_piece || run.size() > kMostSteps) return std::nullopt;
  Script script;
  script.program = base_of(trace.process.program);
  script.goal = goal_of(finding.kind);
  Writer writer(trace, script);
  writer.add_threads(run);
  write_run(trace, run, named_events(trace, finding), writer);
  // A hook of a read comes behind the load. So threads that write stop first, and the read is the
  // last thing that happens.
  for (const bool reads : {false, true})
    for (const std::uint32_t event : finding.witness.next) {
      if (event >= trace.events.size() || !writer.knows(trace.events[event].thread)) return std::nullopt;
      if ((trace.events[event].kind == EventKind::Read) == reads) writer.stop(event);
    }
  if (script.steps.empty()) return std::nullopt;
  if (const auto pair = critical_pair(trace, finding, run, work);
      pair && writer.knows(trace.events[pair->early].thread) && writer.knows(trace.events[pair->late].thread)) {
    script.early = writer.told(pair->early);
    script.late = writer.told(pair->late);
  }
  return script;
}

Script script_of_recording(const Trace& trace) {
  Script script;
  script.program = base_of(trace.process.program);
  script.finding = "recorded";
  std::vector<std::uint32_t> run(trace.events.size());
  std::iota(run.begin(), run.end(), 0u);
  Writer writer(trace, script);
  writer.add_threads(run);
  write_run(trace, with_fewer_switches(trace, run), {}, writer);
  // Threads that outlive the program end with it.
  const auto ends = [](const ScriptStep& step) { return step.kind == EventKind::ThreadEnd && step.thread == 0; };
  if (const auto end = std::ranges::find_if(script.steps, ends); end != script.steps.end())
    script.steps.erase(end + 1, script.steps.end());
  return script;
}

} // namespace sooth::replay
