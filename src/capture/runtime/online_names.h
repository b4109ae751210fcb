// Starts of threads, where a property asks for their names: a thread gets its name only after it has started.
//
// The start takes its place in the order and its clock at once; what is told of it waits until the thread is named, has ended,
// or nothing more may wait: the observer cannot go past a start that it does not know. Everything here is used with the
// online lock held.
#pragma once

#include <cstdint>

#include "capture/runtime/online_threads.h"

namespace sooth::runtime {

void thread_starts(OnlineThread& self);
// `self` tells it: the thread `of` is called this from now on. String number; 0: its start must be told without a name.
void thread_is_named(OnlineThread& self, OnlineThread& of, std::uint32_t name);
// Before something that needs all that came before it: a checkpoint, an answer, the end.
void tell_all_starts(OnlineThread& self);
// Before an event is told: starts that have waited for too many events are told.
void tell_old_starts(OnlineThread& self);

} // namespace sooth::runtime
