#include "predict/question/partial_run.h"

#include <algorithm>
#include <bit>

namespace sooth::predict {

PartialRun::PartialRun(const Computation& computation, StepId begin, StepId end, std::vector<std::uint32_t> base,
                       std::vector<std::uint32_t> limits)
    : computation_(computation), begin_(begin), base_(std::move(base)), limits_(std::move(limits)), prefixes_(base_),
      columns_(base_.size(), kNoColumn), first_edge_(end - begin, kNoEdge), saved_(end - begin, 0),
      pending_((end - begin + 63) / 64, 0), first_pending_(pending_.size()) {
  for (StepId step = begin; step < end; ++step) {
    std::uint32_t& column = columns_[thread_of(step)];
    if (column != kNoColumn) continue;
    column = width_++;
    threads_.push_back(thread_of(step));
  }
  // A row is set when its step becomes part of the run.
  clocks_ = std::make_unique_for_overwrite<std::uint32_t[]>(std::size_t{end - begin} * width_);
}

StepId PartialRun::grow(std::uint32_t thread) {
  if (prefixes_[thread] >= limits_[thread]) return kNoStep;
  const std::vector<StepId>& own = computation_.threads[thread].steps;
  const StepId step = own[prefixes_[thread]];
  const std::size_t here = row(step);
  // The clock is that of the thread's step before it, which stays below it in any case: it need not
  // be undone.
  if (prefixes_[thread] > base_[thread]) {
    const std::size_t before = row(own[prefixes_[thread] - 1]);
    std::copy_n(clocks_.get() + before, width_, clocks_.get() + here);
  } else {
    for (std::uint32_t i = 0; i < width_; ++i) clocks_[here + i] = base_[threads_[i]];
  }
  clocks_[here + columns_[thread]] = prefixes_[thread];
  saved_[step - begin_] = stamp_;
  if (stamp_ != 0) trail_.push_back({Undo::Prefix, thread, prefixes_[thread]});
  ++prefixes_[thread];
  changed_.push_back(step);
  return step;
}

// The step's clock becomes at least that in row `from`, with `count` in one column. Returns whether
// it changed.
bool PartialRun::raise(StepId step, std::size_t from, std::uint32_t column, std::uint32_t count) {
  std::uint32_t* const here = clocks_.get() + row(step);
  const std::uint32_t* const other = clocks_.get() + from;
  std::uint32_t more = 0;
  for (std::uint32_t i = 0; i < width_; ++i) more |= static_cast<std::uint32_t>(other[i] > here[i]);
  if (more == 0 && here[column] >= count) return false;
  if (saved_[step - begin_] != stamp_) {
    saved_[step - begin_] = stamp_;
    trail_.push_back({Undo::Clock, step, 0});
    old_rows_.insert(old_rows_.end(), here, here + width_);
  }
  for (std::uint32_t i = 0; i < width_; ++i) here[i] = std::max(here[i], other[i]);
  here[column] = std::max(here[column], count);
  return true;
}

void PartialRun::add_pending(StepId step) {
  changed_.push_back(step);
  const std::size_t word = (step - begin_) / 64;
  pending_[word] |= std::uint64_t{1} << (step - begin_) % 64;
  first_pending_ = std::min(first_pending_, word);
}

bool PartialRun::order(StepId first, StepId second) {
  if (in_base(second)) return in_base(first) && first < second;
  if (in_base(first)) return true;
  if (first == second) return false;
  if (precedes(first, second)) return true;
  if (precedes(second, first)) return false;
  if (stamp_ != 0) trail_.push_back({Undo::Edge, first - begin_, first_edge_[first - begin_]});
  edges_.push_back({second, first_edge_[first - begin_]});
  first_edge_[first - begin_] = static_cast<std::uint32_t>(edges_.size() - 1);
  raise(second, row(first), columns_[thread_of(first)], place_of(first) + 1);
  add_pending(second);
  return true;
}

bool PartialRun::propagate() {
  while (first_pending_ < pending_.size()) {
    if (pending_[first_pending_] == 0) {
      ++first_pending_;
      continue;
    }
    const auto bit = static_cast<unsigned>(std::countr_zero(pending_[first_pending_]));
    pending_[first_pending_] &= pending_[first_pending_] - 1;
    const auto step = static_cast<StepId>(begin_ + first_pending_ * 64 + bit);
    const std::uint32_t thread = thread_of(step), place = place_of(step);
    // Known to come before itself: a cycle.
    if (clocks_[row(step) + columns_[thread]] > place) return false;
    const auto follow = [&](StepId next) {
      if (raise(next, row(step), columns_[thread], place + 1)) add_pending(next);
    };
    if (place + 1 < prefixes_[thread]) follow(computation_.threads[thread].steps[place + 1]);
    for (std::uint32_t e = first_edge_[step - begin_]; e != kNoEdge; e = edges_[e].next) follow(edges_[e].second);
  }
  return true;
}

std::uint32_t PartialRun::waits_for(StepId step, std::span<const std::uint32_t> positions) const {
  const std::uint32_t* const here = clocks_.get() + row(step);
  for (std::uint32_t i = 0; i < width_; ++i)
    if (here[i] > positions[threads_[i]]) return threads_[i];
  return kNoThread;
}

std::size_t PartialRun::mark() {
  ++stamp_;
  return trail_.size();
}

void PartialRun::take_back(std::size_t mark) {
  while (trail_.size() > mark) {
    const Trail& last = trail_.back();
    switch (last.what) {
    case Undo::Clock:
      std::copy(old_rows_.end() - width_, old_rows_.end(), clocks_.get() + row(last.where));
      old_rows_.resize(old_rows_.size() - width_);
      break;
    case Undo::Edge:
      first_edge_[last.where] = last.old;
      edges_.pop_back();
      break;
    case Undo::Prefix: prefixes_[last.where] = last.old; break;
    }
    trail_.pop_back();
  }
  changed_.clear();
  std::fill(pending_.begin() + static_cast<std::ptrdiff_t>(std::min(first_pending_, pending_.size())), pending_.end(),
            0);
  first_pending_ = pending_.size();
  ++stamp_;
}

} // namespace sooth::predict
