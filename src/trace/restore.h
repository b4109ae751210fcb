// One legal order from the streams of the threads.
//
// Question: in which order did the recorded events take effect, or could have?
// Source: the events' counters, then their values. Any legal interleaving of the threads will do: whatever is predicted
//   from one of them is predicted from all that agree on what each read saw (maximal models,
//   Theorem 7).
// Where we differ from sorting by time: ticketed events stand in their exact order; others came with a mere look at the
//   counter, so racing accesses may stand the wrong way round. That shows when a read does not fit memory, and only
//   then something is moved:
//     1. the read goes back to the latest place after its thread's last fixed event where it fits (a hook looks at the
//        counter after the load, so the load may have been earlier);
//     2. the write it must not see yet goes behind it, if nobody has seen that write (a hook looks at the counter before
//        the store, so the store may have been later);
//     3. another thread's write that it did see comes forward, with the plain events before it;
//     4. nothing helps: an external write stands before it, and is counted (misplaced.h asks what that means).
// Why the result is legal: threads keep their order and tickets ascend, because nothing moves over an event of its own
//   thread or a ticketed event over another; reads fit because every event is checked against memory where it is put,
//   and a move is made only where no event in between can tell the difference.
// Cost: a merge by heap and one memory lookup per access; a repair looks at no more than some thousand events.
// Gives up: a repair that needs more than that becomes an external write. Deciding in general whether an order without
//   external writes exists is NP-complete, so this is the place for an honest bound.
#pragma once

#include <functional>
#include <vector>

#include "trace/event_stream.h"
#include "trace/sieve.h"

namespace sooth::trace {

// Merges the streams into trace.events, as far as the sieve keeps them, and counts external writes. Once stop() says so, the rest is left out; it is asked now and
// then.
void restore_order(std::vector<EventStream>& streams, Trace& trace, const std::function<bool()>& stop = {},
                   Sieve* sieve = nullptr);
// The same for frozen traces: the counters are the order, right or wrong.
void merge_frozen(std::vector<EventStream>& streams, Trace& trace, const std::function<bool()>& stop = {},
                  Sieve* sieve = nullptr);

} // namespace sooth::trace
