// The few steps of two runs that explain a finding: what happened, and what could have happened.
//
//     recorded:   T1 writes x, T1 locks m, T1 unlocks m, T2 locks m, T2 unlocks m, T2 writes x
//     predicted:  T2 locks m, T2 unlocks m, then T1 and T2 stand before their writes of x
//
// Question: which events must a person see to believe the finding?
// Steps that matter: the finding's places; accesses of the same bytes; synchronisation through
// objects that several threads use there; if a thread waits for a signal for ever, the last signal,
// and the thread that it woke. Of a long run, the steps around the places are kept, and
// the others are counted.
// Both runs begin where the first of these steps was recorded. What comes before is the same in
// both.
// Cost: linear in the events between the places (at most kScanned) and in the witness.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "report/report.h"
#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::report {

struct Story {
  std::vector<StoryStep> recorded, predicted;
};

// `holds`: the events that took the locks held at the places.
Story story_of(const trace::Trace& trace, const witness::Finding& finding, std::span<const std::uint32_t> holds);

} // namespace sooth::report
