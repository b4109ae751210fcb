// A trace's events in blocks: neighbouring events of one thread that no other thread may separate.
//
//     T1 read  a[0..9], glued
//     T1 write b[0..9]
//     T1 branch                 one block: a loop that copies, and the branch behind it
//
// A glued access stays with its thread's next event. Calls, returns and branches cling to the event
// before them (docs/trace_format.md, rule 3 and "adjacent repeats"). A block counts as happening
// where its first event stands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "causality/computation/computation.h"
#include "trace/trace.h"

namespace sooth::causality {

struct Block {
  std::uint32_t thread = 0;
  StepId begins = kNoStep; // the step that begins with it: the step's operations, but for ends of holds, are its own
  StepId ends = kNoStep;   // the step that ends with it
  bool parted = false;     // another thread conflicts with it between its events, in the observed order
  std::size_t first = 0;   // its events, in Blocks::events
  std::size_t count = 0;
};

struct Blocks {
  std::vector<Block> blocks; // by their first events
  std::vector<std::uint32_t> events;

  std::span<const std::uint32_t> events_of(const Block& block) const {
    return std::span(events).subspan(block.first, block.count);
  }
};

Blocks blocks_of(const trace::Trace& trace, const Computation& computation);

} // namespace sooth::causality
