// Whose turn it is.
#include "capture/runtime/recording/ownership.h"
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

namespace {

// It is the thread's turn. Hooks of accesses are needed for a step that is an access, or that one
// may find made (`exit`), and for what is left to do at the thread's next hook.
void run_on(ReplayedThread& self) {
  if (self.gives || self.retries || self.stopped || self.repair.size != 0 || g_schedule->shows != 0) return;
  if (self.step >= g_schedule->steps) return leave_accesses();
  const auto kind = static_cast<EventKind>(g_step_rows[self.step].kind);
  self.plain = kind != EventKind::Exit;
  if (self.plain && kind != EventKind::Read && kind != EventKind::Write) leave_accesses();
}

std::uint32_t bit_of(std::uint32_t row) { return 1u << row % 32; }

// A thread whose turn comes soon looks for it, for about as long as falling asleep and waking up
// would take.
constexpr std::uint64_t kLookTicks = 20'000; // of the processor's clock
constexpr std::uint32_t kSoon = 2;           // steps

void look_for_turn(const ReplayedThread& self, std::uint32_t cursor) {
  if (!g_may_look || self.stopped || self.step >= g_schedule->steps || self.step - cursor > kSoon) return;
  const std::uint64_t begin = __builtin_ia32_rdtsc();
  while (replay_cursor() == cursor && is_followed() && __builtin_ia32_rdtsc() - begin < kLookTicks)
    __builtin_ia32_pause();
}

// Until the thread's turn comes, or the replay is over. The tool wakes everybody when it ends the
// replay; the timeout is for a tool that was killed.
void sleep_at(ReplayedThread& self, std::uint32_t cursor) {
  timespec until = {};
  os::call(SYS_clock_gettime, CLOCK_MONOTONIC, reinterpret_cast<long>(&until));
  ++until.tv_sec;
  // In one order with the cursor: either wake() sees this, or the kernel sees the new cursor.
  __atomic_store_n(&self.sleeps, true, __ATOMIC_SEQ_CST);
  os::call(SYS_futex, reinterpret_cast<long>(&g_schedule->cursor), FUTEX_WAIT_BITSET, cursor,
           reinterpret_cast<long>(&until), 0, bit_of(self.row));
  __atomic_store_n(&self.sleeps, false, __ATOMIC_RELAXED); // a wake too many does no harm
}

void wake(std::uint32_t row) {
  if (__atomic_load_n(&g_replayed[row].sleeps, __ATOMIC_SEQ_CST))
    os::call(SYS_futex, reinterpret_cast<long>(&g_schedule->cursor), FUTEX_WAKE_BITSET, 0x7fffffff, 0, 0, bit_of(row));
}

// 1 while the error is being shown. A thread that was just about to fall asleep sees that the
// replay is over, and would go on past the place where it stands.
std::uint32_t g_shown;

void stay_while_shown() {
  while (__atomic_load_n(&g_shown, __ATOMIC_ACQUIRE) != 0)
    os::call(SYS_futex, reinterpret_cast<long>(&g_shown), FUTEX_WAIT, 1, 0);
}

} // namespace

void watch_accesses(ReplayedThread& self) {
  self.plain = false;
  __sooth_thread.abi.mine = kNobody;
}
// As the inlined checks see it, the thread owns all memory: nothing is ever owned in a replay, so
// there is one word for all blocks (recording/ownership.h).
void leave_accesses() { __sooth_thread.abi.mine = kShared; }

bool take_turn(ReplayedThread& self) {
  for (;;) {
    const std::uint32_t cursor = replay_cursor();
    if (!is_followed() || cursor >= g_schedule->steps) break;
    if (self.stopped && __atomic_load_n(&g_schedule->closing, __ATOMIC_ACQUIRE) != 0) return false;
    if (has_to_search(self)) return true;
    if (g_step_rows[cursor].thread == self.row && !self.stopped) break;
    look_for_turn(self, cursor);
    if (replay_cursor() == cursor) sleep_at(self, cursor);
  }
  stay_while_shown();
  run_on(self);
  const bool followed = is_followed();
  // A sign of life. Relaxed, and in two parts: one thread runs, and a lost one does not matter.
  if (followed) __atomic_store_n(&g_schedule->progress, g_schedule->progress + 1, __ATOMIC_RELAXED);
  return followed;
}

void pass_turn(ReplayedThread& self) {
  self.gives = false;
  watch_accesses(self);                                        // it may not be its turn any more
  __sooth_thread.abi.stack_low = __sooth_thread.abi.stack_top; // for a step that is an `exit`
  const std::uint32_t made = self.step;
  const std::uint32_t next = g_step_rows[made].next;
  self.step = next;
  self.left = next < g_schedule->steps ? g_step_rows[next].count : 0;
  __atomic_store_n(&g_schedule->cursor, made + 1, __ATOMIC_SEQ_CST); // see sleep_at()
  if (made + 1 >= g_schedule->steps) wake_all();
  else if (next != made + 1) wake(g_step_rows[made + 1].thread);
}

namespace {

// The thread that ends the replay first writes its outcome.
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
  __atomic_store_n(&g_shown, 1, __ATOMIC_RELEASE); // before the state that lets the others go
  end_replay(*g_schedule, State::Confirmed, Reason::None);
  __sooth_replay_point();
  if (g_schedule->then == replay::Then::Stop) os::call(SYS_exit_group, 0);
  __atomic_store_n(&g_shown, 0, __ATOMIC_RELEASE);
  os::call(SYS_futex, reinterpret_cast<long>(&g_shown), FUTEX_WAKE, 0x7fffffff);
  wake_all();
}

} // namespace sooth::runtime
