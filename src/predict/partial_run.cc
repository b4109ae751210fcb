#include "predict/partial_run.h"

namespace sooth::predict {

PartialRun::PartialRun(const Computation& computation, StepId begin, StepId end, std::vector<std::uint32_t> base,
                       std::vector<std::uint32_t> limits)
    : computation_(computation), begin_(begin), base_(std::move(base)), limits_(std::move(limits)), prefixes_(base_),
      columns_(base_.size(), kNoColumn), later_(end - begin) {
  for (StepId step = begin; step < end; ++step) {
    std::uint32_t& column = columns_[thread_of(step)];
    if (column == kNoColumn) column = width_++;
  }
  clocks_.assign(std::size_t{end - begin} * width_, 0);
}

StepId PartialRun::grow(std::uint32_t thread) {
  if (prefixes_[thread] >= limits_[thread]) return kNoStep;
  const std::vector<StepId>& own = computation_.threads[thread].steps;
  const StepId step = own[prefixes_[thread]];
  const std::size_t here = row(step);
  // The clock is that of the thread's step before it, which stays below it whatever happens: no need to take it back.
  if (prefixes_[thread] > base_[thread]) {
    const std::size_t before = row(own[prefixes_[thread] - 1]);
    for (std::uint32_t i = 0; i < width_; ++i) clocks_[here + i] = clocks_[before + i];
  } else {
    for (std::uint32_t t = 0; t < columns_.size(); ++t)
      if (columns_[t] != kNoColumn) clocks_[here + columns_[t]] = base_[t];
  }
  clocks_[here + columns_[thread]] = prefixes_[thread];
  later_[step - begin_].clear();
  trail_.push_back({Undo::Prefix, thread, prefixes_[thread]});
  ++prefixes_[thread];
  changed_.push_back(step);
  return step;
}

// The step's clock becomes at least that in row `from`, with `count` in one column. Returns whether it changed.
bool PartialRun::raise(StepId step, std::size_t from, std::uint32_t column, std::uint32_t count) {
  const std::size_t here = row(step);
  bool any = false;
  const auto set = [&](std::uint32_t i, std::uint32_t value) {
    if (value <= clocks_[here + i]) return;
    trail_.push_back({Undo::Clock, static_cast<std::uint32_t>(here + i), clocks_[here + i]});
    clocks_[here + i] = value;
    any = true;
  };
  for (std::uint32_t i = 0; i < width_; ++i) set(i, clocks_[from + i]);
  set(column, count);
  return any;
}

bool PartialRun::order(StepId first, StepId second) {
  if (in_base(second)) return in_base(first) && first < second;
  if (in_base(first)) return true;
  if (first == second) return false;
  if (precedes(first, second)) return true;
  if (precedes(second, first)) return false;
  later_[first - begin_].push_back(second);
  trail_.push_back({Undo::Edge, first - begin_, 0});
  raise(second, row(first), columns_[thread_of(first)], place_of(first) + 1);
  changed_.push_back(second);
  // No circle can close behind it: whatever follows `second` would have to precede `first`.
  waiting_.assign(1, second);
  while (!waiting_.empty()) {
    const StepId step = waiting_.back();
    waiting_.pop_back();
    const std::uint32_t thread = thread_of(step), place = place_of(step);
    const auto follow = [&](StepId next) {
      if (!raise(next, row(step), columns_[thread], place + 1)) return;
      changed_.push_back(next);
      waiting_.push_back(next);
    };
    if (place + 1 < prefixes_[thread]) follow(computation_.threads[thread].steps[place + 1]);
    for (const StepId next : later_[step - begin_]) follow(next);
  }
  return true;
}

void PartialRun::take_back(std::size_t mark) {
  while (trail_.size() > mark) {
    const Trail& last = trail_.back();
    switch (last.what) {
    case Undo::Clock: clocks_[last.where] = last.old; break;
    case Undo::Edge: later_[last.where].pop_back(); break;
    case Undo::Prefix: prefixes_[last.where] = last.old; break;
    }
    trail_.pop_back();
  }
  changed_.clear();
}

} // namespace sooth::predict
