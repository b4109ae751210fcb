// The order while it is being built: events at positions, with late insertions between them and
// holes where an event was taken out. Both are resolved when a part of the order is handed out, so
// that a move costs the same wherever it goes. Nothing is inserted into a part that was handed out.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace sooth::trace {

class OrderBuilder {
public:
  struct Insertion {
    std::uint64_t slot; // before the event at this position; insertions at one slot stand in the order they were made
    std::uint64_t made; // end() at that time
    std::uint64_t number;
    Event event;
  };

  std::uint64_t begin() const { return begin_; } // positions before it were handed out
  std::uint64_t end() const { return begin_ + events_.size(); }
  void append(const Event& e) { events_.push_back(e); }
  const Event& at(std::uint64_t position) const { return events_[position - begin_]; }
  void insert(std::uint64_t slot, const Event& e) { insertions_.push_back({slot, end(), made_++, e}); }
  void take_out(std::uint64_t position) { events_[position - begin_].kind = EventKind::None; }
  const std::vector<Insertion>& insertions() const { return insertions_; }
  void reserve(std::size_t events) { events_.reserve(events); }

  // The events at positions below `until`, with the insertions between them; at the end, also the
  // insertions behind them.
  std::vector<Event> hand_out(std::uint64_t until);
  template <typename F>
  void each_event(F&& f) {
    for (Event& e : events_) f(e);
    for (Insertion& insertion : insertions_) f(insertion.event);
  }

private:
  std::uint64_t begin_ = 0, made_ = 0;
  std::vector<Event> events_; // from begin_ on
  std::vector<Insertion> insertions_;
};

} // namespace sooth::trace
