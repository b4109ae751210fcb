#include "reference/reference.h"

#include <algorithm>

namespace sooth::reference {

using trace::Event;
using trace::EventKind;

namespace {

bool is_access(const Event& e) { return trace::reads_memory(e.kind) || trace::writes_memory(e.kind); }
bool is_lock(const Event& e) {
  return e.kind == EventKind::Acquire || e.kind == EventKind::Release || e.kind == EventKind::AcquireShared ||
         e.kind == EventKind::ReleaseShared;
}
bool is_shared(const Event& e) {
  return (e.kind == EventKind::AcquireShared || e.kind == EventKind::ReleaseShared) && !e.has(trace::kFailed);
}
bool is_atomic(const Event& e) {
  return e.kind == EventKind::AtomicRead || e.kind == EventKind::AtomicWrite || e.kind == EventKind::AtomicRmw;
}
// The lock is another one from here on.
bool renews(const Event& e) { return e.kind == EventKind::LockInit || e.kind == EventKind::LockDestroy; }
// The lock that the event takes, tries or gives up; 0: none.
std::uint64_t lock_of(const Event& e) {
  if (is_lock(e)) return e.address;
  return e.kind == EventKind::Wait || e.kind == EventKind::Wake ? e.value : 0;
}
int byte_of(std::uint64_t word, std::uint64_t index) { return static_cast<int>(word >> (8 * index) & 0xff); }

} // namespace

Reference::Reference(const trace::Trace& trace)
    : trace_(trace), threads_(trace.threads.size()), place_(trace.events.size()), saw_(trace.events.size()) {
  std::map<std::uint64_t, EventNumber> last;
  for (EventNumber i = 0; i < trace.events.size(); ++i) {
    const Event& e = trace.events[i];
    place_[i] = static_cast<std::uint32_t>(threads_[e.thread].size());
    threads_[e.thread].push_back(i);
    if (!is_access(e)) continue;
    for (std::uint64_t byte = e.address; byte < e.address + e.size; ++byte) {
      values_.insert(byte_of(e.value, byte - e.address));
      const auto writer = last.find(byte);
      saw_[i][byte] = writer == last.end() ? kNone : writer->second;
      const std::uint64_t seen = e.kind == EventKind::AtomicRmw ? e.extra : e.value;
      if (trace::reads_memory(e.kind) && writer == last.end())
        first_value_.try_emplace(byte, byte_of(seen, byte - e.address));
      if (trace::writes_memory(e.kind)) last[byte] = i;
    }
  }
  pair_up();
}

State Reference::initial() const { return {std::vector<std::uint32_t>(threads_.size()), {}}; }

EventNumber Reference::next(const State& state, std::uint32_t thread) const {
  const auto& mine = threads_[thread];
  return state.progress[thread] < mine.size() ? mine[state.progress[thread]] : kNone;
}

bool Reference::done(const State& state, EventNumber event) const {
  return place_[event] < state.progress[trace_.events[event].thread];
}

int Reference::value(std::uint64_t byte, EventNumber writer) const {
  if (writer != kNone) return byte_of(trace_.events[writer].value, byte - trace_.events[writer].address);
  const auto first = first_value_.find(byte);
  return first == first_value_.end() ? -1 : first->second;
}

bool Reference::conflict(EventNumber a, EventNumber b) const {
  const Event &x = trace_.events[a], &y = trace_.events[b];
  return is_access(x) && is_access(y) && x.thread != y.thread && x.address < y.address + y.size &&
         y.address < x.address + x.size && (trace::writes_memory(x.kind) || trace::writes_memory(y.kind));
}

bool Reference::memory_allows(const State& state, EventNumber event, Model model) const {
  const Event& e = trace_.events[event];
  if (!is_access(e)) return true;
  if (model == Model::HappensBefore || model == Model::HappensBeforeLocks) {
    for (EventNumber earlier = 0; earlier < event; ++earlier)
      if (conflict(earlier, event) && !done(state, earlier)) return false;
    return true;
  }
  if (!trace::reads_memory(e.kind) || model == Model::Full) return true; // full: see full.h
  for (const auto& [byte, writer] : saw_[event]) {
    const auto found = state.last.find(byte);
    const EventNumber now = found == state.last.end() ? kNone : found->second;
    if (now != writer && !(model == Model::Maximal && same_value(state, event, byte))) return false;
  }
  return true;
}

bool Reference::same_value(const State& state, EventNumber event, std::uint64_t byte) const {
  const auto found = state.last.find(byte);
  const EventNumber now = found == state.last.end() ? kNone : found->second, writer = saw_[event].at(byte);
  return now == writer || (value(byte, now) != -1 && value(byte, now) == value(byte, writer));
}

Reference::LockState Reference::lock(const State& state, std::uint64_t address) const {
  LockState result;
  for (std::uint32_t t = 0; t < threads_.size(); ++t) {
    bool owns = false, reads = false;
    for (std::uint32_t i = 0; i < state.progress[t]; ++i) {
      const Event& e = trace_.events[threads_[t][i]];
      if (e.kind == EventKind::Wait && e.value == address) owns = false;
      if (e.kind == EventKind::Wake && e.value == address) owns = true;
      if (!is_lock(e) || e.address != address || e.has(trace::kFailed)) continue;
      if (e.kind == EventKind::Acquire) owns = true;
      if (e.kind == EventKind::Release) owns = false;
      if (e.kind == EventKind::AcquireShared) reads = true;
      if (e.kind == EventKind::ReleaseShared) reads = false;
    }
    if (owns) result.owner = t;
    if (reads) result.readers.insert(t);
  }
  return result;
}

bool Reference::lock_allows(const State& state, EventNumber event) const {
  const Event& e = trace_.events[event];
  if (e.kind == EventKind::Wake && e.value != 0) return lock(state, e.value).owner == kNone;
  if (e.kind != EventKind::Acquire && e.kind != EventKind::AcquireShared) return true;
  const LockState now = lock(state, e.address);
  const bool shared = e.kind == EventKind::AcquireShared;
  const bool excluded = now.owner != kNone || (!shared && !now.readers.empty());
  return e.has(trace::kFailed) ? excluded : !excluded;
}

bool Reference::started(const State& state, std::uint32_t thread) const {
  for (EventNumber i = 0; i < trace_.events.size(); ++i)
    if (trace_.events[i].kind == EventKind::Fork && trace_.events[i].value == thread) return done(state, i);
  return true;
}

bool Reference::enabled(const State& state, std::uint32_t thread, Model model, bool locks, std::uint32_t late) const {
  const EventNumber event = next(state, thread);
  if (event == kNone || !started(state, thread)) return false;
  const Event& e = trace_.events[event];
  if (e.kind == EventKind::Join && state.progress[e.value] < threads_[e.value].size()) return false;
  if (!primitive_allows(state, event, model) || !life_allows(state, event, late)) return false;
  // hb: a lock is a variable that shared uses read, and all others write.
  if (model == Model::HappensBefore && lock_of(e) != 0) {
    for (EventNumber earlier = 0; earlier < event; ++earlier) {
      const Event& other = trace_.events[earlier];
      const bool conflicts = lock_of(other) == lock_of(e) && !(is_shared(e) && is_shared(other));
      if (conflicts && !done(state, earlier)) return false;
    }
  }
  return (!locks || lock_allows(state, event)) && memory_allows(state, event, model);
}

State Reference::after(const State& state, std::uint32_t thread) const {
  State result = state;
  const EventNumber event = next(state, thread);
  const Event& e = trace_.events[event];
  ++result.progress[thread];
  if (trace::writes_memory(e.kind))
    for (std::uint64_t byte = e.address; byte < e.address + e.size; ++byte) result.last[byte] = event;
  if (e.kind == EventKind::BarrierArrive) result.uses[e.address].push_back(event);
  if (e.kind != EventKind::Wait && e.kind != EventKind::Wake && e.kind != EventKind::Signal &&
      e.kind != EventKind::Broadcast)
    return result;
  std::vector<EventNumber>& uses = result.uses[e.address];
  uses.push_back(event);
  int waiting = 0;
  for (const EventNumber use : uses) {
    waiting += trace_.events[use].kind == EventKind::Wait ? 1 : 0;
    waiting -= trace_.events[use].kind == EventKind::Wake ? 1 : 0;
  }
  if (waiting == 0) result.uses.erase(e.address);
  return result;
}

// --- Lives of locks ------------------------------------------------------------------------------

bool Reference::life_allows(const State& state, EventNumber event, std::uint32_t late) const {
  const Event& e = trace_.events[event];
  const std::uint64_t lock = renews(e) ? e.address : lock_of(e);
  if (lock == 0) return true;
  for (EventNumber i = 0; i < event; ++i) {
    const Event& earlier = trace_.events[i];
    if ((renews(earlier) ? earlier.address : lock_of(earlier)) != lock || (!renews(e) && !renews(earlier))) continue;
    if (e.kind == EventKind::LockDestroy && earlier.thread == late) continue;
    if (!done(state, i)) return false;
  }
  return true;
}

bool Reference::comes_too_late(EventNumber use, EventNumber destroy, Model model) const {
  const std::uint32_t late = trace_.events[use].thread;
  std::set<State> seen{initial()};
  std::vector<State> waiting{initial()};
  while (!waiting.empty()) {
    const State here = std::move(waiting.back());
    waiting.pop_back();
    if (done(here, destroy) && next(here, late) == use) return true;
    for (std::uint32_t t = 0; t < threads_.size(); ++t) {
      const EventNumber event = next(here, t);
      if (event == use || !enabled(here, t, model, true, late)) continue;
      // The thread's own uses of this lock, before that one, were in time.
      bool in_time = true;
      for (const EventNumber own : threads_[late])
        if (event == destroy && own < use && lock_of(trace_.events[own]) == trace_.events[destroy].address)
          in_time = in_time && done(here, own);
      if (!in_time) continue;
      State there = after(here, t);
      if (seen.insert(there).second) waiting.push_back(std::move(there));
    }
  }
  return false;
}

std::set<Reference::Pair> Reference::uses_after_destroy(Model model) const {
  std::set<Pair> result;
  for (EventNumber destroy = 0; destroy < trace_.events.size(); ++destroy) {
    const Event& e = trace_.events[destroy];
    if (e.kind != EventKind::LockDestroy) continue;
    for (EventNumber use = destroy; use-- > 0;) {
      const Event& other = trace_.events[use];
      if (renews(other) && other.address == e.address) break; // another life
      if (lock_of(other) == e.address && other.thread != e.thread && comes_too_late(use, destroy, model))
        result.insert({use, destroy});
    }
  }
  return result;
}

std::set<Reference::Pair> Reference::half_made(const std::set<State>& states) const {
  std::set<Pair> result;
  const auto object = [&](EventNumber i) {
    const Event& e = trace_.events[i];
    return renews(e) ? e.address : lock_of(e);
  };
  for (const State& state : states)
    for (std::uint32_t t = 0; t < threads_.size(); ++t)
      for (std::uint32_t u = 0; u < threads_.size(); ++u) {
        const EventNumber init = next(state, t), other = next(state, u);
        if (t == u || init == kNone || other == kNone || !started(state, t) || !started(state, u)) continue;
        if (trace_.events[init].kind != EventKind::LockInit || object(other) != object(init)) continue;
        bool one_life = true;
        for (EventNumber i = std::min(init, other) + 1; i < std::max(init, other); ++i)
          one_life = one_life && !(renews(trace_.events[i]) && object(i) == object(init));
        if (one_life) result.insert({u, init});
      }
  return result;
}

// --- Semaphores, conditions, barriers ------------------------------------------------------------

// What hb keeps: each wait the post that was there longest, each wake-up the first signal that
// nobody else used. And what is not known: first counts are the least that explains the trace;
// wake-ups without a signal happen at any time.
void Reference::pair_up() {
  std::map<std::uint64_t, std::int64_t> balance;
  for (const Event& e : trace_.events) {
    if (e.kind == EventKind::SemInit) balance[e.address] = static_cast<std::int64_t>(e.value);
    if (e.kind == EventKind::SemPost) ++balance[e.address];
    if (e.kind == EventKind::SemWait && --balance[e.address] < 0) {
      balance[e.address] = 0;
      ++least_count_[e.address];
    }
  }
  std::map<std::uint64_t, std::int64_t> free = least_count_;
  std::map<std::uint64_t, std::vector<EventNumber>> posts;
  std::set<EventNumber> used;
  for (EventNumber i = 0; i < trace_.events.size(); ++i) {
    const Event& e = trace_.events[i];
    if (e.kind == EventKind::SemInit) free[e.address] = static_cast<std::int64_t>(e.value);
    if (e.kind == EventKind::SemPost) posts[e.address].push_back(i);
    if (e.kind == EventKind::SemWait) {
      if (free[e.address]-- > 0) continue;
      after_[i].push_back(posts[e.address].front());
      posts[e.address].erase(posts[e.address].begin());
    }
    if (e.kind != EventKind::Wake || e.has(trace::kFailed)) continue;
    EventNumber by = kNone;
    for (EventNumber s = wait_of(i) + 1; s < i && by == kNone; ++s) {
      const Event& signal = trace_.events[s];
      const bool one = signal.kind == EventKind::Signal && !used.contains(s);
      if (signal.address == e.address && (one || signal.kind == EventKind::Broadcast)) by = s;
    }
    if (by == kNone) {
      spurious_.insert(i);
      continue;
    }
    if (trace_.events[by].kind == EventKind::Signal) used.insert(by);
    after_[i].push_back(by);
    after_[by].push_back(wait_of(i));
  }
}

EventNumber Reference::wait_of(EventNumber wake) const {
  const Event& e = trace_.events[wake];
  for (EventNumber i = wake; i-- > 0;)
    if (trace_.events[i].thread == e.thread && trace_.events[i].kind == EventKind::Wait) return i;
  return kNone;
}

bool Reference::initialised(const State& state, EventNumber event) const {
  for (EventNumber i = 0; i < event; ++i) {
    const EventKind kind = trace_.events[i].kind;
    const bool begins = kind == EventKind::SemInit || kind == EventKind::BarrierInit;
    if (begins && trace_.events[i].address == trace_.events[event].address && !done(state, i)) return false;
  }
  return true;
}

bool Reference::as_recorded(const State& state, EventNumber event) const {
  const auto it = after_.find(event);
  return it == after_.end() ||
         std::ranges::all_of(it->second, [&](EventNumber earlier) { return done(state, earlier); });
}

bool Reference::primitive_allows(const State& state, EventNumber event, Model model) const {
  if (model == Model::HappensBefore && !as_recorded(state, event)) return false;
  const Event& e = trace_.events[event];
  switch (e.kind) {
  case EventKind::SemPost:
  case EventKind::BarrierArrive: return initialised(state, event);
  case EventKind::SemWait: return initialised(state, event) && count(state, e.address) > 0;
  case EventKind::BarrierLeave: return leave_allowed(state, event);
  case EventKind::Wake: return e.has(trace::kFailed) || spurious_.contains(event) || wake_allowed(state, event);
  default: return true;
  }
}

// Every wake-up so far, and this one, has a signal of its own between its wait and itself, or a
// broadcast there.
bool Reference::wake_allowed(const State& state, EventNumber wake) const {
  const auto it = state.uses.find(trace_.events[wake].address);
  if (it == state.uses.end()) return false;
  std::vector<EventNumber> uses = it->second;
  uses.push_back(wake);
  std::vector<std::vector<std::size_t>> choices; // of each wake-up: signals between
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const Event& e = trace_.events[uses[i]];
    if (e.kind != EventKind::Wake || e.has(trace::kFailed) || spurious_.contains(uses[i])) continue;
    std::vector<std::size_t> mine;
    bool broadcast = false;
    for (std::size_t k = i; k-- > 0;) {
      const Event& earlier = trace_.events[uses[k]];
      if (earlier.kind == EventKind::Wait && earlier.thread == e.thread) break;
      if (earlier.kind == EventKind::Signal) mine.push_back(k);
      broadcast |= earlier.kind == EventKind::Broadcast;
    }
    if (!broadcast) choices.push_back(mine);
  }
  std::set<std::size_t> used;
  const std::function<bool(std::size_t)> serve = [&](std::size_t i) {
    if (i == choices.size()) return true;
    for (const std::size_t signal : choices[i]) {
      if (!used.insert(signal).second) continue;
      if (serve(i + 1)) return true;
      used.erase(signal);
    }
    return false;
  };
  return serve(0);
}

bool Reference::leave_allowed(const State& state, EventNumber leave) const {
  const Event& e = trace_.events[leave];
  std::uint64_t size = 0;
  for (const Event& init : trace_.events)
    if (init.kind == EventKind::BarrierInit && init.address == e.address) size = init.value;
  const std::vector<EventNumber>& arrivals = state.uses.at(e.address);
  std::size_t mine = 0; // the last one
  for (std::size_t i = 0; i < arrivals.size(); ++i)
    if (trace_.events[arrivals[i]].thread == e.thread) mine = i;
  return arrivals.size() >= (mine / size + 1) * size;
}

std::set<State> Reference::states(Model model) const {
  std::set<State> seen{initial()};
  std::vector<State> waiting{initial()};
  while (!waiting.empty()) {
    const State here = std::move(waiting.back());
    waiting.pop_back();
    for (std::uint32_t t = 0; t < threads_.size(); ++t) {
      if (!enabled(here, t, model)) continue;
      State there = after(here, t);
      if (seen.insert(there).second) waiting.push_back(std::move(there));
    }
  }
  return seen;
}

void Reference::runs(Model model,
                     const std::function<void(const std::vector<EventNumber>&, const State&)>& visit) const {
  std::vector<EventNumber> run;
  const std::function<void(const State&)> extend = [&](const State& here) {
    visit(run, here);
    for (std::uint32_t t = 0; t < threads_.size(); ++t) {
      if (!enabled(here, t, model)) continue;
      run.push_back(next(here, t));
      extend(after(here, t));
      run.pop_back();
    }
  };
  extend(initial());
}

std::set<Reference::Pair> Reference::races(const std::set<State>& states) const {
  std::set<Pair> result;
  for (const State& state : states) {
    for (std::uint32_t t = 0; t < threads_.size(); ++t) {
      for (std::uint32_t u = t + 1; u < threads_.size(); ++u) {
        const EventNumber a = next(state, t), b = next(state, u);
        if (a == kNone || b == kNone || !conflict(a, b)) continue;
        if (is_atomic(trace_.events[a]) && is_atomic(trace_.events[b])) continue;
        if (started(state, t) && started(state, u)) result.insert({std::min(a, b), std::max(a, b)});
      }
    }
  }
  return result;
}

std::set<std::uint32_t> Reference::blockers(const State& state, EventNumber request) const {
  const Event& e = trace_.events[request];
  if (e.kind == EventKind::Join) {
    if (state.progress[e.value] < threads_[e.value].size()) return {static_cast<std::uint32_t>(e.value)};
    return {};
  }
  if (e.kind != EventKind::Acquire && e.kind != EventKind::AcquireShared) return {};
  if (e.has(trace::kFailed) || (e.value & trace::kLockTry) != 0) return {};
  LockState now = lock(state, e.address);
  if (e.kind == EventKind::AcquireShared) now.readers.clear();
  if (now.owner != kNone) now.readers.insert(now.owner);
  now.readers.erase(e.thread);
  return now.readers;
}

std::set<std::set<EventNumber>> Reference::deadlocks(const std::set<State>& states) const {
  std::set<std::set<EventNumber>> result;
  for (const State& state : states) {
    std::vector<std::set<std::uint32_t>> waits(threads_.size());
    for (std::uint32_t t = 0; t < threads_.size(); ++t)
      if (next(state, t) != kNone && started(state, t)) waits[t] = blockers(state, next(state, t));
    std::vector<std::uint32_t> path;
    const std::function<void(std::uint32_t)> follow = [&](std::uint32_t t) {
      path.push_back(t);
      for (const std::uint32_t u : waits[t]) {
        if (u == path.front() && path.size() > 1) {
          std::set<EventNumber> requests;
          for (const std::uint32_t member : path) requests.insert(next(state, member));
          result.insert(requests);
        } else if (u > path.front() && std::find(path.begin(), path.end(), u) == path.end()) {
          follow(u);
        }
      }
      path.pop_back();
    };
    for (std::uint32_t t = 0; t < threads_.size(); ++t) follow(t);
  }
  return result;
}

bool Reference::ended(const State& state, std::uint32_t thread) const {
  const auto& mine = threads_[thread];
  return thread != 0 && !mine.empty() && state.progress[thread] == mine.size() &&
         trace_.events[mine.back()].kind == EventKind::ThreadEnd;
}

std::int64_t Reference::count(const State& state, std::uint64_t semaphore) const {
  const auto least = least_count_.find(semaphore);
  std::int64_t result = least == least_count_.end() ? 0 : least->second;
  for (EventNumber i = 0; i < trace_.events.size(); ++i) {
    const Event& e = trace_.events[i];
    if (e.address != semaphore || !done(state, i)) continue;
    if (e.kind == EventKind::SemInit) result += static_cast<std::int64_t>(e.value);
    if (e.kind == EventKind::SemPost) ++result;
    if (e.kind == EventKind::SemWait) --result;
  }
  return result;
}

std::set<EventNumber> Reference::abandoned(const std::set<State>& states) const {
  std::set<EventNumber> result;
  for (const State& state : states) {
    for (std::uint32_t t = 0; t < threads_.size(); ++t) {
      const EventNumber request = next(state, t);
      if (request == kNone || !started(state, t) || trace_.events[request].kind == EventKind::Join) continue;
      for (const std::uint32_t owner : blockers(state, request))
        if (ended(state, owner)) result.insert(request);
    }
  }
  return result;
}

std::set<std::set<EventNumber>> Reference::standstills(const std::set<State>& states) const {
  std::set<std::set<EventNumber>> result;
  for (const State& state : states) {
    std::set<EventNumber> requests;
    bool still = true, semaphore = false;
    for (std::uint32_t t = 0; t < threads_.size() && still; ++t) {
      if (ended(state, t) || !started(state, t)) continue;
      const EventNumber request = next(state, t);
      const bool waits = request != kNone && trace_.events[request].kind == EventKind::SemWait &&
                         count(state, trace_.events[request].address) == 0;
      still = waits || (request != kNone && !blockers(state, request).empty());
      semaphore |= waits;
      if (still) requests.insert(request);
    }
    if (still && semaphore) result.insert(requests);
  }
  return result;
}

EventNumber Reference::end_of(EventNumber begin) const {
  const auto& mine = threads_[trace_.events[begin].thread];
  int depth = 0;
  for (std::uint32_t i = place_[begin]; i < mine.size(); ++i) {
    if (trace_.events[mine[i]].kind == EventKind::AtomicBegin) ++depth;
    if (trace_.events[mine[i]].kind == EventKind::AtomicEnd && --depth == 0) return mine[i];
  }
  return kNone;
}

std::vector<EventNumber> Reference::transactions() const {
  std::vector<EventNumber> result;
  for (EventNumber i = 0; i < trace_.events.size(); ++i)
    if (trace_.events[i].kind == EventKind::AtomicBegin && end_of(i) != kNone) result.push_back(i);
  return result;
}

// Some run has the whole block in one piece.
bool Reference::atomic(EventNumber begin, Model model, const std::set<State>& states) const {
  const std::uint32_t thread = trace_.events[begin].thread;
  const EventNumber end = end_of(begin);
  for (const State& start : states) {
    if (next(start, thread) != begin) continue;
    State here = start;
    while (!done(here, end) && enabled(here, thread, model)) here = after(here, thread);
    if (done(here, end)) return true;
  }
  return false;
}

// Some run has every block, each in one piece.
bool Reference::serialisable(Model model) const {
  const std::vector<EventNumber> blocks = transactions();
  const auto inside = [&](const State& state) -> EventNumber { // the block that is under way
    for (const EventNumber begin : blocks)
      if (done(state, begin) && !done(state, end_of(begin))) return begin;
    return kNone;
  };
  std::set<State> seen{initial()};
  std::vector<State> waiting{initial()};
  while (!waiting.empty()) {
    const State here = std::move(waiting.back());
    waiting.pop_back();
    if (std::all_of(blocks.begin(), blocks.end(), [&](EventNumber begin) { return done(here, end_of(begin)); }))
      return true;
    const EventNumber open = inside(here);
    for (std::uint32_t t = 0; t < threads_.size(); ++t) {
      if (open != kNone && trace_.events[open].thread != t) continue;
      if (!enabled(here, t, model)) continue;
      State there = after(here, t);
      if (seen.insert(there).second) waiting.push_back(std::move(there));
    }
  }
  return false;
}

// --- View serialisability --------------------------------------------------------------------------------------------

Reference::Outcome Reference::outcome_of(const Extended& run) const {
  Outcome out{run.state.progress, {}, run.diverged, run.seen};
  for (const auto& [byte, writer] : run.state.last) out.values[byte] = value(byte, writer);
  for (const std::uint64_t byte : run.unknown) out.values[byte] = kAny;
  return out;
}

Reference::Outcome Reference::recorded() const {
  Extended end{initial(), kNone, {}, {}, {}};
  for (EventNumber i = 0; i < trace_.events.size(); ++i) end.state = after(end.state, trace_.events[i].thread);
  return outcome_of(end);
}

std::vector<Reference::Extended> Reference::followers(const Extended& here, std::uint32_t thread, Model model,
                                                      bool anything) const {
  if (thread == here.diverged || (!here.unknown.empty() && !anything)) return {};
  const EventNumber number = next(here.state, thread);
  if (number == kNone) return {};
  const Event& e = trace_.events[number];
  std::vector<Extended> out;
  // What it reads is there, or nobody knows what is there.
  State as_seen = here.state;
  for (const std::uint64_t byte : here.unknown)
    if (saw_[number].contains(byte)) as_seen.last[byte] = saw_[number].at(byte);
  std::map<std::uint64_t, int> first = here.first;
  if (anything && trace::reads_memory(e.kind))
    for (const auto& [byte, writer] : saw_[number]) {
      if (here.state.last.contains(byte) || value(byte, kNone) != -1) continue;
      const int seen = value(byte, writer);
      if (first.try_emplace(byte, seen).first->second == seen) as_seen.last[byte] = writer;
    }
  std::erase_if(as_seen.last, [](const auto& byte) { return byte.second == kNone; });
  if (enabled(as_seen, thread, model, !anything)) {
    Extended there = here;
    there.state = after(here.state, thread);
    there.first = std::move(first);
    if (trace::writes_memory(e.kind))
      for (const auto& [byte, writer] : saw_[number]) there.unknown.erase(byte);
    out.push_back(std::move(there));
  }
  // It reads something else.
  if (here.diverged != kNone || !trace::reads_memory(e.kind) || !started(here.state, thread)) return out;
  std::vector<Extended> others{here};
  others.front().diverged = thread;
  for (const auto& [byte, writer] : saw_[number]) {
    const auto last = here.state.last.find(byte);
    const int now = value(byte, last == here.state.last.end() ? kNone : last->second);
    std::vector<Extended> more;
    for (Extended& there : others) {
      if (trace::writes_memory(e.kind)) there.unknown.insert(byte);
      if (now != -1) {
        there.seen[byte] = now;
        more.push_back(there);
        continue;
      }
      if (!anything) return out;
      for (int any = 0; any < 256; ++any) { // nobody knows what was there first
        if (const auto first = there.first.find(byte); first != there.first.end() && first->second != any) continue;
        if (!values_.contains(any)) continue;
        more.push_back(there);
        more.back().seen[byte] = more.back().first[byte] = any;
      }
    }
    others = std::move(more);
  }
  for (Extended& there : others)
    if (std::ranges::any_of(saw_[number], [&](const auto& saw) {
          return there.seen.at(saw.first) != value(saw.first, saw.second) || value(saw.first, saw.second) == -1;
        }))
      out.push_back(std::move(there));
  return out;
}

std::set<Reference::Outcome> Reference::outcomes(Model model, const std::set<EventNumber>& whole, bool anything) const {
  const auto inside = [&](const Extended& run) -> std::uint32_t { // the thread that must go on
    for (const EventNumber begin : whole) {
      const std::uint32_t thread = trace_.events[begin].thread;
      if (thread != run.diverged && done(run.state, begin) && !done(run.state, end_of(begin))) return thread;
    }
    return kNone;
  };
  const Extended start{initial(), kNone, {}, {}, {}};
  std::set<Extended> seen{start};
  std::vector<Extended> waiting{start};
  std::set<Outcome> out;
  while (!waiting.empty()) {
    const Extended here = std::move(waiting.back());
    waiting.pop_back();
    out.insert(outcome_of(here));
    const std::uint32_t only = inside(here);
    for (std::uint32_t t = 0; t < threads_.size(); ++t) {
      if (only != kNone && only != t) continue;
      for (Extended& there : followers(here, t, model, anything))
        if (seen.insert(there).second) waiting.push_back(std::move(there));
    }
  }
  return out;
}

std::set<EventNumber> Reference::blocks_of(const Outcome& outcome, bool outermost) const {
  std::set<EventNumber> out;
  const State state{outcome.progress, {}};
  for (const EventNumber begin : transactions()) {
    const std::uint32_t thread = trace_.events[begin].thread;
    if (!done(state, begin) || (!done(state, end_of(begin)) && thread != outcome.diverged)) continue;
    const bool nested = std::ranges::any_of(transactions(), [&](EventNumber other) {
      return other < begin && trace_.events[other].thread == thread && end_of(other) > end_of(begin);
    });
    if (!outermost || !nested) out.insert(begin);
  }
  return out;
}

bool Reference::every_lock_released() const {
  State end = initial();
  for (std::uint32_t t = 0; t < threads_.size(); ++t) end.progress[t] = static_cast<std::uint32_t>(threads_[t].size());
  for (const Event& e : trace_.events) {
    if (!is_lock(e)) continue;
    const LockState now = lock(end, e.address);
    if (now.owner != kNone || !now.readers.empty()) return false;
  }
  return true;
}

} // namespace sooth::reference
