// A property file, checked and compiled: plain data, ready to run its monitors.
//
// How to use it. For each global state of a run keep one 64-bit value per `variables[i]` (its
// bytes, little-endian, zero-extended), and for each step the set `happened` of `events` that are
// true of it (none in the first state). Then
//     Letter letter = file.letter(property, values, happened, &faults);
//     Verdict verdict = property.monitor->step(state, letter);
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "logic/expression.h"
#include "logic/lasso.h"
#include "logic/monitor.h"
#include "logic/scalar.h"

namespace sooth::logic {

struct Place {
  std::string file;
  std::uint64_t line = 0;   // 1-based
  std::uint64_t column = 0; // 1-based
};

inline constexpr unsigned kMaxEvents = 64;

// A scalar in memory that some atom reads.
struct Variable {
  std::string name;          // as written in the property file: `cfg.limits[3].low`
  std::uint64_t address = 0; // at run time if resolved from a trace; watched variables: 0
  std::uint32_t size = 0;    // bytes to keep, 1 to 8; for a bit field those that hold its bits
  ScalarType type;
  // A variable that SOOTH_WATCH names. Its place is that of the last `watch` event with this name.
  // Before the first one, its value is 0.
  bool watched = false;
  std::string watch_name; // what the watch event calls it
};

enum class EventClass : std::uint8_t { Call, Return, Acquire, Release, ThreadStart, ThreadEnd, User };

// True exactly in the state after an event of this kind: a step, not a condition that lasts.
struct EventPredicate {
  EventClass what = EventClass::User;
  bool any = false; // `acquire(*)`: whatever the target is
  // Call, Return: the function, without parameters (`worker::suspend`); all overloads count. User:
  // the event's name. ThreadStart, ThreadEnd: the thread's name, or empty if `thread` is given.
  // Acquire, Release: the lock as written.
  std::string name;
  std::uint64_t address = 0; // Acquire, Release: the lock's first byte ...
  std::uint64_t size = 0;    // ... and its bytes; the event's address is in them
  std::string watch_name;    // Acquire, Release: the lock is a watched object of this name; address and size are 0
  bool has_thread = false;   // ThreadStart, ThreadEnd: by number
  std::uint32_t thread = 0;

  friend bool operator==(const EventPredicate&, const EventPredicate&) = default;
};

enum class PropertyKind : std::uint8_t { Formula, Pattern, Machine, Liveness };
enum class Action : std::uint8_t { Report, Stop, Call };

struct Property {
  std::string name;
  Place place;
  PropertyKind kind = PropertyKind::Formula;
  std::string text;                     // the whole entry as written
  Action action = Action::Report;       // `when violated:`
  std::string call;                     // Call: the name that the program registered the function by
  std::vector<Expression> atoms;        // at most kMaxAtoms
  MonitorPointer monitor;               // null for Liveness
  LassoPointer lasso;                   // Liveness only
  std::vector<std::uint32_t> variables; // indexes of PropertyFile::variables that its atoms read, ascending
  std::uint64_t events = 0;             // bit k: PropertyFile::events[k] occurs in its atoms
};

// A `monitor` entry, for people. What it does is in PropertyFile::compiled_monitors.
struct MonitorEntry {
  std::string name; // of a ready-made one as written: `datarace on x`
  Place place;
  std::string text;      // the whole entry as written
  std::string expansion; // of a ready-made one: the entry that it stands for; else empty
};

struct PropertyFile {
  std::string name; // of the file
  std::vector<Variable> variables;
  std::vector<ScalarType> types; // of `variables`, one each
  std::vector<EventPredicate> events;
  std::vector<Property> properties;
  std::vector<MonitorEntry> monitors; // in the order of the compiled ones
  // The flat form of all monitors (knowledge/compiled.h), in words; empty if there are none.
  // Addresses in it are those of the symbols.
  std::vector<std::uint64_t> compiled_monitors;
  std::vector<Variable> monitor_variables; // that they name
  bool monitors_follow_all_memory = false; // knowledge travels through every access

  // Which atoms of the property hold. `values`: one for each of `variables`; `happened`: bit k for
  // `events[k]`.
  Letter letter(const Property& property, std::span<const std::uint64_t> values, std::uint64_t happened,
                Faults* faults = nullptr) const;
};

} // namespace sooth::logic
