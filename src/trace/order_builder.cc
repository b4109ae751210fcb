#include "trace/order_builder.h"

#include <algorithm>

namespace sooth::trace {

// In place, from the back, so that a trace of many million events is never there twice.
void OrderBuilder::settle() {
  std::sort(insertions_.begin(), insertions_.end(), [](const Insertion& a, const Insertion& b) {
    return a.slot != b.slot ? a.slot < b.slot : a.number < b.number;
  });
  std::size_t from = events_.size();
  std::size_t to = from + insertions_.size();
  events_.resize(to);
  for (auto insertion = insertions_.rbegin(); insertion != insertions_.rend(); ++insertion) {
    while (from > insertion->slot) events_[--to] = events_[--from];
    events_[--to] = insertion->event;
  }
  insertions_.clear();
  std::erase_if(events_, [](const Event& e) { return e.kind == EventKind::None; });
}

} // namespace sooth::trace
