// Appending to the calling thread's buffer: the path of every kept event.
#pragma once

#include "capture/runtime/mode.h"
#include "capture/runtime/recording/exact.h"
#include "capture/runtime/thread.h"

namespace sooth::runtime {

extern std::uint64_t g_detail; // slots kept in full per segment; ~0: all
extern bool g_branches;        // branches are kept in full detail
extern bool g_for_facts;       // static facts will be used: drop an event only if its own site repeats it
extern bool g_facts_wanted;    // facts=0 in SOOTH_OPTIONS turns them off

// The first module with static facts is registered: from now on everything is kept in full.
void record_for_facts();

// hook_entry.S itself appends below `limit`: while the segment's detail lasts, and for at most
// kQuick slots, so that time goes on.
inline constexpr std::uint64_t kQuick = 256;
inline std::uint64_t slot_number(const Thread* t) {
  return t->first_slot + static_cast<std::uint64_t>(t->cursor - t->begin);
}
inline void set_limit(Thread* t, std::uint64_t slots) {
  if (!is_recording() || g_exact) slots = 0; // every access goes to its hook
  if (slots > kQuick) slots = kQuick;
  const auto room = static_cast<std::uint64_t>(t->end - t->cursor); // huge if a handler left the cursor behind the end
  t->limit = t->cursor + (slots < room ? slots : room);
}
// The limit is reached. Renews it; or reports that the detail is spent, and turns to the cells.
bool renew_limit(Thread* t);
// Whether the next event of this segment is kept in full.
inline bool in_detail(Thread* t) {
  if (__sooth_thread.abi.detail == 0) return false;
  return t->cursor < t->limit || renew_limit(t);
}

// The file has no more room. From then on no thread records a synchronisation: it might come after
// one that is lost. So what is in the file is a beginning of the run. A thread that had no buffer
// yet, or that could not write it out, says so before its next synchronisation, and others see it
// after theirs.
void stop_for_lack_of_room(Thread* t);
// Whether the thread may record synchronisation; if not, its recording ends here.
inline bool has_room(Thread* t) {
  if (__builtin_expect(!__atomic_load_n(&g_no_room, __ATOMIC_ACQUIRE), 1)) return true;
  if (__sooth_thread.ended != kNoRoom) stop_for_lack_of_room(t);
  count(Defect::NoRoomEvents);
  return false;
}

// Encodes, compresses and writes out the buffer, then empties it. Signals are blocked meanwhile.
// False if the file has no room: then the buffer stays as it is, and recording ends for the thread,
// so that the trace has a beginning of its events without a gap.
bool flush(Thread* t);
// Writes the changes of the call stack since the last event as `exit` and `enter` events. `own`:
// the newest change happens now, and is a separate event. All others cling to the event before
// them.
void write_frames(Thread* t, bool own = false);

// Marks the thread as appending for a scope. Signal handlers nest: each restores the state that it
// found.
class Appending {
public:
  explicit Appending(Thread* t) : t_(t), before_(t->busy) {
    t_->busy = before_ + 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  }
  ~Appending() {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    t_->busy = before_;
  }
  Appending(const Appending&) = delete;
  Appending& operator=(const Appending&) = delete;

private:
  Thread* t_;
  std::uint32_t before_;
};

// The slow path of reserve, for a full buffer. False if a signal handler found the buffer full in
// mid-append: the event is lost.
bool make_room(Thread* t);

// Moves the cursor over the next slots, whether they are there or not. One instruction, so that a
// signal handler's events neither overwrite slots nor are overwritten.
inline trace::RawEvent* take_slot(Thread* t, std::size_t slots = 1) {
  std::uint64_t step = slots * sizeof(trace::RawEvent);
  __asm__ volatile("xaddq %0, %1" : "+r"(step), "+m"(t->cursor) : : "memory", "cc");
  return reinterpret_cast<trace::RawEvent*>(step);
}
// Room for an event of `slots` slots, or null. Needs Appending.
inline trace::RawEvent* reserve(Thread* t, std::size_t slots) {
  for (;;) {
    trace::RawEvent* slot = take_slot(t, slots);
    if (__builtin_expect(slot + slots <= t->end, 1)) return slot;
    if (!make_room(t)) return nullptr;
  }
}

inline bool frames_changed() {
  const ThreadLocal& local = __sooth_thread;
  return local.abi.stack_top != local.written_top || local.abi.stack_low != local.written_top;
}

inline void put(Thread* t, trace::RawEvent* slot, EventKind kind, std::uint64_t address, std::uint64_t value,
                std::uint64_t counter, std::uint32_t site, std::uint8_t size, std::uint8_t order, std::uint8_t flags) {
  slot->address = address;
  slot->value = value;
  slot->counter = counter;
  // One store for site, size, order, flags and kind, after all else: a slot is whole or not there.
  const std::uint64_t tail = std::uint64_t{site} | std::uint64_t{size} << 32 | std::uint64_t{order} << 40 |
                             std::uint64_t{flags} << 48 | static_cast<std::uint64_t>(kind) << 56;
  std::uint64_t tail_address = reinterpret_cast<std::uint64_t>(&slot->site);
  __atomic_store_n(reinterpret_cast<std::uint64_t*>(tail_address), tail, __ATOMIC_RELEASE);
  if (kind != EventKind::Branch && kind != EventKind::Enter && kind != EventKind::Exit) t->last = slot;
}

// A plain event at the current reading of the clock. Every 256 slots time goes on without
// synchronisation, too, so that readings distinguish accesses.
inline void append(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value, std::uint32_t site,
                   std::uint8_t size, std::uint8_t flags) {
  Appending appending(t);
  if (__builtin_expect(frames_changed(), 0)) write_frames(t);
  trace::RawEvent* slot = reserve(t, 1);
  if (__builtin_expect(slot == nullptr, 0)) return;
  if (__builtin_expect(reinterpret_cast<std::uint64_t>(slot) % (256 * sizeof *slot) == 0, 0)) tick(t);
  put(t, slot, kind, address, value, reading(t), site, size, 0, static_cast<std::uint8_t>(flags | t->glue));
}
// The same for an access whose order counts (exact.h).
inline void append_exactly(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value, std::uint32_t site,
                           std::uint8_t size, std::uint8_t flags) {
  Appending appending(t);
  if (frames_changed()) write_frames(t);
  if (trace::RawEvent* slot = reserve(t, 1))
    put(t, slot, kind, address, value, tick(t), site, size, 0, static_cast<std::uint8_t>(flags | trace::kTicket));
}

// A ticketed event. `ticket` takes the number after the room is reserved: nothing slow comes
// between the number and the operation.
template <typename Ticket>
void append_ticket(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value, std::uint32_t site,
                   std::uint8_t order, std::uint8_t flags, Ticket ticket) {
  Appending appending(t);
  if (__builtin_expect(frames_changed(), 0)) write_frames(t);
  if (trace::RawEvent* slot = reserve(t, 1))
    put(t, slot, kind, address, value, ticket(), site, 0, order, static_cast<std::uint8_t>(flags | trace::kTicket));
}

// An event with `bytes` payload bytes from one or two places.
void append_payload(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value, std::uint64_t counter,
                    std::uint32_t site, std::uint8_t order, std::uint8_t flags, const void* first,
                    std::size_t first_bytes, const void* second, std::size_t second_bytes);

// Only branches were kept since the thread's newest other event, and that event is in the same
// activation.
inline bool only_branches_since(const Thread* t) {
  constexpr std::ptrdiff_t kMost = 16;
  const trace::RawEvent* last = t->last;
  if (last < t->begin || last >= t->cursor || t->cursor - last > kMost || frames_changed()) return false;
  for (const trace::RawEvent* slot = last + 1; slot < t->cursor; ++slot)
    if (slot->kind != static_cast<std::uint8_t>(EventKind::Branch)) return false;
  return true;
}

// The newest event, not counting branches and calls, is a read of the same bytes with the same
// outcome: another one adds nothing (docs/trace_format.md). Static facts distinguish sites and
// activations. With them, only the same instruction again is a repeat.
inline bool repeats_last(const Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value, std::uint8_t size,
                         std::uint32_t site) {
  const trace::RawEvent* last = t->last;
  if (last->address != address || last->value != value || last->kind != static_cast<std::uint8_t>(kind) ||
      last->size != size)
    return false;
  __atomic_signal_fence(__ATOMIC_SEQ_CST); // a signal's handler may have kept events since
  if (t->last != last) return false;
  return !g_for_facts || (last->site == site && only_branches_since(t));
}

} // namespace sooth::runtime
