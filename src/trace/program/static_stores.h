// Stores that no ownership of memory hides.
//
//     ++hits;            hits is a static variable: this store is always in the trace
//     ++box->hits;       a thread may own *box: then none of its stores there is recorded
//
// Question: which of the stores that a value may reach write static variables only, or atomically?
// Source: the pass looks at the address of each store (capture/pass/facts/value_flows.cc). Threads
//   own neither static variables nor what they use atomically (docs/trace_format.md, "Owned
//   blocks").
// Where we differ: in the facts these stores are what is passed to a slot that no function has,
//   the result of function number 0. Some of them write through parameters. Each module says for
//   the memory behind parameters (kPointedTo) which stores write it, to which parameters the
//   pointer is passed on, and whether it may be any memory.
// Cost: linear in what is passed, and a sort.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/program/value_flows.h"

namespace sooth::trace {

inline constexpr FlowSlot kStaticMemory = {}; // kStaticSlot of function number 0

class StaticStores {
public:
  explicit StaticStores(const ValueFlows& flows);
  // The sites ascend.
  bool contain_all(const std::vector<std::uint32_t>& sites) const;

private:
  std::vector<std::uint32_t> sites_; // ascending
};

} // namespace sooth::trace
