#include "replay/continued_run.h"

#include <algorithm>

#include <absl/container/flat_hash_map.h>

#include "trace/effects.h"

namespace sooth::replay {

using trace::Event;
using trace::EventKind;
using trace::ObjectKind;
using trace::Trace;

namespace {

struct LockNow {
  std::uint32_t owner = kNotMade;
  std::uint32_t depth = 0;
  absl::flat_hash_map<std::uint32_t, std::uint32_t> readers; // by thread: how often
};

// What the events so far have left behind.
class World {
public:
  explicit World(std::size_t threads) : signalled_(threads) {}

  absl::flat_hash_map<std::uint64_t, std::int64_t> counts; // of semaphores

  bool lets(const Event& e) {
    if (e.has(trace::kFailed)) return trace::lock_of(e) == 0 || e.kind != EventKind::Wake || is_free(e, e.value, false);
    if (e.kind == EventKind::SemWait) return counts[e.address] > 0;
    if (e.kind == EventKind::Wake && !signalled_[e.thread]) return false;
    if (!trace::takes_lock(e.kind)) return true;
    return is_free(e, trace::lock_of(e), trace::does(e.kind, trace::act::kShares) && e.kind != EventKind::Wake);
  }

  void make(const Event& e) {
    const bool failed = e.has(trace::kFailed);
    if (e.kind == EventKind::SemPost && !failed) ++counts[e.address];
    if (e.kind == EventKind::SemWait && !failed) --counts[e.address];
    if (e.kind == EventKind::Wait) wait(e);
    if (e.kind == EventKind::Wake) std::erase(waiting_[e.address], e.thread);
    if (e.kind == EventKind::Signal) signal(e.address, false);
    if (e.kind == EventKind::Broadcast) signal(e.address, true);
    trace::for_lock_move(
        e, [&](const trace::Affected& lock) { take(e, lock); }, [&](const trace::Affected& lock) { give(e, lock); });
  }

private:
  bool is_free(const Event& e, std::uint64_t address, bool shared) {
    const LockNow& lock = locks_[address];
    if (lock.depth != 0 && lock.owner != e.thread) return false;
    return shared || lock.readers.empty() || (lock.readers.size() == 1 && lock.readers.contains(e.thread));
  }
  void take(const Event& e, const trace::Affected& affected) {
    LockNow& lock = locks_[affected.address];
    if (affected.shared) {
      ++lock.readers[e.thread];
      return;
    }
    lock.owner = e.thread;
    ++lock.depth;
  }
  void give(const Event& e, const trace::Affected& affected) {
    LockNow& lock = locks_[affected.address];
    if (affected.shared) {
      if (const auto it = lock.readers.find(e.thread); it != lock.readers.end() && --it->second == 0)
        lock.readers.erase(it);
      return;
    }
    if (lock.depth != 0) lock.depth = affected.whole ? 0 : lock.depth - 1;
  }
  void wait(const Event& e) {
    signalled_[e.thread] = false;
    waiting_[e.address].push_back(e.thread);
  }
  void signal(std::uint64_t condition, bool all) {
    for (const std::uint32_t thread : waiting_[condition]) { // the oldest one first
      if (signalled_[thread]) continue;
      signalled_[thread] = true;
      if (!all) return;
    }
  }

  absl::flat_hash_map<std::uint64_t, LockNow> locks_;
  absl::flat_hash_map<std::uint64_t, std::vector<std::uint32_t>> waiting_; // by condition
  std::vector<bool> signalled_;                                            // by thread
};

// Of everything but locks, conditions and semaphores: who takes comes after who gave, as recorded.
struct Needs : trace::EffectVisitor {
  absl::flat_hash_map<std::uint64_t, std::uint32_t>& given;
  std::vector<std::uint32_t>& forks;
  std::vector<std::uint32_t>& endings; // by thread
  const Event& event;
  std::uint32_t number;
  std::uint32_t& need;
  Needs(absl::flat_hash_map<std::uint64_t, std::uint32_t>& g, std::vector<std::uint32_t>& f,
        std::vector<std::uint32_t>& e, const Event& ev, std::uint32_t n, std::uint32_t& out)
      : given(g), forks(f), endings(e), event(ev), number(n), need(out) {}

  static bool is_kept(ObjectKind kind) {
    return kind != ObjectKind::Lock && kind != ObjectKind::Condition && kind != ObjectKind::Semaphore;
  }
  void takes(const trace::Affected& object) {
    if (!is_kept(object.kind)) return;
    if (const auto it = given.find(object.address); it != given.end()) need = it->second;
  }
  void gives(const trace::Affected& object) {
    if (is_kept(object.kind)) given[object.address] = number;
  }
  void creates(std::uint64_t thread) {
    if (thread < forks.size()) forks[thread] = number;
  }
  void joins(std::uint64_t thread) {
    if (thread < endings.size()) need = endings[thread];
  }
  void starts() { need = forks[event.thread]; }
  void stops() { endings[event.thread] = number; }
};

} // namespace

ContinuedRuns::ContinuedRuns(const Trace& trace)
    : trace_(trace), of_thread_(trace.threads.size()), needs_(trace.events.size(), kNotMade) {
  absl::flat_hash_map<std::uint64_t, std::uint32_t> given;
  absl::flat_hash_map<std::uint64_t, std::int64_t> counts;
  std::vector<std::uint32_t> forks(trace.threads.size(), kNotMade), ends = forks;
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
    const Event& e = trace.events[i];
    of_thread_[e.thread].push_back(i);
    trace::for_each_effect(e, Needs(given, forks, ends, e, i, needs_[i]));
    if (e.has(trace::kFailed)) continue;
    if (e.kind == EventKind::SemInit) first_counts_[e.address] = static_cast<std::int64_t>(e.value & 0xffffffff);
    if (e.kind == EventKind::SemPost) ++counts[e.address];
    if (e.kind == EventKind::SemWait) { // its first count was at least so high
      std::int64_t& first = first_counts_[e.address];
      first = std::max(first, -(--counts[e.address]));
    }
  }
}

std::vector<std::uint32_t> ContinuedRuns::run(std::span<const std::uint32_t> begin) const {
  World world(trace_.threads.size());
  for (const auto& [semaphore, count] : first_counts_) world.counts[semaphore] = count;
  std::vector<bool> made(trace_.events.size());
  std::vector<std::size_t> next(of_thread_.size());
  std::vector<std::uint32_t> out;
  const auto make = [&](std::uint32_t event) {
    const Event& e = trace_.events[event];
    world.make(e);
    made[event] = true;
    ++next[e.thread];
    out.push_back(event);
  };
  for (const std::uint32_t event : begin) make(event);
  for (;;) {
    std::uint32_t best = kNotMade;
    for (std::size_t t = 0; t < of_thread_.size(); ++t) {
      if (next[t] >= of_thread_[t].size()) continue;
      const std::uint32_t event = of_thread_[t][next[t]];
      if (event >= best || (needs_[event] != kNotMade && !made[needs_[event]])) continue;
      if (world.lets(trace_.events[event])) best = event;
    }
    if (best == kNotMade) return out;
    make(best);
  }
}

} // namespace sooth::replay
