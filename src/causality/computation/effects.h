// What the parts of compute() note about events, before events are put together to steps.
#pragma once

#include <cstdint>
#include <vector>

#include "causality/computation/computation.h"

namespace sooth::causality {

// Where the index of an event is kept: none so far.
inline constexpr std::uint32_t kNoEvent = 0xffffffff;

// `first` happens before `second` in every run; both are indices of events.
struct EventOrder {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  bool conservative = false; // a maximal model would not need it
  bool recorded = false;     // holds in the recorded run; others may have it otherwise
};

struct EventOperation {
  std::uint32_t event = 0;
  Operation operation;
};

struct Effects {
  std::vector<EventOrder> orders;
  // Of each event in their order. A value that names an event (Take, WakeUp) becomes its step.
  std::vector<EventOperation> operations;
  std::vector<std::uint32_t> pinned; // events that need everything that was observed before them
  std::vector<Semaphore> semaphores;
  std::vector<std::uint64_t> conditions;

  void order(std::uint32_t first, std::uint32_t second, bool conservative = false) {
    orders.push_back({first, second, conservative});
  }
  void recorded(std::uint32_t first, std::uint32_t second) { orders.push_back({first, second, false, true}); }
};

} // namespace sooth::causality
