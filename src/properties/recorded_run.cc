#include "properties/recorded_run.h"

#include <algorithm>

#include "causality/models/recorded_order.h"
#include "explore/every_run.h"

namespace sooth::properties {

using causality::EventIndex;

const char* how_to_know_order(const trace::Trace& trace, std::pair<EventIndex, EventIndex> events) {
  const auto has_number = [&](EventIndex event) {
    const trace::Event& e = trace.events[event];
    return e.has(trace::kTicket) || (e.kind != trace::EventKind::Read && e.kind != trace::EventKind::Write);
  };
  const bool done = (trace.flags & trace::kOneClock) != 0 && has_number(events.first) && has_number(events.second);
  return done ? "" : " (recorded with this --property, it would be)";
}

RecordedRun::RecordedRun(const trace::Trace& trace, const causality::Computation& computation,
                         const explore::PropertyMonitors& monitors)
    : trace_(trace), computation_(computation), monitors_(monitors), events_(monitors.events().events) {
  std::vector<causality::Count> counts(trace.threads.size(), 0);
  places_.reserve(events_.size());
  for (const explore::RelevantEvent& event : events_) places_.push_back(counts[trace.events[event.event].thread]++);
  follow();
  faults_ = monitors.faults(); // before other orders are looked at
  judge();
}

void RecordedRun::follow() {
  std::vector<std::uint64_t> values(monitors_.value_words());
  const explore::Letter first = monitors_.begin(values);
  struct Watching {
    explore::MonitorState state;
    bool failed;
  };
  std::vector<Watching> all;
  const auto fails = [&](std::size_t monitor, std::size_t steps) { violations_.push_back({monitor, steps, false}); };
  for (std::size_t m = 0; m < monitors_.monitors(); ++m) {
    const explore::Move move = monitors_.start(m, first);
    if (move.violated) fails(m, 0);
    all.push_back({move.state, move.violated});
  }
  for (std::size_t k = 0; k < events_.size(); ++k) {
    if (events_[k].event >= computation_.first_misplaced) {
      ends_early_ = true;
      break;
    }
    const explore::Letter letter = monitors_.apply(events_[k].event, values);
    for (std::size_t m = 0; m < all.size(); ++m) {
      if (all[m].failed) continue;
      const explore::Move move = monitors_.step(m, all[m].state, letter);
      if (move.violated) fails(m, k + 1);
      all[m] = {move.state, move.violated};
    }
  }
  std::ranges::sort(violations_, {}, &RecordedViolation::monitor);
}

void RecordedRun::judge() {
  // Events behind a write with unknown contents may have come before.
  if (monitors_.events().cut_short) return;
  for (RecordedViolation& violation : violations_)
    violation.certain = violation.steps == 0 || explore::fails_in_every_run(order(), monitors_, violation.monitor);
}

const causality::Model& RecordedRun::order() const {
  if (order_ == nullptr) order_ = causality::make_recorded_order(trace_, computation_, monitors_.events().relevance());
  return *order_;
}

std::vector<EventIndex> RecordedRun::path(const RecordedViolation& violation) const {
  std::vector<EventIndex> out;
  out.reserve(violation.steps);
  for (std::size_t k = 0; k < violation.steps; ++k) out.push_back(events_[k].event);
  return out;
}

std::size_t RecordedRun::index_of(EventIndex event) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(events_, event, {}, &explore::RelevantEvent::event) -
                                  events_.begin());
}

bool RecordedRun::is_before(EventIndex first, EventIndex second) const {
  const std::uint32_t earlier = trace_.events[first].thread, later = trace_.events[second].thread;
  const causality::SharedClock& clock = order().clocks()->of_step[later][places_[index_of(second)]];
  return earlier == later || (*clock)[earlier] > places_[index_of(first)];
}

RecordedRun::Pair RecordedRun::unordered(std::vector<EventIndex> path) const {
  std::ranges::sort(path);
  for (std::size_t k = path.size(); k-- > 1;)
    if (!is_before(path[k - 1], path[k])) return std::pair(path[k - 1], path[k]);
  return std::nullopt;
}

RecordedRun::Pair RecordedRun::doubt(const RecordedViolation& violation) const {
  if (violation.steps == 0) return std::nullopt;
  const std::vector<EventIndex> events = path(violation);
  if (const Pair pair = unordered(events)) return pair;
  for (std::size_t k = events.size(); k < events_.size(); ++k)
    if (!is_before(events.back(), events_[k].event)) return std::pair(events.back(), events_[k].event);
  return std::nullopt;
}

} // namespace sooth::properties
