#include "witness/frame_end.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "trace/contents.h"

namespace sooth::witness::checking {
namespace {

using trace::Event;
using trace::EventKind;

// The first access by which one of the functions that `exit` leaves used bytes of `use` as its own;
// kNoEvent: none did.
EventNumber own_access(const trace::Trace& trace, EventNumber use, EventNumber exit) {
  std::vector<EventNumber> stack; // for each activation
  const Event& used = trace.events[use];
  const std::uint32_t thread = trace.events[exit].thread;
  for (EventNumber number = 0; number < exit; ++number) {
    const Event& e = trace.events[number];
    if (e.thread != thread) continue;
    if (e.kind == EventKind::Enter) stack.push_back(kNoEvent);
    else if (e.kind == EventKind::Exit) stack.resize(std::min<std::size_t>(stack.size(), e.value));
    else if (touches_memory(e.kind) && !stack.empty() && stack.back() == kNoEvent && trace::overlap(e, used) &&
             e.site < trace.sites.size() && (trace.sites[e.site].flags & trace::kSiteOwnFrame) != 0)
      stack.back() = number;
  }
  EventNumber first = kNoEvent;
  for (std::size_t i = trace.events[exit].value; i < stack.size(); ++i) first = std::min(first, stack[i]);
  return first;
}

// Whether another thread may have learnt something by it.
bool tells(const Facts& facts, EventNumber number) {
  const Event& e = facts.trace.events[number];
  switch (e.kind) {
  case EventKind::Enter:
  case EventKind::Exit:
  case EventKind::Branch:
  case EventKind::Read: return false;
  case EventKind::Write: {
    const MemoryMap::Pieces pieces = facts.memory.pieces(number);
    for (std::uint32_t piece = pieces.first; piece < pieces.end; ++piece)
      if (!facts.memory.private_piece(piece)) return true;
    return false;
  }
  default: return true;
  }
}

} // namespace

Objection use_after_return(const Facts& facts, const Replay& replay, EventNumber use, EventNumber exit) {
  const trace::Trace& trace = facts.trace;
  const std::uint32_t thread = trace.events[exit].thread;
  if (trace.events[use].thread == thread) return "A function's variable is used by its own thread.";
  if (!replay.done(exit)) return fmt::format("The witness does not come to {}.", describe(trace, exit));
  if (const auto cancel = facts.unwinds.find(exit); cancel != facts.unwinds.end() && !replay.done(cancel->second))
    return fmt::format("The thread returns at {} because of {}.", describe(trace, exit),
                       describe(trace, cancel->second));
  const EventNumber own = own_access(trace, use, exit);
  if (own == kNoEvent)
    return fmt::format("The bytes of {} were not those of a function that {} left.", describe(trace, use),
                       describe(trace, exit));
  if (own < use && use < exit) return {}; // the recorded run has it while the function was active
  // Later, the bytes may be another function's. The other thread cannot know of that without
  // synchronisation.
  const std::vector<EventNumber>& events = facts.of_thread[thread];
  for (std::size_t i = facts.place[exit] + 1; i < replay.progress(thread); ++i)
    if (tells(facts, events[i]))
      return fmt::format("After {} came {}: the bytes may be those of another function.", describe(trace, exit),
                         describe(trace, events[i]));
  return {};
}

} // namespace sooth::witness::checking
