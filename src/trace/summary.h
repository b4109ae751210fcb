// Facts about threads and condition variables that follow from the finished order.
#pragma once

#include <span>

#include "trace/trace.h"

namespace sooth::trace {

// Updates Trace::threads by these events, the next ones of the trace: fork, thread-start,
// thread-name and thread-end.
void follow_threads(std::span<const Event> events, Trace& trace);

// Counts OpenThreads; call it when all events were followed.
void count_open_threads(Trace& trace);

// A wake that did not fail, without a signal of its own or a broadcast since its wait, is spurious.
// Wakes come in the order in which the waits end, so giving each the earliest free signal since its
// wait explains as many as possible.
void count_spurious_wakes(Trace& trace);

} // namespace sooth::trace
