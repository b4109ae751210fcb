// From a finding's witness to a script that the real program can follow.
//
// Question: which events of the run have to be named, so that the program makes the same run? Those
//   after which another thread goes on, those at which the finding's threads stop, and those that
//   the finding itself is about.
// The recorder keeps every synchronisation, but omits repeated accesses. So an access is counted
//   from the thread's last synchronisation on, which is named before it. Accesses that a sieve
//   left out were made by other instructions, or are counted too low; the goal then is missed, and
//   the replay says so.
// Cost: linear in the run.
#pragma once

#include <optional>

#include "replay/script.h"
#include "trace/trace.h"
#include "witness/finding.h"

namespace sooth::replay {

// All events of a witness, in its order.
std::vector<std::uint32_t> run_of(const witness::Witness& witness);

// Nothing if the finding is about no other run: it was observed; or the trace begins in the middle.
// `run`: the events of its witness, perhaps in an equal order. `work`: for its critical pair
// (critical.h).
std::optional<Script> script_of(const trace::Trace& trace, const witness::Finding& finding,
                                const std::vector<std::uint32_t>& run, std::uint64_t& work);
// The recorded run itself, or an equal one with fewer thread switches.
Script script_of_recording(const trace::Trace& trace);

} // namespace sooth::replay
