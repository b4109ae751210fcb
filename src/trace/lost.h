// Events that happened and are not in the trace, though later ones are.
#pragma once

#include <cstdint>

#include "trace/trace.h"

namespace sooth::trace {

// How many are known to be lost: not kept by the runtime, or in unreadable parts of the file. Any
// of them may have ordered threads. Those behind the trace's end (restore/gaps.h) order nothing in
// it.
inline std::uint64_t lost_events(const Trace& trace) {
  return trace.defect(Defect::DroppedEvents) + trace.defect(Defect::MissingEvents) +
         trace.defect(Defect::DamagedChunks);
}

// The trace is only a beginning of its run: what came later, a join for example, is not in it.
inline bool ends_early(const Trace& trace) {
  return trace.defect(Defect::DamagedBytes) != 0 || trace.defect(Defect::EventsBehindEnd) != 0 ||
         trace.defect(Defect::WriteErrors) != 0 || trace.defect(Defect::NoRoomEvents) != 0;
}

} // namespace sooth::trace
