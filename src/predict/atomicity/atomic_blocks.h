// Blocks that the program means to be atomic: marked ones, and calls of functions that the user
// named.
//
//     1 T1 atomic-begin A
//     2 T1 read  x
//     3 T2 write x           another thread's: not in the block
//     4 T1 write x
//     5 T1 atomic-end A      the block: 1 2 4 5
//
// A block is a transaction in the sense of maximal models, Definition 5: the steps of one thread
// from the block's begin to its end. A block without an end in the trace does not count.
// Cost: one pass.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "causality/computation/computation.h"
#include "trace/trace.h"

namespace sooth::predict {

struct Block {
  std::uint32_t thread = 0;
  std::uint32_t begin = 0; // events: atomic-begin or enter ...
  std::uint32_t end = 0;   // ... atomic-end or exit
  std::uint32_t first = 0; // places of its steps among those of its thread:
  std::uint32_t last = 0;  // [first, last)
  bool outermost = true;   // not inside another block
  std::string name;

  bool interruptible() const { return last - first >= 2; }
};

// `functions`: patterns (as of a shell) of names of functions, with or without their parameters.
bool is_named(const std::string& function, const std::string& pattern);
std::vector<Block> collect_blocks(const trace::Trace& trace, const causality::Computation& computation,
                                  const std::vector<std::string>& functions);

} // namespace sooth::predict
