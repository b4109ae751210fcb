// Starts of threads, where a property asks for thread names: a thread gets its name only after it
// has started.
//
// The start takes its clock and its place in the order at once. Its message waits until the thread
// is named or has ended, or until nothing more may wait: the observer cannot go past a start that
// it does not know.
#pragma once

#include <cstdint>

#include "capture/runtime/observing/threads.h"

namespace sooth::runtime::observing {

void thread_starts(ThreadState& self);
// From now on, the thread `of` has this name (a string number). `self` sends the start. With 0, the
// start must be sent without a name.
void thread_is_named(ThreadState& self, ThreadState& of, std::uint32_t name);
// Call it before anything that needs all earlier events: a checkpoint, an answer, the end. Only
// alone.
void tell_all_starts(ThreadState& self);
// Call it when an event is sent. Sends the starts that have waited for too many events.
void tell_old_starts(ThreadState& self);

} // namespace sooth::runtime::observing
