// Two columns of event_kinds.def: the sort of object that an event is about, and what the event
// does to it. effects.h visits them. The runtime includes this header too: it needs nothing but
// format.h.
#pragma once

#include <array>
#include <cstdint>

#include "trace/format.h"

namespace sooth::trace {

// The object of an event. The primitives come first.
enum class ObjectKind : std::uint8_t {
  Lock,
  Condition,
  Barrier,
  Semaphore,
  Once,
  LastPrimitive = Once, // up to here `address` is where the primitive lies in memory
  Thread,
  Tag,     // an address that annotations name
  Futex,   // a word: the program's own atomic accesses of it order threads, too
  Outside, // files, pipes, sockets, other processes
  Fence,
  Memory,  // single accesses and ranges
  Region,  // heap blocks, mappings, stacks: `value` bytes
  Watched, // bytes that got a name
  Awaited, // anything that a request waits for
  Call,    // the thread's own control flow
  Name,
  Handler, // of a signal
  Process,
  Descriptor, // of a file: a number, not a place in memory
  Nothing,    // no row
};

// What the event does to the object.
namespace act {
enum : std::uint16_t {
  kReads = 1,        // memory
  kWrites = 2,       // memory
  kAtomic = 4,       // memory
  kTakes = 8,        // comes after the others' kGives
  kGives = 16,       // a later kTakes comes after it
  kShares = 32,      // events of this sort do not order each other: readers of a lock, threads at a barrier
  kTakesMutex = 64,  // `value` is a mutex that it has again
  kGivesMutex = 128, // `value` is a mutex that it gives up, however often it was taken
  kBegins = 256,     // the object
  kEnds = 512,       // the object
  kBlocks = 1024,    // it may have to wait for another thread
  kCancels = 2048,   // another thread, which sees it at its next event
  kPins = 4096,      // comes after everything that all threads did before
  kMarks = 8192,     // describes an object or a name, and does not end its thread's segment
  kResumes = 16384,  // blocks, and waits on after a handler has interrupted it; others return then
};
} // namespace act

struct KindColumns {
  ObjectKind object = ObjectKind::Nothing;
  std::uint16_t acts = 0;
};

// By number, so that a lookup costs one load.
inline constexpr std::array<KindColumns, 256> kColumnsOfKind = [] {
  using namespace act;
  std::array<KindColumns, 256> columns;
#define SOOTH_EVENT_KIND(enumerator, name, number, ticketed, object, acts, meaning)                                    \
  columns[number] = {ObjectKind::object, static_cast<std::uint16_t>(acts)};
#include "trace/event_kinds.def"
#undef SOOTH_EVENT_KIND
  return columns;
}();

constexpr ObjectKind object_of(EventKind kind) { return kColumnsOfKind[static_cast<std::uint8_t>(kind)].object; }
constexpr unsigned acts_of(EventKind kind) { return kColumnsOfKind[static_cast<std::uint8_t>(kind)].acts; }
constexpr bool does(EventKind kind, unsigned acts) { return (acts_of(kind) & acts) != 0; }
constexpr bool does_to(ObjectKind object, EventKind kind, unsigned acts) {
  return object_of(kind) == object && does(kind, acts);
}

constexpr bool reads_memory(EventKind kind) { return does(kind, act::kReads); }
constexpr bool writes_memory(EventKind kind) { return does(kind, act::kWrites); }

} // namespace sooth::trace
