#include "capture/runtime/recording/runs.h"

#include "capture/runtime/os.h"

namespace sooth::runtime {

bool extend_run(Thread* t, EventKind kind, std::uint64_t value, std::uint8_t size) {
  Run& run = t->run;
  constexpr std::uint64_t kSlot = sizeof(trace::RawEvent);
  Appending appending(t);
  if (run.event == nullptr || run.event->value + size > kRunBytes) {
    if (t->cursor + 2 > t->end) return false; // a separate event empties the buffer
    trace::RawEvent* slot = reserve(t, 2);
    if (slot == nullptr) return false;
    os::copy(slot + 1, &value, size);
    put(t, slot, kind, run.next, size, reading(t), run.site, 0, 0,
        static_cast<std::uint8_t>(run.flags | trace::kPayload));
    run.event = slot;
  } else {
    const std::uint64_t length = run.event->value;
    if (length % kSlot == 0) { // sizes are powers of two: an access never lies in two slots
      if (t->cursor + 1 > t->end || reserve(t, 1) != run.cursor) return false;
    }
    os::copy(reinterpret_cast<std::uint8_t*>(run.event + 1) + length, &value, size);
    // The bytes before the length: a concurrent reader sees the range without them.
    __atomic_store_n(&run.event->value, length + size, __ATOMIC_RELEASE);
  }
  run.next += size;
  run.cursor = t->cursor;
  return true;
}

} // namespace sooth::runtime
