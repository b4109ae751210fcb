// From the runtime's hooks to the steps of the schedule.
#include "capture/runtime/replaying/state.h"

#include "trace/effects.h"

namespace sooth::runtime {

using replay::Goal;
using replay::Reason;
using replay::StepRow;

namespace {

bool is_atomic(EventKind kind) { return trace::does(kind, trace::act::kAtomic); }

constexpr std::uint16_t kBefore = replay::kStops | replay::kPauses; // the step ends directly before its event

// What an atomic operation does is only known behind it.
bool is_same_kind(EventKind met, const StepRow& step) {
  const auto wanted = static_cast<EventKind>(step.kind);
  if ((step.flags & kBefore) != 0 && is_atomic(met) && is_atomic(wanted)) return true;
  // Which of the two it is depends on who comes first.
  const bool once = met == EventKind::OnceBegin || met == EventKind::OnceWait;
  if ((step.flags & kBefore) != 0 && once) return wanted == EventKind::OnceBegin || wanted == EventKind::OnceWait;
  return met == wanted;
}

// Beginning and end of a thread: the last call that was made is anywhere.
bool has_no_place(EventKind kind) { return kind == EventKind::ThreadStart || kind == EventKind::ThreadEnd; }

bool is_step(const ReplayedThread& self, const Met& met, bool before) {
  const StepRow& step = g_step_rows[self.step];
  return ((step.flags & kBefore) != 0) == before && ((step.flags & replay::kFails) != 0) == met.failed &&
         is_same_kind(met.kind, step) && (has_no_place(met.kind) || place_of_site(met.site) == step.place);
}

// After the point: of two stopped threads, `first` goes on, and the other one follows.
void go_on_in_order(ReplayedThread& self) {
  std::uint32_t place = 0;
  for (std::uint32_t i = 0; i < self.row; ++i) place += g_replayed[i].stopped;
  if (place == g_schedule->first) return;
  for (int i = 0; i < 200 && __atomic_load_n(&g_schedule->passed, __ATOMIC_ACQUIRE) == 0; ++i) {
    const timespec millisecond = {0, 1'000'000};
    os::call(SYS_nanosleep, reinterpret_cast<long>(&millisecond), 0);
  }
}

// The thread stands directly before the event that its last step names.
void stop(Thread* t, ReplayedThread& self, const Met& met) {
  self.stop = self.step;
  self.kind = met.kind;
  self.address = met.address;
  self.size = met.size;
  self.stopped = true;
  const bool last = self.step + 1 == g_schedule->steps;
  Reason reason = Reason::None;
  if (last && !is_reached(self, reason)) {
    // Perhaps the same instruction comes again, with the memory that is meant.
    self.stopped = false;
    self.retries = true;
    self.left = 1;
    watch_accesses(self);
    if (reason != Reason::OtherMemory) diverge(&self, reason, &met);
    else note_access(self);
    return;
  }
  tell_stop(t, self, met);
  if (last && has_to_close()) {
    __atomic_store_n(&g_schedule->closing, 1, __ATOMIC_RELEASE);
    wake_all();
  } else if (last) {
    confirm(t);
  } else {
    pass_turn(self);
  }
  take_turn(self); // until the replay is over
  if (has_to_search(self)) return begin_search(self);
  if (replay_state() == replay::State::Confirmed) go_on_in_order(self);
}

// A store that has to be made now, because another thread goes on. The thread makes it once more.
void store_now(ReplayedThread& self, const Met& met) {
  os::copy(reinterpret_cast<void*>(met.address), met.bytes, met.size);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  pass_turn(self);
  take_turn(self);
  std::uint8_t now[8];
  os::copy(now, reinterpret_cast<const void*>(met.address), met.size);
  bool same = true;
  for (std::uint64_t i = 0; i < met.size; ++i) same = same && now[i] == static_cast<const std::uint8_t*>(met.bytes)[i];
  if (same) return;
  watch_accesses(self);
  self.repair = {met.address, met.size, {}};
  os::copy(self.repair.bytes, now, met.size);
}

void repair(ReplayedThread& self) {
  if (self.repair.size == 0) return;
  os::copy(reinterpret_cast<void*>(self.repair.address), self.repair.bytes, self.repair.size);
  self.repair.size = 0;
}

bool another_goes_on(const ReplayedThread& self) {
  const std::uint32_t next = self.step + 1;
  return next < g_schedule->steps && g_step_rows[next].thread != self.row;
}

enum class Effect : std::uint8_t {
  Made,  // the event has taken effect
  Comes, // it takes effect behind the hook; replayed_gave, or the next hook, comes then
  Now,   // it takes effect behind the hook, in a call that may block, or after which no hook comes
};

bool is_short_store(const Met& met, Effect effect) {
  return effect == Effect::Comes && met.kind == EventKind::Write && met.size <= 8 && met.bytes != nullptr;
}

void make_step(Thread* t, ReplayedThread& self, const Met& met, Effect effect) {
  const StepRow& step = g_step_rows[self.step];
  if ((step.flags & replay::kHasValue) != 0 && value_of(met) != step.value)
    return diverge(&self, Reason::OtherValue, &met);
  if ((step.flags & replay::kRemember) != 0)
    remember_freed(met.address, met.size != 0 ? met.size : 1); // a primitive that is destroyed has no size
  const bool last = self.step + 1 == g_schedule->steps;
  if (last && g_schedule->goal == Goal::Followed) {
    if (is_short_store(met, effect)) // before anything else happens; the thread makes it once more
      os::copy(reinterpret_cast<void*>(met.address), met.bytes, met.size);
    tell_stop(t, self, met);
    return confirm(t);
  }
  if (is_short_store(met, effect) && another_goes_on(self)) return store_now(self, met);
  if (effect == Effect::Comes) {
    self.gives = true;
    watch_accesses(self);
    return;
  }
  const bool leaves = another_goes_on(self);
  pass_turn(self);
  if (leaves && effect == Effect::Made) take_turn(self);
}

// The step is an `exit`, and so few calls are left.
bool has_returned(const Thread* t, const ReplayedThread& self) {
  if (self.step >= g_schedule->steps) return false;
  const StepRow& step = g_step_rows[self.step];
  if (static_cast<EventKind>(step.kind) != EventKind::Exit) return false;
  // It may have called another function since: stack_low is the lowest top since the step before.
  const std::uint64_t* low = __sooth_thread.abi.stack_low;
  if (low < t->stack || static_cast<std::uint64_t>(low - t->stack) > step.value) return false;
  remember_freed(t->stack_low_address, t->stack_bytes);
  return true;
}

// A hook that belongs to nothing that the thread has to wait for.
bool begins(Thread* t, ReplayedThread* self) {
  if (self == nullptr) {
    leave_accesses();
    return false;
  }
  if (__builtin_expect(g_schedule->passed == 0 && self->stopped, 0))
    __atomic_store_n(&g_schedule->passed, 1, __ATOMIC_RELEASE); // its access is made
  if (self->repair.size != 0) repair(*self);
  if (!is_followed()) {
    leave_accesses();
    return false;
  }
  if (self->stopped && __atomic_load_n(&g_schedule->closing, __ATOMIC_ACQUIRE) != 0) {
    diverge(self, Reason::NotHeld, nullptr); // it got what it asked for
    return false;
  }
  if (self->gives) pass_turn(*self);
  while (take_turn(*self)) {
    if (!has_returned(t, *self)) return true;
    pass_turn(*self);
  }
  return false;
}

// The thread stands directly before the event of its step: it stops, or lets others go on first.
// True: its turn has come, and it makes the event.
bool stand_before(Thread* t, ReplayedThread& self, const Met& met) {
  if ((g_step_rows[self.step].flags & replay::kPauses) == 0) {
    stop(t, self, met);
    return false;
  }
  pass_turn(self);
  return take_turn(self) && self.step < g_schedule->steps;
}

// The step is an access that comes before this event. It was not met: the recorder keeps accesses
// that no hook makes, as those of libraries, and omits others. Then the step ends here.
bool is_behind_step(const ReplayedThread& self, const Met& met) {
  const StepRow& step = g_step_rows[self.step];
  const auto wanted = static_cast<EventKind>(step.kind);
  const bool access = wanted == EventKind::Read || wanted == EventKind::Write || wanted == EventKind::AtomicRead;
  return access && step.flags == 0 && !met.failed &&
         (replay::has_hook_before(met.kind) || met.kind == EventKind::ThreadEnd);
}

// False: nothing is left to follow.
bool end_missed_steps(ReplayedThread& self, const Met& met) {
  while (is_behind_step(self, met)) {
    pass_turn(self);
    if (!take_turn(self) || self.step >= g_schedule->steps) return false;
  }
  return true;
}

void meet(Thread* t, const Met& met, Effect effect) {
  ReplayedThread* self = replayed_self(t);
  if (self != nullptr && self->searches) return search(*self, met);
  if (!begins(t, self) || self->step >= g_schedule->steps) return;
  show(*self, met);
  if (effect != Effect::Made && !end_missed_steps(*self, met)) return;
  if (effect != Effect::Made || met.kind == EventKind::Read) {
    while (is_step(*self, met, true))
      if (--self->left != 0 || !stand_before(t, *self, met)) return;
  } else if (is_step(*self, met, true)) {
    if (self->left > 1) --self->left; // the request before it did not count: it might have failed
    return;
  }
  if (self->retries && trace::object_of(met.kind) != trace::ObjectKind::Memory) return search_with_other(*self, met);
  if (is_step(*self, met, false) && --self->left == 0) make_step(t, *self, met, effect);
}

std::uint32_t site_of_call() { return __sooth_thread.abi.call_site; }

Effect effect_of(EventKind kind) {
  switch (kind) {
  case EventKind::BarrierArrive:
  case EventKind::FdUse: // perhaps a read that waits for what another thread writes
  case EventKind::ThreadEnd: return Effect::Now;
  case EventKind::Fork:
  case EventKind::Cancel:
  case EventKind::Wait:
  case EventKind::LockInit: // of these the hook comes behind the call; a thread that stops there has just made it
  case EventKind::SemInit:
  case EventKind::BarrierInit:
  case EventKind::FdClose:
  case EventKind::Free:
  case EventKind::Unmap: return Effect::Comes;
  default:
    return trace::does(kind, trace::act::kTakes)   ? Effect::Made
           : trace::does(kind, trace::act::kGives) ? Effect::Comes
                                                   : Effect::Made;
  }
}

// Nearly every access that calls its hook: of the running thread, and not the one that its step
// names. Nothing but its next step is to be done for the thread.
bool is_passed_by(const Thread* t, EventKind kind, std::uint32_t site) {
  const ReplayedThread* self = t->replayed;
  if (self == nullptr || self->number != t->number || !self->plain || self->step != replay_cursor() || !is_followed())
    return false;
  const StepRow& step = g_step_rows[self->step];
  return static_cast<EventKind>(step.kind) != kind || place_of_site(site) != step.place;
}

} // namespace

void replayed_access(Thread* t, EventKind kind, std::uint64_t address, const void* bytes, std::uint64_t size,
                     std::uint32_t site) {
  if (is_passed_by(t, kind, site)) return;
  Quiet quiet;
  meet(t, {kind, false, address, size, bytes, site}, kind == EventKind::Read ? Effect::Made : Effect::Comes);
}

void replayed_fill(Thread* t, std::uint64_t address, std::uint8_t byte, std::uint64_t size, std::uint32_t site) {
  Quiet quiet;
  std::uint64_t bytes = byte * std::uint64_t{0x0101010101010101};
  meet(t, {EventKind::Write, false, address, size, &bytes, site}, Effect::Comes);
}

namespace {

void replay_sync(Thread* t, ReplayedThread& self, EventKind kind, std::uint64_t address, std::uint64_t value) {
  const bool region = trace::object_of(kind) == trace::ObjectKind::Region;
  // libc allocates with locks of its own held: no thread stops there, unless it is its step.
  if (region && (self.step >= g_schedule->steps || static_cast<EventKind>(g_step_rows[self.step].kind) != kind ||
                 place_of_site(site_of_call()) != g_step_rows[self.step].place))
    return;
  if (kind == EventKind::Detach) return; // it may come between a `fork` and its real call
  if (kind == EventKind::ThreadEnd) self.ended = true;
  if (kind == EventKind::Fork) announce_replayed(self, static_cast<std::uint32_t>(value));
  const bool takes = trace::does(kind, trace::act::kTakes | trace::act::kTakesMutex);
  if (takes) note_lock(self, kind, address, value);
  meet(t, {kind, false, address, region ? value : 0, nullptr, site_of_call()}, effect_of(kind));
  if (!takes) note_lock(self, kind, address, value);
  if (kind == EventKind::ThreadEnd && is_followed() && self.step < g_schedule->steps)
    diverge(&self, Reason::ThreadEnded, nullptr);
}

} // namespace

void replayed_sync(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value) {
  Quiet quiet;
  ReplayedThread* self = replayed_self(t);
  if (self != nullptr) replay_sync(t, *self, kind, address, value);
  if (kind == EventKind::Signal || kind == EventKind::Broadcast) // now, when it is due
    signal_waiters(reinterpret_cast<const void*>(address), kind == EventKind::Broadcast);
}

void replayed_failed(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t) {
  Quiet quiet;
  meet(t, {kind, true, address, 0, nullptr, site_of_call()}, Effect::Made);
}

void replayed_request(Thread* t, EventKind kind, const void* object) {
  if (t == nullptr) return;
  Quiet quiet;
  ReplayedThread* self = replayed_self(t);
  const Met met = {kind, false, reinterpret_cast<std::uint64_t>(object), 0, nullptr, site_of_call()};
  // The last thread to arrive lets the others go: they have to come so far, unless they stop here.
  const bool arrives = kind == EventKind::BarrierLeave;
  if (arrives && (self == nullptr || self->step >= g_schedule->steps || !is_step(*self, met, true))) return;
  if (self != nullptr && self->searches) return search(*self, met);
  if (!begins(t, self) || self->step >= g_schedule->steps) return;
  if (!end_missed_steps(*self, met)) return;
  if (self->retries) return search_with_other(*self, met);
  while (is_step(*self, met, true) && self->left == 1) {
    show(*self, met);
    if (!stand_before(t, *self, met)) return;
  }
}

bool stops_in_wait(Thread* t, ReplayedThread& self, const Waiter& waiter) {
  if (self.step >= g_schedule->steps) return false;
  const StepRow& step = g_step_rows[self.step];
  if ((step.flags & replay::kStops) == 0 || static_cast<EventKind>(step.kind) != EventKind::Wake) return false;
  // A thread that wakes up needs the mutex, not the condition.
  const void* object = g_schedule->goal == Goal::Freed ? waiter.mutex : waiter.condition;
  stop(t, self, {EventKind::Wake, false, reinterpret_cast<std::uint64_t>(object), 0, nullptr, site_of_call()});
  return true;
}

void replayed_gave(Thread* t) {
  if (t == nullptr) return;
  Quiet quiet;
  ReplayedThread* self = replayed_self(t);
  if (self == nullptr || !self->gives) return;
  begins(t, self);
}

void replayed_atomic_begins(Thread* t, const void* address, std::size_t size, std::uint32_t site) {
  Quiet quiet;
  ReplayedThread* self = replayed_self(t);
  const Met met = {EventKind::AtomicRmw, false, reinterpret_cast<std::uint64_t>(address), size, nullptr, site};
  if (self != nullptr && self->searches) return search(*self, met);
  if (!begins(t, self) || self->step >= g_schedule->steps) return;
  if (!is_step(*self, met, true) || --self->left != 0) return;
  show(*self, met);
  stand_before(t, *self, met);
}

void replayed_atomic(Thread* t, EventKind kind, const void* address, const void* seen, const void* written,
                     std::size_t size, std::uint32_t site) {
  Quiet quiet;
  ReplayedThread* self = replayed_self(t);
  if (self == nullptr || !is_followed() || self->step >= g_schedule->steps) return;
  const Met met = {kind, false, reinterpret_cast<std::uint64_t>(address), size, written != nullptr ? written : seen,
                   site};
  show(*self, met);
  if (is_step(*self, met, false) && --self->left == 0) make_step(t, *self, met, Effect::Made);
}

} // namespace sooth::runtime
