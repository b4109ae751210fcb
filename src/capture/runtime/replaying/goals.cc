// The error that the schedule leads to: is it there?
#include "capture/runtime/replaying/state.h"

#include "trace/effects.h"

namespace sooth::runtime {

using replay::Goal;
using replay::Reason;

namespace {

// Memory that a step has freed, for the goal.
std::uint64_t g_freed, g_freed_bytes;

bool overlap(std::uint64_t a, std::uint64_t a_bytes, std::uint64_t b, std::uint64_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

bool writes(EventKind kind) { return trace::writes_memory(kind) || trace::does(kind, trace::act::kAtomic); }

// A call about a descriptor or a primitive.
bool is_call(EventKind kind) {
  return trace::object_of(kind) == trace::ObjectKind::Descriptor || trace::is_primitive(trace::object_of(kind));
}

// The two stops of a race touch the same bytes, and one of them writes.
bool is_race() {
  const ReplayedThread* first = nullptr;
  for (std::uint32_t i = 0; i < g_schedule->threads; ++i) {
    const ReplayedThread& thread = g_replayed[i];
    if (!thread.stopped) continue;
    if (first == nullptr) first = &thread;
    else if (is_call(first->kind) || is_call(thread.kind)) return first->address == thread.address;
    else
      return overlap(first->address, first->size, thread.address, thread.size) &&
             (writes(first->kind) || writes(thread.kind));
  }
  return false;
}

bool is_lock(EventKind kind) { return trace::object_of(kind) == trace::ObjectKind::Lock; }

// Every stopped thread that asks for a lock asks for one that will not be given back: its holder
// has stopped, too, or has ended.
bool is_deadlock() {
  for (std::uint32_t i = 0; i < g_schedule->threads; ++i) {
    const ReplayedThread& thread = g_replayed[i];
    if (!thread.stopped || !is_lock(thread.kind)) continue;
    const std::uint32_t holder = holder_of(thread.address);
    if (holder == ~0u || !(g_replayed[holder].stopped || g_replayed[holder].ended)) return false;
  }
  return true;
}

} // namespace

void remember_freed(std::uint64_t address, std::uint64_t bytes) {
  g_freed = address;
  g_freed_bytes = bytes;
}

bool has_to_close() {
  if (g_schedule->goal != Goal::Deadlock) return false;
  for (std::uint32_t i = 0; i < g_schedule->threads; ++i)
    if (g_replayed[i].stopped && !is_lock(g_replayed[i].kind)) return true;
  return false;
}

bool is_reached(const ReplayedThread& self, Reason& reason) {
  switch (g_schedule->goal) {
  case Goal::Race: reason = Reason::OtherMemory; return is_race();
  case Goal::Deadlock: reason = Reason::NotHeld; return is_deadlock();
  case Goal::Freed:
    reason = Reason::OtherMemory;
    return g_freed_bytes != 0 && overlap(self.address, self.size != 0 ? self.size : 1, g_freed, g_freed_bytes);
  default: return true;
  }
}

} // namespace sooth::runtime
