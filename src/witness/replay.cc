#include "witness/replay.h"

#include <algorithm>

#include <fmt/format.h>

namespace sooth::witness::checking {

using trace::Event;
using trace::EventKind;
using trace::kFailed;

namespace {

// Nothing that another thread could notice.
bool silent(EventKind kind) {
  switch (kind) {
  case EventKind::Enter:
  case EventKind::Exit:
  case EventKind::Branch:
  case EventKind::ThreadName:
  case EventKind::User:
  case EventKind::Watch:
  case EventKind::AtomicBegin:
  case EventKind::AtomicEnd:
  case EventKind::ExternalWrite: return true; // inserted before the read that found it
  default: return false;
  }
}

} // namespace

std::string describe(const trace::Trace& trace, EventNumber number) {
  const Event& e = trace.events[number];
  if (touches_memory(e.kind))
    return fmt::format("event {} ({} of {} byte{} at {:#x} by thread {})", number, trace::kind_name(e.kind), e.size,
                       e.size == 1 ? "" : "s", e.address, e.thread);
  return fmt::format("event {} ({} of {:#x} by thread {})", number, trace::kind_name(e.kind), e.address, e.thread);
}

Replay::Replay(const Facts& facts)
    : facts_(facts), trace_(facts.trace), progress_(facts.of_thread.size(), 0), memory_(facts.memory),
      taint_(facts.trace, facts.of_thread, facts.place), follows_taint_(taint_.applies()),
      tainted_(follows_taint_ ? facts.memory.count() : 0, false), sequence_done_(facts.sequences.size(), 0) {
  for (const auto& [address, least] : facts_.least_count) semaphores_[address].count = least;
  if (follows_taint_) taint_.reset();
}

void Replay::observe(EventNumber events) {
  for (; observed_ < events; ++observed_) apply(observed_);
  forget_old_holds();
}

// So that a copy costs what is held, not what ever was.
void Replay::forget_old_holds() {
  absl::erase_if(holds_, [&](auto& piece) {
    std::erase_if(piece.second, [&](const Hold& hold) { return progress_[hold.thread] >= hold.until; });
    return piece.second.empty();
  });
}

bool Replay::done(EventNumber event) const { return facts_.place[event] < progress_[trace_.events[event].thread]; }

std::optional<std::uint64_t> Replay::semaphore(std::uint64_t address) const {
  const auto found = semaphores_.find(address);
  if (found == semaphores_.end() || !found->second.known) return {};
  return found->second.count;
}

Objection Replay::run(const Witness& witness, Model model) {
  follows_taint_ = (model == Model::Full || model == Model::Sliced) && taint_.applies();
  if (model == Model::WeakHappensBefore && !facts_.all_released)
    return "The model whb says nothing about a trace in which a lock is never released.";
  // Sliced causality says nothing about most of a run: its witnesses are judged by the rules of
  // `full` (docs/sliced.md).
  if (model == Model::Sliced && !taint_.has_facts())
    return "The model sliced needs static facts, which the trace has not.";
  for (std::size_t i = 0; i < witness.steps.size(); ++i) {
    const EventNumber number = witness.steps[i];
    if (number >= trace_.events.size())
      return fmt::format("The witness names event {}, which is not in the trace.", number);
    if (auto objection = judge(number, model)) return objection;
    apply(number);
    const std::uint32_t thread = trace_.events[number].thread;
    const auto& mine = facts_.of_thread[thread];
    if (progress_[thread] == mine.size()) continue;
    const EventNumber follower = mine[progress_[thread]];
    const bool goes_on = i + 1 < witness.steps.size() && witness.steps[i + 1] == follower;
    if (facts_.glued(number) && !goes_on)
      return fmt::format("The witness leaves a block that stays together after {}.", describe(trace_, number));
    // At the very end the clinging event may be missing: it changes nothing.
    if (clings(trace_.events[follower]) && !goes_on && i + 1 < witness.steps.size())
      return fmt::format("Another thread comes between {} and what belongs to it.", describe(trace_, number));
  }
  return {};
}

void Replay::apply(EventNumber number) {
  const Event& e = trace_.events[number];
  ++progress_[e.thread];
  if (follows_taint_) {
    const bool taints = taint_.apply(number, reads_tainted_);
    if (reads_tainted_ || taints) tainted_events_.insert(number);
    if (trace::writes_memory(e.kind)) {
      const MemoryMap::Pieces pieces = facts_.memory.pieces(number);
      for (std::uint32_t piece = pieces.first; piece < pieces.end; ++piece) tainted_[piece] = taints;
    }
  }
  memory_.apply(e, number);
  locks_.apply(e, number);
  if (e.kind == EventKind::SemInit) {
    semaphores_[e.address] = {e.value & 0xffffffff, semaphores_[e.address].uses, e.value >> 32 == 0,
                              e.value >> 32 != 0};
  } else if (e.kind == EventKind::SemPost || e.kind == EventKind::SemWait) {
    Semaphore& semaphore = semaphores_[e.address];
    ++semaphore.uses;
    if (e.kind == EventKind::SemPost && !e.has(kFailed)) ++semaphore.count;
    if (e.kind == EventKind::SemWait && !e.has(kFailed) && semaphore.count > 0) --semaphore.count;
  }
  if (e.has(trace::kHeld))
    if (const auto found = facts_.holds.find(number); found != facts_.holds.end())
      for (const Hold& hold : found->second) holds_[hold.piece].push_back(hold);
}

Objection Replay::judge(EventNumber number, Model model) {
  if (auto objection = in_thread_order(number)) return objection;
  if (auto objection = orders(number)) return objection;
  if (auto objection = lifetime(number)) return objection;
  if (auto objection = held(number)) return objection;
  if (auto objection = follows_taint_ ? free_values(number) : values(number, model)) return objection;
  if (auto objection = locks(number, model)) return objection;
  return semaphores(number);
}

Objection Replay::in_thread_order(EventNumber number) const {
  const std::uint32_t thread = trace_.events[number].thread;
  const std::uint32_t place = facts_.place[number];
  if (place != progress_[thread])
    return fmt::format("The witness has {} where thread {} has done {} events, not {}.", describe(trace_, number),
                       thread, progress_[thread], place);
  if (place >= facts_.believed[thread])
    return fmt::format("The witness has {}, but what its thread read before is not known.", describe(trace_, number));
  return {};
}

Objection Replay::orders(EventNumber number) {
  if (const auto found = facts_.after.find(number); found != facts_.after.end())
    for (const EventNumber earlier : found->second)
      if (!done(earlier))
        return fmt::format("The witness has {} before {}.", describe(trace_, number), describe(trace_, earlier));
  if (const auto found = facts_.joins.find(number); found != facts_.joins.end())
    if (progress_[found->second.first] < found->second.second)
      return fmt::format("The witness has {} before the thread that is joined has come to its end.",
                         describe(trace_, number));
  if (const auto found = facts_.follows.find(number); found != facts_.follows.end()) {
    const auto [sequence, members] = found->second;
    std::uint32_t& ready = sequence_done_[sequence];
    while (ready < members && done(facts_.sequences[sequence][ready])) ++ready;
    if (ready < members)
      return fmt::format("The witness has {} before {}.", describe(trace_, number),
                         describe(trace_, facts_.sequences[sequence][ready]));
  }
  if (!from_outside(number)) return {};
  // Something outside the trace took part; its time is unknown, so everything before it stays
  // before it.
  while (trace_done_ < number && done(trace_done_)) ++trace_done_;
  if (trace_done_ < number)
    return fmt::format("The witness has {}, which came from outside, before {}.", describe(trace_, number),
                       describe(trace_, trace_done_));
  return {};
}

// Memory that was changed from outside, a message, a signal.
bool Replay::from_outside(EventNumber number) const {
  const EventKind kind = trace_.events[number].kind;
  if (kind == EventKind::Receive || kind == EventKind::SignalEnter) return true;
  if (kind != EventKind::ExternalWrite) return false;
  const MemoryMap::Pieces pieces = facts_.memory.pieces(number);
  for (std::uint32_t piece = pieces.first; piece < pieces.end; ++piece)
    if (!facts_.memory.private_piece(piece)) return true;
  // Of memory that only one thread is seen to touch: a thread that looks atomically expects others
  // to write it.
  if (number + 1 == trace_.events.size()) return false;
  const Event& next = trace_.events[number + 1];
  return next.thread == trace_.events[number].thread &&
         (next.kind == EventKind::AtomicRead || next.kind == EventKind::AtomicRmw);
}

Objection Replay::held(EventNumber number) {
  const Event& e = trace_.events[number];
  if (!touches_memory(e.kind) || e.kind == EventKind::ExternalWrite || holds_.empty()) return {};
  const MemoryMap::Pieces pieces = facts_.memory.pieces(number);
  for (std::uint32_t piece = pieces.first; piece < pieces.end; ++piece) {
    const auto found = holds_.find(piece);
    if (found == holds_.end()) continue;
    std::erase_if(found->second, [&](const Hold& hold) { return progress_[hold.thread] >= hold.until; });
    for (const Hold& hold : found->second)
      if (hold.thread != e.thread && (hold.write || trace::writes_memory(e.kind)))
        return fmt::format("The witness has {} while thread {} holds byte {:#x}.", describe(trace_, number),
                           hold.thread, facts_.memory.address(piece));
  }
  return {};
}

// Every access finds the object as it did in the trace: begun, and not ended.
Objection Replay::lifetime(EventNumber number) const {
  if (!touches_memory(trace_.events[number].kind)) return {};
  const auto met = facts_.memory.met(number);
  const std::uint32_t first = facts_.memory.pieces(number).first;
  for (std::uint32_t i = 0; i < met.size(); ++i) {
    const EventNumber life = memory_.at(first + i).life;
    if (life == met[i].life) continue;
    const EventNumber other = life == kNoEvent ? met[i].life : life;
    return fmt::format("The witness has {} {} {}.", describe(trace_, number), life == kNoEvent ? "before" : "after",
                       describe(trace_, other));
  }
  return {};
}

Objection Replay::values(EventNumber number, Model model) const {
  const Event& e = trace_.events[number];
  if (!touches_memory(e.kind)) return {};
  const bool reads = trace::reads_memory(e.kind), writes = trace::writes_memory(e.kind);
  const bool observed_order = model == Model::HappensBefore || model == Model::HappensBeforeLocks;
  const auto met = facts_.memory.met(number);
  const std::uint32_t first = facts_.memory.pieces(number).first;
  for (std::uint32_t i = 0; i < met.size(); ++i) {
    const Met& now = memory_.at(first + i);
    const std::uint64_t address = facts_.memory.address(first + i);
    // hb, hb-locks: conflicting accesses keep their order, so the last writer in the trace is the
    // last writer here, and threads that read before a write in the trace have read before it here.
    if (observed_order && (now.writer != met[i].writer || (writes && now.reads != met[i].reads)))
      return fmt::format("The witness has {} without, or before, a conflicting access of byte {:#x} that preceded it.",
                         describe(trace_, number), address);
    if (!reads) continue;
    if (model != Model::Maximal && model != Model::Full && now.writer != met[i].writer)
      return fmt::format("In the witness {} does not see the write that it saw, at byte {:#x}.",
                         describe(trace_, number), address);
    if (!facts_.memory.same_contents(now.writer, met[i].writer, first + i))
      return fmt::format("In the witness {} does not see the value that it saw, at byte {:#x}.",
                         describe(trace_, number), address);
  }
  return {};
}

// Model full: a read may return another value, as long as nothing that leads to an event of the run
// depends on it.
Objection Replay::free_values(EventNumber number) {
  reads_tainted_ = false;
  if (trace::reads_memory(trace_.events[number].kind)) {
    const auto met = facts_.memory.met(number);
    const std::uint32_t first = facts_.memory.pieces(number).first;
    for (std::uint32_t i = 0; i < met.size(); ++i)
      if (tainted_[first + i] || !facts_.memory.same_contents(memory_.at(first + i).writer, met[i].writer, first + i))
        reads_tainted_ = true;
  }
  if (taint_.misled(number))
    return fmt::format("In the witness nobody knows that {} happens: what leads to it depends on a read that sees "
                       "something else than it saw.",
                       describe(trace_, number));
  if (taint_.misleads(number, reads_tainted_))
    return fmt::format("In the witness {} does not see the value that it saw, and what follows depends on it.",
                       describe(trace_, number));
  return {};
}

Objection Replay::locks(EventNumber number, Model model) const {
  const Event& e = trace_.events[number];
  const auto [action, address] = lock_use(e);
  if (action == LockAction::None) return {};
  const LockState& lock = locks_.at(address);
  const Before& before = facts_.before.at(number);
  // hb: a shared use is like a read of the lock, any other one, also a refused one, like a write.
  const bool exclusive = action != LockAction::TakeShared && action != LockAction::GiveShared;
  if (model == Model::HappensBefore && !lock.inner(e, action) &&
      (exclusive ? lock.uses != before.uses : lock.exclusive_uses != before.exclusive_uses))
    return fmt::format("The witness has {} not in the order in which the lock was used.", describe(trace_, number));
  if (action == LockAction::Refused || action == LockAction::RefusedShared) {
    // A request that was refused because of another thread is refused only then. Other reasons (the
    // lock was the thread's own, the time was up, another process had it) are not known well enough
    // to let anything move.
    const bool shared = action == LockAction::RefusedShared;
    const bool excluded = lock.others_exclude(e.thread, shared);
    const bool excludes_itself = lock.owner == e.thread || (!shared && lock.readers.contains(e.thread));
    if (before.excluded ? !excluded : !excludes_itself && lock.uses != before.uses)
      return fmt::format("In the witness {} is refused, but nobody else has the lock.", describe(trace_, number));
  }
  if (e.kind == EventKind::Acquire && action == LockAction::Take && (e.value & trace::kLockOwnerDied) != 0) {
    const bool died = lock.owner != LockState::kNobody && progress_[lock.owner] == facts_.of_thread[lock.owner].size();
    if (!died) return fmt::format("The witness has {}, but the lock's owner did not die.", describe(trace_, number));
  }
  return {};
}

Objection Replay::semaphores(EventNumber number) const {
  const Event& e = trace_.events[number];
  if (e.kind != EventKind::SemWait && e.kind != EventKind::SemPost) return {};
  static const Semaphore unused;
  const auto found = semaphores_.find(e.address);
  const Semaphore& semaphore = found == semaphores_.end() ? unused : found->second;
  const bool as_observed = semaphore.uses == facts_.before.at(number).uses;
  if (semaphore.shared && !as_observed)
    return fmt::format("The witness has {}, on a semaphore that other processes use, in another order.",
                       describe(trace_, number));
  if (e.kind == EventKind::SemPost || semaphore.shared) return {};
  if (!e.has(kFailed) && semaphore.count == 0)
    return fmt::format("The witness has {}, but the semaphore's count is 0.", describe(trace_, number));
  if (e.has(kFailed) && !as_observed && !(semaphore.known && semaphore.count == 0))
    return fmt::format("In the witness {} fails, but the semaphore's count is not 0.", describe(trace_, number));
  return {};
}

Objection Replay::stands_before(EventNumber event) const {
  const std::uint32_t thread = trace_.events[event].thread;
  const std::uint32_t place = facts_.place[event];
  if (place < progress_[thread]) return fmt::format("The witness has already done {}.", describe(trace_, event));
  const bool waits_there = trace_.events[event].kind == EventKind::Request; // whatever it read before
  if (place >= facts_.believed[thread] && !waits_there)
    return fmt::format("What the thread of {} read before is not known.", describe(trace_, event));
  Taint taint = taint_; // goes on to the event
  for (std::uint32_t i = progress_[thread]; i <= place; ++i) {
    const EventNumber between = facts_.of_thread[thread][i];
    if (const auto found = facts_.after.find(between); found != facts_.after.end())
      for (const EventNumber earlier : found->second)
        if (!done(earlier))
          return fmt::format("The thread of {} is not there before {}.", describe(trace_, event),
                             describe(trace_, earlier));
    if (follows_taint_ && taint.misled(between))
      return fmt::format("Nobody knows that the thread comes to {}: {} depends on a read that sees something else.",
                         describe(trace_, event), describe(trace_, between));
    if (follows_taint_ && i < place) taint.apply(between, false);
    if (i < place && !facts_.glued(between) && !silent(trace_.events[between].kind))
      return fmt::format("The witness ends before {}, not before {}.", describe(trace_, between),
                         describe(trace_, event));
  }
  return {};
}

} // namespace sooth::witness::checking
