// Synchronisation that a trace lacks: calls that the runtime counted as unsupported
// (ProcessInfo::unsupported) and that can order threads. An engine that takes the absence of order
// for a fact must not use such a trace.
//
// Libraries without instrumentation are another matter. Their calls of pthreads are recorded, so
// only their own atomics could order threads unseen. Those that are known for it (OpenMP, TBB,
// GLib, ...) count as unrecorded synchronisation. The names of all are in
// ProcessInfo::plain_libraries, and in every report.
#pragma once

#include <string>

#include "trace/trace.h"

namespace sooth::predict {

// The names of such primitives and libraries, with commas; empty if there are none.
std::string unrecorded_synchronisation(const trace::Trace& trace);

// Whether the program itself makes the call on a primitive, not a library, whose other
// synchronisation may not be recorded.
bool is_called_by_program(const trace::Trace& trace, const trace::Event& e);

} // namespace sooth::predict
