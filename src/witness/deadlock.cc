#include "witness/deadlock.h"

#include <algorithm>

#include <fmt/format.h>

namespace sooth::witness::checking {
namespace {

using trace::Event;
using trace::EventKind;
using trace::kFailed;

template <typename F>
void each_in_run(const Witness& witness, F&& f) {
  for (std::size_t i = 0; i < witness.observed; ++i) f(static_cast<EventNumber>(i));
  for (const EventNumber step : witness.steps) f(step);
}

class Deadlock {
public:
  Deadlock(const Finding& finding, const Facts& facts, const Replay& replay)
      : finding_(finding), facts_(facts), replay_(replay), trace_(facts.trace) {}

  Objection judge() const {
    if (finding_.witness.next.empty()) return "A deadlock is about threads that wait.";
    bool all_owned = true;
    for (const EventNumber request : finding_.witness.next) {
      if (!has_place(request, Role::Request))
        return fmt::format("The witness ends before {}, which the finding is not about.", describe(trace_, request));
      if (event(request).has(kFailed) || gives_up(event(request)))
        return fmt::format("{} does not wait for ever.", describe(trace_, request));
      if (owned(request)) continue;
      if (!alone(request))
        return fmt::format("{} does not wait for another thread of the deadlock.", describe(trace_, request));
      all_owned = false;
    }
    if (!all_owned)
      if (auto objection = all_still()) return objection;
    return holds();
  }

private:
  // The request waits for what somebody has who will never give it.
  bool owned(EventNumber request) const {
    const Event& e = event(request);
    switch (e.kind) {
    case EventKind::Acquire: return lock_blocked(e, e.address, false);
    case EventKind::AcquireShared: return lock_blocked(e, e.address, true);
    case EventKind::Wake: return e.value != 0 && lock_blocked(e, e.value, false);
    case EventKind::Join: return e.value != e.thread && waits(static_cast<std::uint32_t>(e.value));
    case EventKind::OnceBegin:
    case EventKind::OnceWait: {
      const std::uint32_t inside = initialiser(e.address);
      return inside != kNobody && inside != e.thread && waits(inside);
    }
    default: return false;
    }
  }

  static bool gives_up(const Event& e) {
    const bool tells =
        e.kind == EventKind::Acquire || e.kind == EventKind::AcquireShared || e.kind == EventKind::SemWait;
    return tells && (e.value & (trace::kLockTry | trace::kLockTimed)) != 0;
  }

  bool lock_blocked(const Event& e, std::uint64_t address, bool shared) const {
    const LockState& lock = replay_.lock(address);
    const auto for_ever = [&](std::uint32_t thread) {
      return thread != e.thread && (waits(thread) || (has_ended(thread) && !is_robust(e)));
    };
    if (lock.owner != LockState::kNobody && for_ever(lock.owner)) return true;
    for (const auto& [reader, depth] : lock.readers) {
      if (!shared && for_ever(reader)) return true;
      if (!shared || !waits(reader)) continue;
      // A writer of the deadlock stands in line before this reader.
      if ((e.value & trace::kLockPreferWriter) == 0) continue;
      for (const EventNumber other : finding_.witness.next)
        if (event(other).kind == EventKind::Acquire && event(other).address == address &&
            event(other).thread != e.thread)
          return true;
    }
    return false;
  }
  static bool is_robust(const Event& e) { return e.kind != EventKind::Wake && (e.value & trace::kLockRobust) != 0; }

  // The request waits for what anybody could give.
  bool alone(EventNumber request) const {
    const Event& e = event(request);
    switch (e.kind) {
    case EventKind::SemWait: return replay_.semaphore(e.address) == 0u;
    case EventKind::BarrierLeave: return group_incomplete(e);
    case EventKind::Wake: return no_signal_since_wait(finding_.witness, trace_, request);
    default: return false;
    }
  }

  bool group_incomplete(const Event& leave) const {
    std::uint64_t needed = 0, inits = 0;
    for (const Event& e : trace_.events) {
      if (e.kind != EventKind::BarrierInit || e.address != leave.address) continue;
      needed = e.value >> 32 == 0 ? e.value : 0;
      ++inits;
    }
    if (needed == 0 || inits != 1) return false;
    std::uint64_t arrived = 0, mine = 0;
    bool there = false;
    each_in_run(finding_.witness, [&](EventNumber number) {
      const Event& e = event(number);
      if (e.kind != EventKind::BarrierArrive || e.address != leave.address) return;
      if (e.thread == leave.thread) {
        mine = arrived;
        there = true;
      }
      ++arrived;
    });
    return there && arrived < (mine / needed + 1) * needed;
  }

  std::uint32_t initialiser(std::uint64_t control) const {
    std::uint32_t inside = kNobody;
    each_in_run(finding_.witness, [&](EventNumber number) {
      const Event& e = event(number);
      if (e.address != control) return;
      if (e.kind == EventKind::OnceBegin) inside = e.thread;
      if (e.kind == EventKind::OnceEnd) inside = kNobody;
    });
    return inside;
  }

  // Nobody is left who could do anything. Where a thread's end is the program's (it called exit, or main returned), nobody
  // waits for ever.
  Objection all_still() const {
    for (const Event& e : trace_.events)
      if (e.kind == EventKind::SignalEnter) return "The program has handlers of signals, which may help whoever waits.";
    for (std::uint32_t thread = 0; thread < facts_.of_thread.size(); ++thread)
      if (!waits(thread) && !has_ended(thread) && !never_begins(thread))
        return fmt::format("Thread {} may still go on, and help whoever waits.", thread);
    return {};
  }
  bool has_ended(std::uint32_t thread) const {
    const auto& mine = facts_.of_thread[thread];
    if (mine.empty() || replay_.progress(thread) != mine.size()) return false;
    const Event& last = event(mine.back());
    const trace::EndKind end = trace_.process.end;
    const bool exits = end == trace::EndKind::Exit || end == trace::EndKind::QuickExit;
    return last.kind == EventKind::ThreadEnd && (last.address != 0 || (thread != 0 && !exits));
  }
  bool never_begins(std::uint32_t thread) const {
    const auto& mine = facts_.of_thread[thread];
    if (mine.empty() || replay_.progress(thread) != 0) return false;
    const auto found = facts_.after.find(mine.front());
    return found != facts_.after.end() && std::ranges::any_of(found->second, [&](EventNumber earlier) {
             return event(earlier).kind == EventKind::Fork && !replay_.done(earlier);
           });
  }

  // What the finding calls a hold is one, by a thread that does not go on.
  Objection holds() const {
    for (const Place& place : finding_.places) {
      if (place.role != Role::Hold) continue;
      const Event& e = event(place.event);
      const LockAction action = lock_use(e).action;
      if (action != LockAction::Take && action != LockAction::TakeShared && e.kind != EventKind::OnceBegin)
        return fmt::format("The finding says that {} takes a lock.", describe(trace_, place.event));
      if (!replay_.done(place.event) || (!waits(e.thread) && !has_ended(e.thread)))
        return fmt::format("{} is no part of the deadlock.", describe(trace_, place.event));
    }
    return {};
  }

  const Event& event(EventNumber number) const { return trace_.events[number]; }
  bool has_place(EventNumber number, Role role) const {
    return std::ranges::any_of(finding_.places,
                               [&](const Place& place) { return place.event == number && place.role == role; });
  }
  // Whether the thread is one of those that the witness leaves before an event.
  bool waits(std::uint32_t thread) const {
    return std::ranges::any_of(finding_.witness.next, [&](EventNumber next) { return event(next).thread == thread; });
  }

  static constexpr std::uint32_t kNobody = 0xffffffff;
  const Finding& finding_;
  const Facts& facts_;
  const Replay& replay_;
  const trace::Trace& trace_;
};

} // namespace

Objection deadlock(const Finding& finding, const Facts& facts, const Replay& replay) {
  return Deadlock(finding, facts, replay).judge();
}

bool no_signal_since_wait(const Witness& witness, const trace::Trace& trace, EventNumber wake) {
  const Event& end = trace.events[wake];
  bool waits = false;
  each_in_run(witness, [&](EventNumber number) {
    const Event& e = trace.events[number];
    if (e.address != end.address) return;
    if (e.kind == EventKind::Wait && e.thread == end.thread) waits = !e.has(trace::kFill);
    if (e.kind == EventKind::Signal || e.kind == EventKind::Broadcast) waits = false;
  });
  return waits;
}

} // namespace sooth::witness::checking
