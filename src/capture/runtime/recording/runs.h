// Runs: one instruction walks over neighbouring bytes (a loop that the pass could not announce, or
// an unrolled one).
//
//     while (*p != 0) ++p;   (long* p)  accesses 1 to 8: one event each
//                                       from access 9 on: one range that grows
//
// The first kRunStart accesses are separate events. As long as nothing else is kept, the following
// ones grow one range, with its bytes: eight bytes an access instead of a slot.
#pragma once

#include "capture/runtime/recording/buffer.h"

namespace sooth::runtime {

inline constexpr std::uint8_t kRunStart = 8;
inline constexpr std::uint64_t kRunBytes = 1024;

// Adds the access to the run's range. False if it has to be a separate event.
bool extend_run(Thread* t, EventKind kind, std::uint64_t value, std::uint8_t size);

// A plain access of at most 8 bytes, as an event or as a part of one.
inline void append_access(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value, std::uint8_t size,
                          std::uint32_t site, std::uint8_t flags) {
  Run& run = t->run;
  const bool goes_on = !g_for_facts && address == run.next && site == run.site &&
                       static_cast<std::uint8_t>(kind) == run.kind && size == run.size && flags == run.flags &&
                       t->cursor == run.cursor && t->glue == 0 && !frames_changed();
  if (__builtin_expect(goes_on && run.length == kRunStart, 0) && extend_run(t, kind, value, size)) return;
  append(t, kind, address, value, site, size, flags);
  if (goes_on) run.length = static_cast<std::uint8_t>(run.length + (run.length < kRunStart));
  else run = {nullptr, nullptr, 0, site, static_cast<std::uint8_t>(kind), size, flags, 1};
  run.next = address + size;
  run.cursor = t->cursor;
}

} // namespace sooth::runtime
