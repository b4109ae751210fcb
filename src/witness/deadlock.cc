#include "witness/deadlock.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "trace/contents.h"
#include "trace/own_memory.h"

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
      if (auto objection = really_waits(request)) return objection;
      if (event(request).has(kFailed) || gives_up(asked(request)))
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
  // Observed deadlocks rest on requests that were made; predicted ones on events that came later.
  Objection really_waits(EventNumber request) const {
    const bool waited = event(request).kind == EventKind::Request;
    if (waited != (finding_.status == Status::Observed))
      return fmt::format("A deadlock that was observed is about threads that wait at the end, and {} is not.",
                         describe(trace_, request));
    if (waited && event(request).has(trace::kFill))
      return fmt::format("{} may end by itself, or by another process.", describe(trace_, request));
    for (std::size_t i = 0; waited && i < finding_.witness.observed; ++i)
      if (event(static_cast<EventNumber>(i)).kind == EventKind::Cancel &&
          event(static_cast<EventNumber>(i)).value == event(request).thread)
        return fmt::format("The thread of {} was cancelled.", describe(trace_, request));
    return {};
  }

  // The event that would end the wait; of a wake with the mutex that it needs.
  Event asked(EventNumber request) const {
    if (event(request).kind != EventKind::Request) return event(request);
    Event out = trace::awaited(event(request));
    if (out.kind != EventKind::Wake) return out;
    each_in_run(finding_.witness, [&](EventNumber number) {
      const Event& e = event(number);
      if (e.kind == EventKind::Wait && e.thread == out.thread && e.address == out.address) out.value = e.value;
    });
    return out;
  }

  // The request waits for an object whose owner will never give it.
  bool owned(EventNumber request) const {
    const Event e = asked(request);
    const bool waited = event(request).kind == EventKind::Request; // then it may wait for its own thread
    switch (e.kind) {
    case EventKind::Acquire: return lock_blocked(e, e.address, false, waited);
    case EventKind::AcquireShared: return lock_blocked(e, e.address, true, waited);
    case EventKind::Wake: return e.value != 0 && lock_blocked(e, e.value, false, false);
    case EventKind::Join: return e.value != e.thread && waits(static_cast<std::uint32_t>(e.value));
    case EventKind::OnceBegin:
    case EventKind::OnceWait: {
      const std::uint32_t inside = initialiser(e.address);
      return inside != kNobody && (inside != e.thread || waited) && waits(inside);
    }
    default: return false;
    }
  }

  static bool gives_up(const Event& e) {
    const bool tells =
        e.kind == EventKind::Acquire || e.kind == EventKind::AcquireShared || e.kind == EventKind::SemWait;
    return tells && (e.value & (trace::kLockTry | trace::kLockTimed)) != 0;
  }

  bool lock_blocked(const Event& e, std::uint64_t address, bool shared, bool by_itself) const {
    if (shared_by_processes(address)) return false;
    const LockState& lock = replay_.lock(address);
    const auto for_ever = [&](std::uint32_t thread) {
      return (thread != e.thread || by_itself) && (waits(thread) || (has_ended(thread) && !is_robust(e)));
    };
    if (lock.owner != LockState::kNobody && for_ever(lock.owner)) return true;
    for (const auto& [reader, depth] : lock.readers) {
      if (!shared && for_ever(reader)) return true;
      if (!shared || !waits(reader)) continue;
      // A writer of the deadlock stands in line before this reader.
      if ((e.value & trace::kLockPreferWriter) == 0) continue;
      for (const EventNumber other : finding_.witness.next)
        if (const Event writer = asked(other);
            writer.kind == EventKind::Acquire && writer.address == address && writer.thread != e.thread)
          return true;
    }
    return false;
  }
  // As its initialisation says.
  bool shared_by_processes(std::uint64_t address) const {
    bool shared = false;
    if (finding_.status != Status::Observed) return false;
    each_in_run(finding_.witness, [&](EventNumber number) {
      const Event& e = event(number);
      if (e.kind == EventKind::LockInit && e.address == address) shared = (e.value & trace::kLockProcessShared) != 0;
    });
    return shared;
  }
  static bool is_robust(const Event& e) { return e.kind != EventKind::Wake && (e.value & trace::kLockRobust) != 0; }

  // The request waits for something that any thread could give.
  bool alone(EventNumber request) const {
    const Event e = asked(request);
    switch (e.kind) {
    case EventKind::SemWait: return replay_.semaphore(e.address) == 0u;
    case EventKind::BarrierLeave: return group_incomplete(e);
    case EventKind::Wake:
      return !shared_by_processes(e.address) &&
             (seen_asleep() || no_signal_since_wait(finding_.witness, trace_, request));
    case EventKind::FutexWait:
      return ((e.value & trace::kMayBeShared) == 0 || trace::is_own_memory(trace_, e.address)) &&
             (seen_asleep() || word_in_run(e.address) == (e.value & 0xffffffff));
    default: return false;
    }
  }
  // While every thread slept in the kernel. What was given before has reached its receiver.
  bool seen_asleep() const { return finding_.status == Status::Observed && (trace_.flags & trace::kSeenAsleep) != 0; }

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

  // The value that the run leaves in the 4 bytes, if one write wrote all of them.
  std::optional<std::uint64_t> word_in_run(std::uint64_t address) const {
    std::optional<std::uint64_t> word;
    each_in_run(finding_.witness, [&](EventNumber number) {
      const Event& e = event(number);
      if (!trace::writes_memory(e.kind) || e.address >= address + 4 || address >= e.address + e.size) return;
      const trace::Contents written = trace::written_by(trace_.bytes, e);
      const bool whole = e.address <= address && address + 4 <= e.address + e.size && !written.is_opaque();
      word = whole ? std::optional(written.word(address - e.address, 0, 4)) : std::nullopt;
    });
    return word;
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

  // No thread is left that could do anything. If a thread's end is the program's (it called exit,
  // or main returned), no thread waits for ever.
  Objection all_still() const {
    if (finding_.status == Status::Observed &&
        ((trace_.flags & trace::kMayBeInterrupted) != 0 || !trace_.process.unsupported.empty()))
      return "Something that is not in the trace may help a thread that waits.";
    for (const Event& e : trace_.events)
      if (e.kind == EventKind::SignalEnter)
        return "The program has handlers of signals, which may help a thread that waits.";
    for (std::uint32_t thread = 0; thread < facts_.of_thread.size(); ++thread)
      if (!waits(thread) && !has_ended(thread) && !never_begins(thread))
        return fmt::format("Thread {} may still go on, and help a thread that waits.", thread);
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

  // Each Role::Hold of the finding really takes the object, in a thread that does not go on.
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
