// The order while it is being built: events at positions, with late insertions between them and holes where an event
// was taken out again. Both are settled once, at the end, so that a move costs the same wherever it goes.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace sooth::trace {

class OrderBuilder {
public:
  struct Insertion {
    std::uint64_t slot; // before the event at this position; those of one slot stand in the order they were made
    std::uint64_t made; // end() at that time
    std::uint64_t number;
    Event event;
  };

  explicit OrderBuilder(std::vector<Event>& events) : events_(events) {}

  std::uint64_t end() const { return events_.size(); }
  void append(const Event& e) { events_.push_back(e); }
  const Event& at(std::uint64_t position) const { return events_[position]; }
  void insert(std::uint64_t slot, const Event& e) {
    insertions_.push_back({slot, events_.size(), insertions_.size(), e});
  }
  void take_out(std::uint64_t position) { events_[position].kind = EventKind::None; }
  const std::vector<Insertion>& insertions() const { return insertions_; }

  void settle();

private:
  std::vector<Event>& events_;
  std::vector<Insertion> insertions_;
};

} // namespace sooth::trace
