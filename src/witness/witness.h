// A witness: a run, or a prefix of one, in which something goes wrong. Plain data that can be
// checked, shown and forced on the real program.
//
//     observed = 8, steps = {16, 17, 18}, next = {13, 19}
//     The first 8 events as recorded, then events 16, 17 and 18; then the threads of 13 and 19
//     stand directly before these two events.
//
// The run begins as the recorded one (the first `observed` events of the trace, unchanged); then
// come `steps`, each the index of a trace event. Every thread does what it did in the trace, in its
// own order, up to where the witness ends. `next` are the events that threads stand directly before
// when it ends, one for each thread that the finding is about: the two accesses of a race, the
// requests of a deadlock. They are not executed, so a read among them may see another value than it
// did in the trace (maximal models, Definition 4 and the end of Definition 8).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sooth::witness {

struct Witness {
  std::size_t observed = 0;         // so many events of the trace come first, in its order
  std::vector<std::uint32_t> steps; // then these
  std::vector<std::uint32_t> next;  // what the threads of the finding are about to do
  friend bool operator==(const Witness&, const Witness&) = default;
};

} // namespace sooth::witness
