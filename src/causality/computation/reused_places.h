// Pointers to reused addresses: which of the objects there does a number point to?
//
//     T1 alloc 100 (A), T1 write p = 100, T1 free 100, T1 alloc 100 (B), T1 write p = 100
//     the two writes of p have equal bytes and different values: they point to A and to B
//
// Question: do two writes of the same number, an address, refer to the same object?
// Source: objects at reused addresses are separated (trace/objects.h), so pointers to them must be,
//   too. A thread that reads the pointer to the new object goes on with the new object, which in
//   the recorded run it never did.
// Where we differ: it is not known which numbers are addresses. Every word that lies inside an
//   object at a reused place counts as one. A number that only looks like an address is separated
//   without need, which allows fewer runs and is right.
// Cost: a search among the objects at reused places for each value; nothing if there are none.
#pragma once

#include <cstdint>

#include <absl/container/btree_map.h>

#include "trace/objects.h"
#include "trace/trace.h"

namespace sooth::causality {

class ReusedPlaces {
public:
  explicit ReusedPlaces(const trace::ObjectTable& objects) : objects_(objects) {}

  bool none() const { return now_.empty(); }

  // An object begins with this event, the trace's `number`-th.
  void begin(const trace::Event& e, std::uint32_t number);
  // Which object has this address now; 0: the first one, or no place that is used again.
  std::uint64_t object_at(std::uint64_t address) const;

private:
  struct Object {
    std::uint64_t end = 0;
    std::uint64_t number = 0;
  };
  const trace::ObjectTable& objects_;
  absl::btree_map<std::uint64_t, Object> now_; // by the address that the program has
};

} // namespace sooth::causality
