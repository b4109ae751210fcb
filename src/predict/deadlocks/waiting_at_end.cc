#include "predict/deadlocks/waiting_at_end.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "predict/deadlocks/blocking.h"
#include "predict/question/unrecorded.h"
#include "trace/contents.h"
#include "trace/effects.h"
#include "trace/own_memory.h"

namespace sooth::predict {
namespace {

using trace::Event;
using trace::EventKind;
using trace::Trace;
using witness::Finding;
using witness::Role;

constexpr std::uint32_t kUnknown = 0xffffffff;

// Owners at one moment of the recorded run.
class Holdings {
public:
  struct Holder {
    std::uint32_t thread = kUnknown;
    std::uint32_t event = 0; // that took it
  };
  struct Lock {
    std::optional<Holder> owner;
    std::uint32_t depth = 0;
    std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> readers; // thread: event, how often
  };
  struct Barrier {
    std::uint64_t needed = 0; // 0: not known
    std::uint64_t arrived = 0;
    std::map<std::uint32_t, std::uint64_t> last; // by thread: how many had arrived before it
  };
  struct Wait {
    std::uint64_t mutex = 0;
    bool open = false, signalled = false;
  };

  explicit Holdings(const Trace& trace)
      : trace_(trace), ended(trace.threads.size(), false), cancelled(trace.threads.size(), false),
        waits_(trace.threads.size()) {}

  void apply(const Event& e, std::uint32_t index) {
    if (e.has(trace::kFailed) && e.kind != EventKind::Wake && e.kind != EventKind::OnceEnd) return;
    for_lock_move(
        e, [&](const trace::Affected& lock) { take(lock, e.thread, index); },
        [&](const trace::Affected& lock) { give(lock, e.thread); });
    switch (e.kind) {
    case EventKind::LockInit:
      locks.erase(e.address);
      if ((e.value & trace::kLockProcessShared) != 0) shared.insert(e.address);
      else shared.erase(e.address);
      return;
    case EventKind::LockDestroy:
      if (!e.has(trace::kFailed)) locks.erase(e.address);
      return;
    case EventKind::Wait:
      waits_[e.thread] = {e.value, true, false};
      waiting_on_[e.address].insert(e.thread);
      return;
    case EventKind::Wake:
      waits_[e.thread].open = false;
      waiting_on_[e.address].erase(e.thread);
      return;
    case EventKind::Signal:
    case EventKind::Broadcast: // it may have woken any of them
      for (const std::uint32_t thread : waiting_on_[e.address]) waits_[thread].signalled = true;
      return;
    case EventKind::SemInit: semaphores[e.address] = static_cast<std::int64_t>(e.value & 0xffffffff); return;
    case EventKind::SemPost:
      if (const auto it = semaphores.find(e.address); it != semaphores.end()) ++it->second;
      return;
    case EventKind::SemWait:
      if (const auto it = semaphores.find(e.address); it != semaphores.end()) --it->second;
      return;
    case EventKind::BarrierInit: {
      Barrier& barrier = barriers[e.address];
      const bool again = barrier.needed != 0 || barrier.arrived != 0;
      barrier = {again || e.value >> 32 != 0 ? 0 : e.value, 0, {}};
      return;
    }
    case EventKind::BarrierArrive: {
      Barrier& barrier = barriers[e.address];
      barrier.last[e.thread] = barrier.arrived++;
      return;
    }
    case EventKind::OnceBegin: initialising[e.address] = {e.thread, index}; return;
    case EventKind::OnceEnd: initialising.erase(e.address); return;
    case EventKind::Cancel:
      if (e.value < cancelled.size()) cancelled[e.value] = true;
      return;
    case EventKind::ThreadEnd: ended[e.thread] = ends_only_its_thread(trace_, e); return;
    default: return;
    }
  }

  const Wait& wait_of(std::uint32_t thread) const { return waits_[thread]; }

private:
  void take(const trace::Affected& taken, std::uint32_t thread, std::uint32_t index) {
    Lock& lock = locks[taken.address];
    if (taken.shared) {
      ++lock.readers.try_emplace(thread, index, 0).first->second.second;
      return;
    }
    if (lock.owner && lock.owner->thread == thread) {
      ++lock.depth;
      return;
    }
    lock.owner = {thread, index};
    lock.depth = 1;
  }
  void give(const trace::Affected& given, std::uint32_t thread) {
    Lock& lock = locks[given.address];
    if (given.shared) {
      if (const auto it = lock.readers.find(thread); it != lock.readers.end() && --it->second.second == 0)
        lock.readers.erase(it);
      return;
    }
    if (!given.whole && lock.depth > 1) {
      --lock.depth;
      return;
    }
    lock.owner.reset();
    lock.depth = 0;
  }

  const Trace& trace_;

public:
  std::map<std::uint64_t, Lock> locks;
  std::map<std::uint64_t, std::int64_t> semaphores; // those whose first count is known
  std::map<std::uint64_t, Barrier> barriers;
  std::map<std::uint64_t, Holder> initialising;
  std::set<std::uint64_t> shared; // locks and conditions that other processes use
  std::vector<bool> ended;        // and the process has not ended with it
  std::vector<bool> cancelled;    // it will end as soon as it notices

private:
  std::vector<Wait> waits_;                                     // by thread
  std::map<std::uint64_t, std::set<std::uint32_t>> waiting_on_; // by condition
};

class Analysis {
public:
  explicit Analysis(const Trace& trace) : trace_(trace), state_(trace), request_of_(trace.threads.size(), kUnknown) {}

  WaitingAtEnd run() {
    find_moment();
    if (requests_.empty()) return {};
    for (std::uint32_t i = 0; i < moment_; ++i) state_.apply(trace_.events[i], i);
    outside_ = (trace_.flags & trace::kMayBeInterrupted) != 0 || !trace_.process.unsupported.empty() ||
               !unrecorded_synchronisation(trace_).empty();
    for (const Event& e : trace_.events) outside_ |= e.kind == EventKind::SignalEnter;
    shrink();
    WaitingAtEnd out;
    out.deadlocks = findings();
    for (const std::uint32_t request : requests_)
      if (!stuck(trace_.events[request].thread)) out.others.push_back(request);
    out.all_stuck = everybody_is_stuck();
    return out;
  }

private:
  // Requests stand at the end, except those that a signal's handler has interrupted: there, the
  // moment before it counts.
  void find_moment() {
    moment_ = static_cast<std::uint32_t>(trace_.events.size());
    for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
      if (trace_.events[i].kind != EventKind::Request) continue;
      requests_.push_back(i);
      moment_ = std::min(moment_, i);
    }
    std::vector<bool> goes_on(trace_.threads.size(), false);
    for (std::uint32_t i = moment_; i < trace_.events.size(); ++i) {
      const Event& e = trace_.events[i];
      const bool waits = e.kind == EventKind::Request && !goes_on[e.thread];
      if (waits && !e.has(trace::kFill)) request_of_[e.thread] = i;
      goes_on[e.thread] = true;
    }
  }

  bool stuck(std::uint32_t thread) const { return thread < request_of_.size() && request_of_[thread] != kUnknown; }

  // From all that wait down to those that never go on.
  void shrink() {
    for (bool changed = true; changed;) {
      changed = false;
      const bool still = everybody_is_stuck();
      for (std::uint32_t thread = 0; thread < request_of_.size(); ++thread) {
        if (!stuck(thread) || never_granted(thread, still)) continue;
        request_of_[thread] = kUnknown;
        changed = true;
      }
    }
  }

  bool everybody_is_stuck() const {
    for (std::uint32_t thread = 0; thread < request_of_.size(); ++thread)
      if (!stuck(thread) && !state_.ended[thread]) return false;
    return true;
  }

  bool never_granted(std::uint32_t thread, bool still) {
    if (state_.cancelled[thread]) return false;
    const Event e = trace::awaited(trace_.events[request_of_[thread]]);
    if (!blockers(e).empty()) return true;
    return still && !outside_ && nobody_gave(e);
  }

  bool for_ever(std::uint32_t holder, bool survives) const {
    return stuck(holder) || (state_.ended[holder] && !survives);
  }

  // The owner of the object that the event waits for, who will never give it; and the event that
  // took it.
  std::vector<Holdings::Holder> blockers(const Event& e) const {
    switch (e.kind) {
    case EventKind::Acquire: return holders(e, e.address, false, (e.value & trace::kLockRobust) != 0);
    case EventKind::AcquireShared: return holders(e, e.address, true, false);
    case EventKind::Wake: // signalled, it waits for its mutex
      return state_.wait_of(e.thread).open ? holders(e, state_.wait_of(e.thread).mutex, false, true)
                                           : std::vector<Holdings::Holder>{};
    case EventKind::Join:
      if (stuck(static_cast<std::uint32_t>(e.value))) return {{static_cast<std::uint32_t>(e.value), kUnknown}};
      return {};
    case EventKind::OnceWait: {
      const auto it = state_.initialising.find(e.address);
      if (it == state_.initialising.end() || !stuck(it->second.thread)) return {};
      return {it->second};
    }
    default: return {};
    }
  }

  std::vector<Holdings::Holder> holders(const Event& e, std::uint64_t address, bool shared, bool robust) const {
    std::vector<Holdings::Holder> out;
    const auto it = state_.locks.find(address);
    if (it == state_.locks.end() || state_.shared.contains(address)) return out;
    const Holdings::Lock& lock = it->second;
    if (lock.owner && for_ever(lock.owner->thread, robust)) out.push_back(*lock.owner);
    const bool behind_writer = shared && (e.value & trace::kLockPreferWriter) != 0 && writer_waits(address, e.thread);
    for (const auto& [reader, held] : lock.readers)
      if ((!shared && for_ever(reader, false)) || (behind_writer && stuck(reader))) out.push_back({reader, held.first});
    return out;
  }

  bool writer_waits(std::uint64_t lock, std::uint32_t except) const {
    return std::ranges::any_of(request_of_, [&](std::uint32_t request) {
      if (request == kUnknown || trace_.events[request].thread == except) return false;
      const Event e = trace::awaited(trace_.events[request]);
      return e.kind == EventKind::Acquire && e.address == lock;
    });
  }

  // Any thread may give it, and none has so far.
  bool nobody_gave(const Event& e) const {
    switch (e.kind) {
    case EventKind::SemWait: {
      const auto it = state_.semaphores.find(e.address);
      return it != state_.semaphores.end() && it->second == 0;
    }
    case EventKind::BarrierLeave: {
      const auto it = state_.barriers.find(e.address);
      if (it == state_.barriers.end() || it->second.needed == 0) return false;
      const Holdings::Barrier& barrier = it->second;
      const auto mine = barrier.last.find(e.thread);
      return mine != barrier.last.end() && barrier.arrived < (mine->second / barrier.needed + 1) * barrier.needed;
    }
    case EventKind::Wake:
      // A signal wakes one of several waiters. Only one that was seen asleep is known not to be the
      // one.
      return state_.wait_of(e.thread).open && (!state_.wait_of(e.thread).signalled || seen_asleep()) &&
             !state_.shared.contains(e.address);
    case EventKind::FutexWait:
      if ((e.value & trace::kMayBeShared) != 0 && !trace::is_own_memory(trace_, e.address)) return false;
      // It sleeps only if the word is the expected one. If the word has changed since, the thread
      // must have been seen asleep.
      return seen_asleep() || last_word(e.address) == (e.value & 0xffffffff);
    default: return false;
    }
  }

  bool seen_asleep() const { return (trace_.flags & trace::kSeenAsleep) != 0; }

  // The last thing that the program wrote to the 4 bytes, if it wrote all of them at once.
  std::optional<std::uint64_t> last_word(std::uint64_t address) const {
    constexpr std::uint32_t kBytes = 4;
    for (std::uint32_t i = moment_; i-- > 0;) {
      const Event& e = trace_.events[i];
      if (!trace::writes_memory(e.kind) || e.address >= address + kBytes || address >= e.address + e.size) continue;
      const trace::Contents written = trace::written_by(trace_.bytes, e);
      if (written.is_opaque() || e.address > address || e.address + e.size < address + kBytes) return {};
      return written.word(address - e.address, 0, kBytes);
    }
    return {};
  }

  // Threads that wait for each other are one deadlock; if no other thread is left, all of them are.
  std::vector<Finding> findings() {
    std::vector<std::uint32_t> group(request_of_.size());
    for (std::uint32_t thread = 0; thread < group.size(); ++thread) group[thread] = thread;
    const auto root = [&](std::uint32_t thread) {
      while (group[thread] != thread) thread = group[thread];
      return thread;
    };
    std::optional<std::uint32_t> unowned;
    for (std::uint32_t thread = 0; thread < group.size(); ++thread) {
      if (!stuck(thread)) continue;
      const auto holders = blockers(trace::awaited(trace_.events[request_of_[thread]]));
      for (const Holdings::Holder& holder : holders) group[root(thread)] = root(holder.thread);
      if (holders.empty()) unowned = thread;
    }
    if (unowned)
      for (std::uint32_t thread = 0; thread < group.size(); ++thread)
        if (stuck(thread)) group[root(thread)] = root(*unowned);
    std::map<std::uint32_t, std::vector<std::uint32_t>> members; // requests
    for (std::uint32_t thread = 0; thread < group.size(); ++thread)
      if (stuck(thread)) members[root(thread)].push_back(request_of_[thread]);
    std::vector<Finding> out;
    out.reserve(members.size());
    for (auto& [unused, requests] : members) out.push_back(finding(std::move(requests)));
    return out;
  }

  Finding finding(std::vector<std::uint32_t> requests) const {
    std::ranges::sort(requests, {}, [&](std::uint32_t request) {
      const trace::Site& site = trace_.sites[trace_.events[request].site];
      return std::tuple(site.file, site.line, site.column, trace_.events[request].thread);
    });
    Finding out;
    out.kind = witness::FindingKind::Deadlock;
    out.status = witness::Status::Observed;
    out.engine = "recorded-run";
    out.witness.observed = moment_;
    std::set<std::uint32_t> held;
    bool unowned = false, abandoned = false, own = false;
    for (const std::uint32_t request : requests) {
      out.places.push_back({request, Role::Request});
      out.witness.next.push_back(request);
      const Event e = trace::awaited(trace_.events[request]);
      const auto holders = blockers(e);
      unowned |= holders.empty();
      for (const Holdings::Holder& holder : holders) {
        if (holder.event != kUnknown) held.insert(holder.event);
        abandoned |= !stuck(holder.thread);
        own |= holder.thread == e.thread;
      }
    }
    for (const std::uint32_t event : held) out.places.push_back({event, Role::Hold});
    if (unowned) out.note = "Every thread waits or has ended: nobody is left who could let one of them go.";
    else if (abandoned) out.note = "The thread that holds the lock has ended without giving it up.";
    else if (own && requests.size() == 1) out.note = "The thread itself has what it asks for.";
    return out;
  }

  const Trace& trace_;
  Holdings state_;                        // at the moment
  std::uint32_t moment_ = 0;              // so many events came before it
  std::vector<std::uint32_t> requests_;   // all of them
  std::vector<std::uint32_t> request_of_; // by thread: of those that never go on
  bool outside_ = false;                  // something may come that is not in the trace
};

} // namespace

WaitingAtEnd waiting_at_end(const Trace& trace) { return Analysis(trace).run(); }

} // namespace sooth::predict
