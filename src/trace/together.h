// Which neighbouring events of a thread stay together in every run.
//
//     T1 read a[0..9], glued ; T1 write b[0..9] ; T1 branch        no other thread in between
//
// A glued access stays with its thread's next event. Calls, returns and branches cling to the event
// before them (docs/trace_format.md, rule 3 and "adjacent repeats"). The checker of witnesses says
// the same in its own words.
#pragma once

#include "trace/trace.h"

namespace sooth::trace {

// Nothing comes between the event and the thread's event before it.
inline bool clings(const Event& e) {
  if (e.has(kTicket)) return false; // a call that is an event of its own
  return e.kind == EventKind::Enter || e.kind == EventKind::Exit || e.kind == EventKind::Branch;
}
// Nothing comes between the event and the thread's next one.
inline bool is_glued(const Event& e) {
  if (e.kind == EventKind::ExternalWrite) return true; // it stands for what the next event found
  return (e.kind == EventKind::Read || e.kind == EventKind::Write) && e.has(kGlued);
}

} // namespace sooth::trace
