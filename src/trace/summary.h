// What the finished order says about threads and condition variables.
#pragma once

#include "trace/trace.h"

namespace sooth::trace {

// Trace::threads from fork, thread-start, thread-name and thread-end; counts OpenThreads.
void summarise_threads(Trace& trace);

// A wake that did not fail, without a signal of its own or a broadcast since its wait, is spurious. Wakes come in the
// order in which the waits end, so giving each the earliest free signal since its wait explains as many as can be.
void count_spurious_wakes(Trace& trace);

} // namespace sooth::trace
