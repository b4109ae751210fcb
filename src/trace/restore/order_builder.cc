#include "trace/restore/order_builder.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sooth::trace {

// In place, from the back, so that a trace of many million events never exists twice.
std::vector<Event> OrderBuilder::hand_out(std::uint64_t until) {
  const bool all = until >= end();
  const std::uint64_t next = all ? end() : until;
  std::vector<Event> rest;
  if (!all) {
    rest.assign(events_.begin() + static_cast<std::ptrdiff_t>(until - begin_), events_.end());
    events_.resize(until - begin_);
  }
  std::vector<Insertion> due;
  const auto is_due = [&](const Insertion& insertion) { return all || insertion.slot < until; };
  std::copy_if(insertions_.begin(), insertions_.end(), std::back_inserter(due), is_due);
  std::erase_if(insertions_, is_due);
  std::sort(due.begin(), due.end(), [](const Insertion& a, const Insertion& b) {
    return a.slot != b.slot ? a.slot < b.slot : a.number < b.number;
  });
  std::size_t from = events_.size();
  std::size_t to = from + due.size();
  events_.resize(to);
  for (auto insertion = due.rbegin(); insertion != due.rend(); ++insertion) {
    while (begin_ + from > insertion->slot) events_[--to] = events_[--from];
    events_[--to] = insertion->event;
  }
  begin_ = next;
  std::erase_if(events_, [](const Event& e) { return e.kind == EventKind::None; });
  std::vector<Event> out = std::move(events_);
  events_ = std::move(rest);
  return out;
}

} // namespace sooth::trace
