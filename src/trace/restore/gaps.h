// Where to end a trace whose file has gaps, so that what remains is a beginning of the run.
//
//     T1  acquire m (1)  release m (2)  [lost: acquire m (5) ...]
//     T2  acquire m (3)  release m (4)  acquire m (7)
//
// T1's events are lost from number 5 on. T2's second acquire may come after a release that is lost,
// so it cannot stay: the trace ends at number 2, for all threads.
//
// Question: what is the largest number N such that the events with numbers up to N are a beginning
//   of the run?
// Source: the numbers ascend along every order between events (docs/trace_format.md, Order). An
//   event that depends on a lost one has a larger number than the last event that its thread still
//   has.
// Cost: a pass over all events; only for files that were cut or damaged.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/file/chunk_scan.h"
#include "trace/file/event_stream.h"

namespace sooth::trace {

// `incomplete`: the file may lack chunks at its end, or anywhere. `threads`: as many recorded
// something. The streams are read to their ends. kNoEnd if nothing is lost.
std::uint64_t last_number_before_a_gap(std::vector<EventStream>& streams, const std::vector<Chunk>& chunks,
                                       bool incomplete, std::uint64_t threads);

} // namespace sooth::trace
