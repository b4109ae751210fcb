// Events that a property may stop the program at, or call it: the observer is asked what to do.
//
// Question: has the observer looked at everything up to this event, and what does it want?
// Source: JMPaX online, section 4: the program is to be warned before it gets there. Where we
//   differ: only events that such a property can see wait; the others are sent as always.
// Cost: an exchange for each channel that was used since the last one. Meanwhile the thread is
//   alone (section.h): nothing else happens.
#pragma once

#include <cstdint>

#include "capture/runtime/observing/threads.h"

namespace sooth::runtime::observing {

// A registered function to be called (sooth/monitor.h).
struct AskedCall;

// Alone, with everything sent that the thread has. Does not return if the program is stopped.
AskedCall* ask(const ThreadState& self, std::uint64_t position);
// Outside of any hook. A function may leave by longjmp.
void make_calls(AskedCall* calls);

} // namespace sooth::runtime::observing
