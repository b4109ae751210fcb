// Random traces for the model `full`, and what their events depend on, said twice: as the engines get it, and event by event.
#pragma once

#include <cstdint>

#include "reference/full.h"
#include "trace/trace.h"

namespace sooth::cross {

struct Case {
  trace::Trace trace;
  reference::Relation relation;
  bool has_classes = false; // and no facts
};

// Facts: every event has a site of its own, so that they can say any relation.
Case random_case(std::uint64_t seed);
// Gives sites of reads random classes (trace/program/value_flows.h), also some that the trace does not bear out.
void give_classes(trace::Trace& trace, std::uint64_t seed);
// With such classes; some events share their site.
Case class_case(std::uint64_t seed);

} // namespace sooth::cross
