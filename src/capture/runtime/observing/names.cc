#include "capture/runtime/observing/names.h"

#include "capture/runtime/modules.h"
#include "capture/runtime/observing/hook.h"

namespace sooth::runtime::observing {
namespace {

constexpr std::uint64_t kPatience = 1u << 12; // events that other threads may send meanwhile; the observer keeps them
std::uint32_t g_waiting;                      // starts

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
  self.start_position = self.last_position = next_position();
  self.start_sequence = self.sequence++;
  assign_clock(self.start_clock, self.clock);
  self.start_waits = true;
  ++g_waiting;
}

void thread_is_named(ThreadState& self, ThreadState& of, std::uint32_t name) {
  if (name != 0) of.name = name;
  const char* text = of.name != 0 ? name_of(of.name) : nullptr;
  if (of.start_waits) {
    of.start_waits = false;
    of.start_unnamed = text == nullptr;
    --g_waiting;
    send_start(self, of, match_thread(true, of.number, text));
    assign_clock(of.start_clock, nullptr);
  } else if (of.start_unnamed && text != nullptr) {
    of.start_unnamed = false;
    // With the name, the start's message would have been another one.
    if (match_thread(true, of.number, text) != match_thread(true, of.number, nullptr)) ++g_counts.late_names;
  }
}

void tell_all_starts(ThreadState& self) {
  for (std::uint32_t i = 0; g_waiting != 0 && i < g_thread_count; ++i)
    if (ThreadState* of = find_thread(i); of != nullptr && of->start_waits) thread_is_named(self, *of, 0);
}

void tell_old_starts(ThreadState& self) {
  if (g_waiting == 0) return;
  if (wants_lockstep()) return tell_all_starts(self); // the observer's answer would not come
  const std::uint64_t now = next_position(0);
  for (std::uint32_t i = 0; i < g_thread_count; ++i)
    if (ThreadState* of = find_thread(i); of != nullptr && of->start_waits && now - of->start_position > kPatience)
      thread_is_named(self, *of, 0);
}

} // namespace sooth::runtime::observing
