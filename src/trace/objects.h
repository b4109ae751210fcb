// Separates objects at reused addresses.
//
//     T1 alloc 100, 8 bytes      object A
//     T1 write 100
//     T1 free  100
//     T2 alloc 100, 8 bytes      object B: from here on, 100 is written as 4000
//     T2 write 100               not a conflict with T1's write
//
// Question: which accesses of the same address are accesses of the same object?
// Source: alloc, map and stack-begin events. Getting memory that belonged to another object before
//   does not order two threads: an allocator may hand out other addresses in another run.
// Where we differ: instead of adding generations to every event, only addresses change. The first
//   object at an address keeps it. Later ones move to addresses that no program has, so all code
//   that reads a trace works on the result as well.
// Cost: one pass over the events that begin objects; a second over all events only if some memory
//   was used twice.
// Gives up: an access across the border of two objects needs them side by side, so such objects
//   stay where they are. This orders more than necessary and is right.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace sooth::trace {

struct MovedObject {
  std::uint64_t address = 0;  // where it is now
  std::uint64_t original = 0; // where the program had it
  std::uint64_t bytes = 0;
};

struct ObjectTable {
  std::vector<MovedObject> moved;  // ascending addresses
  std::uint64_t kept_together = 0; // objects at reused addresses that could not be moved

  // The address that the program used, for people to see.
  std::uint64_t original(std::uint64_t address) const;
};

// Changes addresses in trace.events so that one address belongs to one object.
ObjectTable separate_objects(Trace& trace);

} // namespace sooth::trace
