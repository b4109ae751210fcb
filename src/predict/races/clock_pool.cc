#include "predict/races/clock_pool.h"

#include <algorithm>

namespace sooth::predict {
namespace {

// The larger of both, one by one. The two are different clocks.
void raise_plainly(std::uint32_t* __restrict into, const std::uint32_t* __restrict from, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) into[i] = std::max(into[i], from[i]);
}

#if defined(__x86_64__)
// The same loop with an instruction for it that not every x86-64 has.
__attribute__((target("avx2"))) void raise_in_vectors(std::uint32_t* __restrict into,
                                                      const std::uint32_t* __restrict from, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) into[i] = into[i] < from[i] ? from[i] : into[i];
}
const bool has_vectors = __builtin_cpu_supports("avx2");

void raise(std::uint32_t* into, const std::uint32_t* from, std::uint32_t count) {
  constexpr std::uint32_t kWorthACall = 16;
  if (count >= kWorthACall && has_vectors) raise_in_vectors(into, from, count);
  else raise_plainly(into, from, count);
}
#else
constexpr auto raise = raise_plainly;
#endif

} // namespace

ClockPool::ClockPool(std::uint32_t threads) : width_(threads), counts_(threads, 1), current_(threads) {
  for (std::uint32_t& clock : current_) clock = make();
}

std::uint32_t ClockPool::take() {
  if (unused_.empty()) {
    if (is_wide()) wide_.emplace_back();
    else clocks_.resize(clocks_.size() + width_, 0);
    users_.push_back(1);
    return static_cast<std::uint32_t>(users_.size() - 1);
  }
  const std::uint32_t clock = unused_.back();
  unused_.pop_back();
  users_[clock] = 1;
  return clock;
}

std::uint32_t ClockPool::make() {
  const std::uint32_t clock = take();
  if (is_wide()) wide_[clock] = {};
  else std::fill(at(clock), at(clock) + width_, 0);
  return clock;
}

void ClockPool::drop(std::uint32_t clock) {
  if (--users_[clock] != 0) return;
  unused_.push_back(clock);
  if (!is_wide()) return;
  wide_[clock] = {};
  added_.erase(clock);
}

void ClockPool::raise_all(std::uint32_t clock, std::uint32_t by) {
  if (is_wide()) wide_[clock].join(wide_[by]);
  else raise(at(clock), at(by), width_);
}

void ClockPool::raise_one(std::uint32_t clock, std::uint32_t thread, std::uint32_t count) {
  if (is_wide()) return wide_[clock].raise(thread, count);
  std::uint32_t& known = at(clock)[thread];
  known = std::max(known, count);
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
  if (is_wide()) {
    SharedCounts& added = added_[clock];
    wide_[clock].join(wide_[moment.clock], added);
    added = wide_[moment.clock];
  } else {
    raise(at(clock), at(moment.clock), width_);
  }
  raise_one(clock, moment.thread, moment.count);
}

void ClockPool::join(std::uint32_t thread, std::uint32_t clock, std::uint32_t other, std::uint32_t count) {
  std::uint32_t mine = current_[thread];
  if (users_[mine] > 1) { // others rely on it
    const std::uint32_t fresh = take();
    if (is_wide()) wide_[fresh] = wide_[mine];
    else std::copy(at(mine), at(mine) + width_, at(fresh));
    --users_[mine];
    current_[thread] = mine = fresh;
  }
  if (clock != mine) raise_all(mine, clock);
  raise_one(mine, other, count);
}

} // namespace sooth::predict
