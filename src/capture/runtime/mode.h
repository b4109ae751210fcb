// What the program's hooks do with events. A program does one thing from its first hook to its end:
//
//   Recording   events go to the trace file (recording/). The fast case: hooks test one pointer.
//   Observing   events go to an observer, while the program runs (observing/, docs/protocol.md)
//   Monitoring  events go to the monitors inside the program (monitoring/, docs/monitors.md)
//   Replaying   events follow a schedule (replaying/, docs/replay.md)
//
// Programs of the last three kinds write no trace. Their sink stands in for recording at the same
// hooks.
#pragma once

#include <cstdint>

#include "trace/format.h"

namespace sooth::runtime {

struct Thread;
using trace::EventKind;

enum class Mode : std::uint8_t { Recording, Observing, Monitoring, Replaying };

// What `sync` and `failed` below get, for the visitors of trace/effects.h.
struct SyncEvent {
  EventKind kind;
  std::uint64_t address;
  std::uint64_t value;
  bool failed;
  bool has(trace::EventFlags flag) const { return flag == trace::kFailed && failed; }
};

struct Sink {
  Mode mode;
  void (*access)(Thread* t, EventKind kind, std::uint64_t address, const void* bytes, std::uint64_t size,
                 std::uint32_t site);
  void (*fill)(Thread* t, std::uint64_t address, std::uint8_t byte, std::uint64_t size, std::uint32_t site);
  void (*sync)(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value);
  void (*failed)(Thread* t, EventKind kind, std::uint64_t address, std::uint64_t value);
  // Activations at and above `low` were left, and those in [low, top) entered.
  void (*frames)(Thread* t, const std::uint64_t* low, const std::uint64_t* top);
  // Before pthread_join blocks; and if pthread_create did not make the thread that `fork`
  // announced.
  void (*waits)(Thread* t, std::uint32_t other);
  void (*no_child)(Thread* t, std::uint32_t child);
  void (*finish)(trace::EndKind kind, int value);
};

extern const Sink* g_sink; // null: recording. Set before the first hook runs, and never changed
inline bool is_recording() { return __builtin_expect(g_sink == nullptr, 1); }
inline Mode mode() { return is_recording() ? Mode::Recording : g_sink->mode; }
inline bool is_observing() { return mode() == Mode::Observing; }
inline bool is_monitoring() { return mode() == Mode::Monitoring; }
inline bool is_replaying() { return mode() == Mode::Replaying; }

} // namespace sooth::runtime
