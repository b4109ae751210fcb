// The events that a reader adds where an owned block becomes another thread's (moves.h).
#pragma once

#include "trace/trace.h"

namespace sooth::trace {

constexpr std::uint64_t hand_over_tag(std::uint32_t row) { return kHandOverTags | std::uint64_t{row} << 4; }

// Nothing that a thread did: it ends no segment, and a replayed program does not meet it.
constexpr bool is_hand_over(const Event& e) {
  return (e.kind == EventKind::HbRelease || e.kind == EventKind::HbAcquire) && (e.address & kHandOverTags) != 0;
}

} // namespace sooth::trace
