// Whose turn it is.
#include "capture/runtime/replaying/state.h"

#include <linux/futex.h>

namespace sooth::runtime {

using replay::Reason;
using replay::State;

ReplayedThread* replayed_self(Thread* t) {
  if (t->replayed != nullptr && t->replayed->number == t->number) return t->replayed;
  for (std::uint32_t i = 0; i < g_schedule->threads; ++i) // once for each thread, unless it is unknown
    if (__atomic_load_n(&g_replayed[i].number, __ATOMIC_ACQUIRE) == t->number) return t->replayed = &g_replayed[i];
  return nullptr;
}

void announce_replayed(ReplayedThread& parent, std::uint32_t number) {
  ++parent.children;
  for (std::uint32_t i = 1; i < g_schedule->threads; ++i)
    if (g_thread_rows[i].parent == parent.row && g_thread_rows[i].ordinal == parent.children)
      return __atomic_store_n(&g_replayed[i].number, number, __ATOMIC_RELEASE);
}

void wake_all() { os::call(SYS_futex, reinterpret_cast<long>(&g_schedule->cursor), FUTEX_WAKE, 0x7fffffff); }

bool take_turn(ReplayedThread& self) {
  for (;;) {
    const std::uint32_t cursor = replay_cursor();
    if (!is_followed() || cursor >= g_schedule->steps) return is_followed();
    if (self.stopped && __atomic_load_n(&g_schedule->closing, __ATOMIC_ACQUIRE) != 0) return false;
    if (g_step_rows[cursor].thread == self.row && !self.stopped) break;
    // The tool wakes everybody when it ends the replay. The timeout is for a tool that was killed.
    const timespec second = {1, 0};
    os::call(SYS_futex, reinterpret_cast<long>(&g_schedule->cursor), FUTEX_WAIT, cursor,
             reinterpret_cast<long>(&second));
  }
  __atomic_fetch_add(&g_schedule->progress, 1, __ATOMIC_RELAXED); // a sign of life
  return true;
}

void pass_turn(ReplayedThread& self) {
  self.gives = false;
  __sooth_thread.abi.stack_low = __sooth_thread.abi.stack_top; // for a step that is an `exit`
  const std::uint32_t made = self.step;
  std::uint32_t next = made + 1;
  while (next < g_schedule->steps && g_step_rows[next].thread != self.row) ++next;
  self.step = next;
  self.left = next < g_schedule->steps ? g_step_rows[next].count : 0;
  __atomic_store_n(&g_schedule->cursor, made + 1, __ATOMIC_RELEASE);
  if (next != made + 1) wake_all();
}

namespace {

// Whoever ends the replay first writes its outcome.
bool g_over;
bool ends_it() { return !__atomic_exchange_n(&g_over, true, __ATOMIC_ACQ_REL); }

} // namespace

void diverge(const ReplayedThread* self, Reason reason, const Met* met) {
  if (!is_followed() || !ends_it()) return;
  tell_divergence(self, met);
  end_replay(*g_schedule, State::Diverged, reason);
  wake_all();
}

} // namespace sooth::runtime

// A debugger stops here: every thread stands at its point (`sooth replay --then gdb`).
extern "C" __attribute__((visibility("default"), noinline)) void __sooth_replay_point() { __asm__ volatile(""); }

namespace sooth::runtime {

void confirm(Thread*) {
  if (!is_followed() || !ends_it()) return;
  end_replay(*g_schedule, State::Confirmed, Reason::None); // the others still sleep
  __sooth_replay_point();
  if (g_schedule->then == replay::Then::Stop) os::call(SYS_exit_group, 0);
  wake_all();
}

} // namespace sooth::runtime
