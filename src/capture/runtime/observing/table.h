// The relevant variables and events: the observer's table, as it came over the wire. It changes
// only while a thread is alone (section.h); a variable's value, while its bytes are held.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/format.h"

namespace sooth::runtime::observing {

struct WireText {
  const char* text;
  std::size_t length;
};

struct Variable {
  std::uint64_t address; // 0: a watched one that has no place yet
  std::uint32_t size;
  bool asks;           // the observer is asked after an event that writes it
  std::uint64_t value; // in the observed run
  WireText watch;
};

// Reads the table's fields. False if they are wrong; then nothing is relevant.
bool read_table(const std::uint8_t* body, std::size_t size);
bool has_table();
bool wants_answers(); // after some events
bool wants_calls();
bool wants_locks();        // acquires or releases
bool wants_thread_names(); // for thread_start("name")

std::size_t variable_count();
Variable& variable(std::size_t index);
// Where variables are: all of them in [low, high), and a bit for each 64 bytes that have some, by
// the lowest bits of their number.
struct Places {
  std::uint64_t low, high;
  std::uint64_t bits[64];
};
extern Places g_places;
// A quick test: whether some variable may lie in the range.
inline bool may_hold_variables(std::uint64_t address, std::uint64_t size) {
  if (address >= g_places.high || g_places.low >= address + size) return false;
  for (std::uint64_t line = address / 64; line * 64 < address + size; ++line)
    if ((g_places.bits[line / 64 % 64] >> line % 64 & 1) != 0) return true;
  return false;
}
// From now on, the memory of this name is here. Returns whether the table has the name.
bool place_watch(const char* name, std::uint64_t address, std::uint64_t size);

// Whether the observer is asked after an event of which these predicates are true.
bool asks_for(std::uint64_t happened);

// Bit k: predicate k is true of this event. For a wait and a wake-up, the lock is the mutex.
std::uint64_t match_sync(trace::EventKind kind, std::uint64_t lock);
std::uint64_t match_user(const char* name);
std::uint64_t match_thread(bool starts, std::uint32_t thread, const char* name);
std::uint64_t match_call(bool enters, std::uint32_t site);

} // namespace sooth::runtime::observing
