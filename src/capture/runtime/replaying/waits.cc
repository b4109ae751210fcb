// Waits on condition variables, and the locks that threads hold.
#include "capture/runtime/replaying/state.h"

#include "trace/effects.h"

namespace sooth::runtime {

namespace {

os::SpinLock g_lock;
Waiter* g_waiters; // the oldest one last

constexpr std::uint32_t kMostLocks = 512; // of one thread: a page

} // namespace

void signal_waiters(const void* condition, bool all) {
  os::Guard guard(g_lock);
  Waiter* oldest = nullptr;
  for (Waiter* waiter = g_waiters; waiter != nullptr; waiter = waiter->next) {
    if (waiter->condition != condition || waiter->signalled) continue;
    if (all) __atomic_store_n(&waiter->signalled, true, __ATOMIC_RELEASE);
    oldest = waiter;
  }
  if (!all && oldest != nullptr) __atomic_store_n(&oldest->signalled, true, __ATOMIC_RELEASE);
}

void begin_wait(Waiter& waiter, const void* condition, const void* mutex) {
  waiter = {nullptr, condition, false, mutex};
  os::Guard guard(g_lock);
  waiter.next = g_waiters;
  g_waiters = &waiter;
}

bool was_signalled(const Waiter& waiter) { return __atomic_load_n(&waiter.signalled, __ATOMIC_ACQUIRE); }

namespace {

// A signal wakes any one of the waiting threads. The schedule says which.
bool takes_signal(Waiter& waiter) {
  os::Guard guard(g_lock);
  for (Waiter* other = g_waiters; other != nullptr && !waiter.signalled; other = other->next)
    if (other->condition == waiter.condition && other->signalled) other->signalled = false, waiter.signalled = true;
  return waiter.signalled;
}

} // namespace

void end_wait(Waiter& waiter) {
  os::Guard guard(g_lock);
  for (Waiter** at = &g_waiters; *at != nullptr; at = &(*at)->next)
    if (*at == &waiter) {
      *at = waiter.next;
      return;
    }
}

Woken wait_for_turn(Thread* t, Waiter& waiter, bool timed) {
  Quiet quiet;
  ReplayedThread* self = replayed_self(t);
  if (self == nullptr || !is_followed() || !take_turn(*self)) return Woken::LetGo;
  if (replay_cursor() >= g_schedule->steps || stops_in_wait(t, *self, waiter)) return Woken::LetGo;
  if (takes_signal(waiter)) return Woken::BySignal;
  return timed ? Woken::ByTime : Woken::LetGo; // for a signal from outside, or its end
}

void note_lock(ReplayedThread& self, EventKind kind, std::uint64_t address, std::uint64_t value) {
  const std::uint64_t lock = trace::moves_mutex(kind)                            ? value
                             : trace::object_of(kind) == trace::ObjectKind::Lock ? address
                                                                                 : 0;
  const bool takes = trace::does(kind, trace::act::kTakes | trace::act::kTakesMutex);
  if (lock == 0 || (!takes && !trace::does(kind, trace::act::kGives | trace::act::kGivesMutex))) return;
  if (self.held == nullptr) self.held = static_cast<std::uint64_t*>(os::pages(kMostLocks * sizeof *self.held));
  if (self.held == nullptr) return;
  if (takes) {
    if (self.locks < kMostLocks) self.held[self.locks++] = lock;
    return;
  }
  for (std::uint32_t i = self.locks; i-- > 0;) {
    if (self.held[i] != lock) continue;
    self.held[i] = self.held[--self.locks];
    return;
  }
}

std::uint32_t holder_of(std::uint64_t lock) {
  for (std::uint32_t row = 0; row < g_schedule->threads; ++row)
    for (std::uint32_t i = 0; i < g_replayed[row].locks; ++i)
      if (g_replayed[row].held[i] == lock) return row;
  return ~0u;
}

} // namespace sooth::runtime
