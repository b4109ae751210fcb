// A trace's events in blocks: neighbouring events of one thread that no other thread may part.
//
// A glued access stays with its thread's next event; calls, returns and branches cling to the event before them
// (docs/trace_format.md, rule 3 and "adjacent repeats"). A block counts as happening where its first event stands.
#pragma once

#include <cstdint>
#include <vector>

#include "causality/computation.h"
#include "trace/trace.h"

namespace sooth::causality {

struct Block {
  std::uint32_t thread = 0;
  StepId begins = kNoStep; // the step that begins with it: the step's operations, but for ends of holds, are its own
  StepId ends = kNoStep;   // the step that ends with it
  bool parted = false;     // another thread conflicts with it between its events, in the observed order
  std::vector<std::uint32_t> events;
};

// By their first events.
std::vector<Block> blocks_of(const trace::Trace& trace, const Computation& computation);

} // namespace sooth::causality
