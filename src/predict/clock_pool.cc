#include "predict/clock_pool.h"

#include <algorithm>

namespace sooth::predict {

ClockPool::ClockPool(std::uint32_t threads) : width_(threads), counts_(threads, 1), current_(threads) {
  for (std::uint32_t& clock : current_) clock = make();
}

std::uint32_t ClockPool::make() {
  if (unused_.empty()) {
    clocks_.resize(clocks_.size() + width_, 0);
    users_.push_back(1);
    return static_cast<std::uint32_t>(users_.size() - 1);
  }
  const std::uint32_t clock = unused_.back();
  unused_.pop_back();
  users_[clock] = 1;
  std::fill(at(clock), at(clock) + width_, 0);
  return clock;
}

void ClockPool::drop(std::uint32_t clock) {
  if (--users_[clock] == 0) unused_.push_back(clock);
}

void ClockPool::mark(Moment& moment, std::uint32_t thread) {
  const std::uint32_t clock = current_[thread];
  if (moment.clock != clock) {
    forget(moment);
    ++users_[clock];
    moment.clock = clock;
  }
  moment.thread = thread;
  moment.count = tick(thread); // no two moments of a thread are the same, for its clock may change between them
}

void ClockPool::forget(Moment& moment) {
  if (moment.clock != kNone) drop(moment.clock);
  moment = {};
}

void ClockPool::add(std::uint32_t clock, const Moment& moment) {
  std::uint32_t* into = at(clock);
  const std::uint32_t* from = at(moment.clock);
  for (std::uint32_t i = 0; i < width_; ++i) into[i] = std::max(into[i], from[i]);
  into[moment.thread] = std::max(into[moment.thread], moment.count);
}

void ClockPool::join(std::uint32_t thread, std::uint32_t clock, std::uint32_t other, std::uint32_t count) {
  std::uint32_t mine = current_[thread];
  if (users_[mine] > 1) { // others rely on it
    const std::uint32_t fresh = make();
    std::copy(at(mine), at(mine) + width_, at(fresh));
    --users_[mine];
    current_[thread] = mine = fresh;
  }
  std::uint32_t* into = at(mine);
  const std::uint32_t* from = at(clock);
  for (std::uint32_t i = 0; i < width_; ++i) into[i] = std::max(into[i], from[i]);
  into[other] = std::max(into[other], count);
}

} // namespace sooth::predict
