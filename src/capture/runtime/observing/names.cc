#include "capture/runtime/observing/names.h"

#include "capture/runtime/modules.h"
#include "capture/runtime/observing/hook.h"
#include "capture/runtime/observing/lock.h"

namespace sooth::runtime::observing {
namespace {

constexpr std::uint64_t kPatience = 1u << 12; // events that other threads may send meanwhile; the observer keeps them
FutexLock g_names_lock;                       // the names and starts of all threads
std::uint32_t g_waiting;                      // starts; others look at it

void name(ThreadState& self, ThreadState& of, std::uint32_t name) {
  if (name != 0) of.name = name;
  const char* text = of.name != 0 ? name_of(of.name) : nullptr;
  if (of.start_waits) {
    of.start_waits = false;
    of.start_unnamed = text == nullptr;
    __atomic_store_n(&g_waiting, g_waiting - 1, __ATOMIC_RELAXED);
    send_start(self, of, match_thread(true, of.number, text));
    of.start_clock = 0;
  } else if (of.start_unnamed && text != nullptr) {
    of.start_unnamed = false;
    // With the name, the start's message would have been another one.
    if (match_thread(true, of.number, text) != match_thread(true, of.number, nullptr)) add_to(g_counts.late_names);
  }
}

} // namespace

void thread_starts(ThreadState& self) {
  if (!wants_thread_names()) {
    const std::uint64_t happened = match_thread(true, self.number, nullptr);
    if (happened == 0) return;
    begin_relevant(self);
    send_event(self, EventKind::ThreadStart, 0, happened, nullptr, 0);
    return;
  }
  begin_relevant(self);
  Locked lock(g_names_lock);
  self.start_position = self.last_position;
  self.start_sequence = self.sequence++;
  self.start_clock = self.clock;
  self.start_waits = true;
  __atomic_store_n(&g_waiting, g_waiting + 1, __ATOMIC_RELAXED);
}

void thread_is_named(ThreadState& self, ThreadState& of, std::uint32_t number) {
  Locked lock(g_names_lock);
  name(self, of, number);
}

void tell_all_starts(ThreadState& self) {
  Locked lock(g_names_lock);
  for (std::uint32_t i = 0; g_waiting != 0 && i < g_thread_count; ++i)
    if (ThreadState* of = find_thread(i); of != nullptr && of->start_waits) name(self, *of, 0);
}

void tell_old_starts(ThreadState& self) {
  if (__atomic_load_n(&g_waiting, __ATOMIC_RELAXED) == 0) return; // one that begins now has time
  Locked lock(g_names_lock);
  const std::uint64_t now = newest_position();
  const std::uint32_t threads = __atomic_load_n(&g_thread_count, __ATOMIC_ACQUIRE);
  for (std::uint32_t i = 0; i < threads; ++i)
    if (ThreadState* of = find_thread(i); of != nullptr && of->start_waits && now - of->start_position > kPatience)
      name(self, *of, 0);
}

} // namespace sooth::runtime::observing
