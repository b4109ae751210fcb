// Appending to the calling thread's buffer: the path every kept event takes.
#pragma once

#include "capture/runtime/thread.h"

namespace sooth::runtime {

// The ticket counter. Synchronisations move it by one and own the number; plain accesses only look.
struct alignas(64) Counter {
  std::uint64_t value;
};
extern Counter g_counter;
extern std::uint64_t g_detail; // events kept in full per segment; ~0: all

inline std::uint64_t take_ticket() { return __atomic_add_fetch(&g_counter.value, 1, __ATOMIC_SEQ_CST); }
// Relaxed is enough: the order between threads comes from tickets, which are full barriers; a stale reading only
// places a racing access earlier, and the reader restores a legal order by values.
inline std::uint64_t look_at_counter() { return __atomic_load_n(&g_counter.value, __ATOMIC_RELAXED); }

// Encodes, compresses and writes out the buffer, then empties it. Signals are blocked meanwhile.
void flush(Thread* t);
// Writes the changes of the call stack since the last event as `exit` and `enter` events.
void write_frames(Thread* t);

// Marks the thread as appending for the length of a scope.
class Appending {
public:
  explicit Appending(Thread* t) : t_(t) {
    ++t_->busy;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  }
  ~Appending() {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    --t_->busy;
  }
  Appending(const Appending&) = delete;
  Appending& operator=(const Appending&) = delete;

private:
  Thread* t_;
};

// Room for an event of `slots` slots; null if a signal handler found the buffer full in mid-append. Needs Appending.
inline trace::RawEvent* reserve(Thread* t, std::size_t slots) {
  for (;;) {
    // One instruction, so that a handler's events neither overwrite nor are overwritten.
    std::uint64_t step = slots * sizeof(trace::RawEvent);
    __asm__ volatile("xaddq %0, %1" : "+r"(step), "+m"(t->cursor) : : "memory", "cc");
    auto* slot = reinterpret_cast<trace::RawEvent*>(step);
    if (slot + slots <= t->end) return slot;
    if (t->busy > 1) {
      t->cursor = t->end;
      count(Defect::DroppedEvents);
      return nullptr;
    }
    flush(t);
  }
}

inline bool frames_changed(const Thread* t) {
  const SoothThreadAbi& abi = __sooth_thread.abi;
  return abi.stack_top != t->written_top || abi.stack_low != t->written_top;
}

inline void put(Thread* t, trace::RawEvent* slot, EventKind kind, std::uint64_t address, std::uint64_t value, std::uint64_t counter,
                std::uint32_t site, std::uint8_t size, std::uint8_t order, std::uint8_t flags) {
  slot->address = address;
  slot->value = value;
  slot->counter = counter;
  // site, size, order, flags, kind in one store, after all else: a slot is whole or not there.
  const std::uint64_t tail = std::uint64_t{site} | std::uint64_t{size} << 32 | std::uint64_t{order} << 40 | std::uint64_t{flags} << 48 |
                             static_cast<std::uint64_t>(kind) << 56;
  std::uint64_t tail_address = reinterpret_cast<std::uint64_t>(&slot->site);
  __atomic_store_n(reinterpret_cast<std::uint64_t*>(tail_address), tail, __ATOMIC_RELEASE);
  t->last = slot;
}

// A plain event at the current counter reading.
inline void append(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value, std::uint32_t site, std::uint8_t size,
                   std::uint8_t flags) {
  Appending appending(t);
  if (__builtin_expect(frames_changed(t), 0)) write_frames(t);
  if (++t->since_tick >= 512) { // the counter moves now and then by itself, so that readings tell times apart
    t->since_tick = 0;
    take_ticket();
  }
  if (trace::RawEvent* slot = reserve(t, 1))
    put(t, slot, kind, address, value, look_at_counter(), site, size, 0, flags);
}

// A ticketed event. The ticket is taken after the room is there, so nothing slow comes between it and the operation.
inline void append_ticket(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value, std::uint32_t site, std::uint8_t size,
                          std::uint8_t order, std::uint8_t flags) {
  Appending appending(t);
  if (__builtin_expect(frames_changed(t), 0)) write_frames(t);
  if (trace::RawEvent* slot = reserve(t, 1))
    put(t, slot, kind, address, value, take_ticket(), site, size, order, static_cast<std::uint8_t>(flags | trace::kTicket));
}

// An event with `bytes` payload bytes from one or two places.
void append_payload(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value, std::uint64_t counter, std::uint32_t site,
                    std::uint8_t order, std::uint8_t flags, const void* first, std::size_t first_bytes, const void* second,
                    std::size_t second_bytes);

// The newest event is a read of the same thing with the same outcome: one more tells nothing (docs/trace_format.md).
inline bool repeats_last(const Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value, std::uint32_t site) {
  const trace::RawEvent* last = t->last;
  return last != nullptr && last->address == address && last->value == value && last->site == site &&
         last->kind == static_cast<std::uint8_t>(kind) && !frames_changed(t);
}

} // namespace sooth::runtime
