// A monitor that is a table: state and event give the next state. Patterns and machines become one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "logic/monitor.h"

namespace sooth::logic {

struct TransitionTable {
  std::uint32_t events = 0;        // event i is atom i of the letter
  std::vector<std::uint32_t> next; // [state * events + event]
  std::vector<bool> violated;      // by state
  std::vector<std::string> states; // what to call each in a description
  std::uint32_t initial = 0;
};

// A step in which none of the events happens leaves the state as it is. If several happen in one
// step, the one with the lowest number counts.
MonitorPointer make_table_monitor(TransitionTable table);

} // namespace sooth::logic
