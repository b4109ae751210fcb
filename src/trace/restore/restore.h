// One legal order from the streams of the threads.
//
// Each event comes with a number (docs/trace_format.md, Order). Sorted by number, racing accesses
// may stand the wrong way round. Then a read does not see the last write, and the reader repairs
// the order:
//
//     sorted by number                                       repair
//     1. T1 write x = 1 (5)   T2 read x = 0 (6)              the read goes back, before the write
//     2. T1 write x = 1 (5)   T2 acquire m (6), read x = 0   the read cannot pass its own acquire:
//                                                            the write goes behind it
//     3. T2 read x = 1 (4)    T1 write x = 1 (5)             the write comes forward
//     4. T2 read x = 9, and no thread writes 9               an external write goes before the read
//
// Question: in which order did the recorded events take effect, or could have?
// Source: the events' counters, then their values. Any legal interleaving of the threads will do. A
//   prediction from one of them follows from all that agree on the value of each read (maximal
//   models, Theorem 7).
// Where we differ: we do not sort by time. Ticketed events stand in their exact order. Other events
//   only looked at the counter. Something is moved only if a read does not fit memory:
//   1. The read goes back to the latest place after its thread's last fixed event where it fits. A
//      hook looks at the counter after the load, so the load may have been earlier.
//   2. The write that it must not see yet goes behind it, if no thread has seen that write. A hook
//      looks at the counter before the store, so the store may have been later.
//   3. Another thread's write that it did see comes forward, with the plain events before it.
//   4. If nothing helps, an external write is put before the read, and counted (misplaced.h asks
//      what that means).
// Why the result is legal: threads keep their order and tickets ascend, because no event moves over
//   an event of its own thread, and no ticketed event over another. Reads fit because every event
//   is checked against memory where it is put, and a move is made only where no event in between
//   can notice.
// Cost: a merge by heap and one memory lookup per access; a repair looks at no more than some
//   thousand events.
// Gives up: a repair that needs more becomes an external write. Deciding in general whether an
//   order without external writes exists is NP-complete, so this is the place for an honest bound.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "trace/file/event_stream.h"
#include "trace/sieve.h"

namespace sooth::trace {

// Hands out the order a part at a time, as far as the sieve keeps it. A part is never changed any
// more: repairs that would have to reach back into it become external writes.
class Order {
public:
  virtual ~Order() = default;
  // The next events: `most`, or as many as there are still. Once stop() says so, the rest is left
  // out; it is asked now and then.
  virtual std::vector<Event> next(std::size_t most, const std::function<bool()>& stop) = 0;
  // Everything was handed out.
  virtual bool is_over() const = 0;
  // f(event) for each event that was decoded and not handed out yet.
  virtual void each_waiting(const std::function<void(Event&)>& f) = 0;
};

// Merges the streams; external writes are counted in the trace. Streams and trace must stay where
// they are. `expected`: room for so many events is made at once.
std::unique_ptr<Order> restored_order(std::vector<EventStream>& streams, Trace& trace, Sieve* sieve,
                                      std::size_t expected);
// The same for frozen traces: the counters are the order, right or wrong.
std::unique_ptr<Order> frozen_order(std::vector<EventStream>& streams, Trace& trace, Sieve* sieve,
                                    std::size_t expected);

} // namespace sooth::trace
