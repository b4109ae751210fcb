// The options and the results of an exploration. Plain data. `max_width` keeps only the most
// probable states of a level (JMPaX, section 3.3, end).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "causality/computation/clock.h"
#include "explore/monitor_set.h"

namespace sooth::explore {

using causality::Count;
using causality::ThreadNumber;

// When to stop: after the first violation, or go on for the other monitors, or find one for each
// monitor and cut.
enum class Until : std::uint8_t { First, EachMonitor, All };

struct Options {
  Until until = Until::EachMonitor;
  std::uint64_t max_width = 0;         // cuts kept of a level; 0: all
  double budget_seconds = 0;           // 0: no limit
  std::uint64_t memory_bytes = 0;      // of levels and paths; 0: no limit
  std::uint64_t process_bytes = 0;     // that the whole process occupies; 0: no limit
  unsigned workers = 1;                // threads that expand a level
  std::uint64_t max_violations = 1000; // with Until::All
  std::uint64_t path_steps = 0;        // newest steps of paths that are kept; 0: all of them
};

// One step of a run: the `index`-th step (from 0) of the thread.
struct PathStep {
  ThreadNumber thread = 0;
  Count index = 0;
  EventName event = 0;
  friend bool operator==(const PathStep&, const PathStep&) = default;
};

struct Violation {
  std::size_t monitor = 0;
  std::vector<Count> cut;        // by thread; the property fails here for the first time in this run
  std::vector<PathStep> path;    // how to get there
  std::uint64_t path_begins = 0; // steps before it that were not kept (Options::path_steps)
};

enum class End {
  Complete,  // every run was looked at
  Found,     // stopped because of Options::until
  Waiting,   // online: messages are missing
  OutOfTime, // budgets
  OutOfMemory,
};

struct Statistics {
  std::uint64_t cuts = 0;   // nodes of all levels
  std::uint64_t levels = 0; // the initial one included
  std::uint64_t widest = 0; // nodes of the widest level
  std::uint64_t edges = 0;
  std::uint64_t cuts_left_out = 0;       // by max_width
  std::uint64_t violations_left_out = 0; // by max_violations
  std::uint64_t peak_bytes = 0;          // levels and paths
};

struct Exploration {
  std::vector<Violation> violations; // by level, then cut
  Statistics statistics;
  End end = End::Complete;
  bool bounded() const { return statistics.cuts_left_out != 0 || end == End::OutOfTime || end == End::OutOfMemory; }
};

} // namespace sooth::explore
