// Counts the contents of a trace: the data behind `sooth stats` and the summary of `sooth run`.
//
// A variable is a place in memory where accesses begin, from the birth of its object to its end.
// Places with the same name in the source (`queue[...]`) are one row.
// Cost: one lookup per access.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace sooth::cli {

struct VariableRow {
  std::string name;
  std::uint64_t places = 0;        // addresses with this name
  std::uint64_t shared_places = 0; // ... that at least two threads use and at least one writes
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::map<std::uint32_t, std::uint64_t> by_thread; // accesses
  std::uint64_t accesses() const { return reads + writes; }
};

struct LockRow {
  std::string name;
  std::uint64_t acquires = 0;
  std::uint64_t shared_acquires = 0;
  std::uint64_t failed = 0;
  std::map<std::uint32_t, std::uint64_t> by_thread; // acquires
};

struct Tally {
  std::array<std::uint64_t, 256> by_kind{};
  std::vector<std::uint64_t> by_thread;
  std::vector<VariableRow> shared; // with at least one shared place, most accesses first
  std::uint64_t variables = 0;     // rows, shared or not
  std::vector<LockRow> locks;      // most acquires first

  std::uint64_t of(trace::EventKind kind) const { return by_kind[static_cast<std::uint8_t>(kind)]; }
};

Tally tally(const trace::Trace& trace);

} // namespace sooth::cli
