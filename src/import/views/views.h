// Formats that other tools show traces in. They are written only: a view has less than the trace.
#pragma once

#include <ostream>

#include "import/format.h"

namespace sooth::import {

// A vector-clock log as ShiViz reads it with its default pattern,
// `(?<host>\S*) (?<clock>{.*})\n(?<event>.*)`:
//
//     T1 {"T1":2,"main":3}
//     takes gate at bank.cpp:10
//
// A host is a thread. Locks, conditions, semaphores, barriers, atomics, creating and joining order
// events. Calls, branches and memory regions are left out.
// Cost: a clock for each event, which is as long as the threads it knows of.
Exported write_shiviz(const trace::Trace& trace, std::ostream& out);

// Perfetto's trace format: packets with TrackEvents (protobuf). A thread is a track, with a slice
// for each call and a point for each other event. Each lock that it takes has a track below it,
// with a slice for each hold. A trace has an order and no times: event n happens at n microseconds.
// Flows lead from giving up a lock (or a like object) to the next event that takes it.
// Cost: linear in the events.
Exported write_perfetto(const trace::Trace& trace, std::ostream& out);

} // namespace sooth::import
