// Vector clocks of sliced causality: which relevant events must precede which, by what they depend
// on.
//
//     1 T1 write x = 1     relevant: no, until something relevant depends on it
//     2 T1 write y = 1     relevant
//     3 T2 read  x = 1     no relevant event depends on it
//     4 T2 write y = 2     relevant: its clock has nothing of T1, so 2 and 4 are not ordered
//
// Question: given which events depend on which, what order do the relevant events keep?
// Source: jPredictor, section 3.1. `sliced_clocks_online` is its algorithm, which sees one event
//   after the other and goes back where an event turns out to matter only later (Fig. 4).
//   `sliced_clocks_offline` goes backwards first to see what matters, and need not go back.
// Where we differ: (1) By the letter of case 2, a read's clock takes in the clocks of earlier
//   reads. Definition 3 has no dependence between reads, and neither have we: a read takes in the
//   last write and adds itself to what the next write takes in. (2) An event whose state the
//   property does not look at (an access of a race) is not an access of its variable for the
//   clocks: otherwise no two accesses could ever be unrelated. Something later may depend on its
//   state all the same. Then that is an event of its own, at the same place (Definition 5 has both
//   the abstract and the concrete one), and what its state depends on comes before the events that
//   follow, not before the abstract one. (3) Dependence may go through nodes that are not events,
//   so that sets of sources are shared.
// Cost: offline, linear in nodes and edges, times the threads. Online the same, and again whenever
//   it goes back.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "causality/computation/clock.h"

namespace sooth::causality {

// Nodes are in the order of the trace; what a node depends on comes before it.
struct SlicedNode {
  ThreadNumber thread = 0;
  bool event = true;                  // false: it only stands for what it depends on
  bool reads = false, writes = false; // the variables
  std::vector<std::uint32_t> variables;
  std::vector<std::uint32_t> control; // depends on these for being there
  std::vector<std::uint32_t> data;    // ... for its value
};

// What a property looks at, by node: not at this one; at its presence; at its value, too.
enum class Looked : std::uint8_t { Away, There, State };

struct SlicedClocks {
  std::vector<bool> important; // by node: relevant, or something relevant depends on its state
  std::vector<Clock> clocks;   // by node; only of relevant ones, as the property looks at them
  std::uint64_t went_back = 0; // online: how often
};

SlicedClocks sliced_clocks_offline(std::span<const SlicedNode> nodes, std::span<const Looked> relevant);
SlicedClocks sliced_clocks_online(std::span<const SlicedNode> nodes, std::span<const Looked> relevant);

} // namespace sooth::causality
