#include "observe/observed_run.h"

#include <utility>

namespace sooth::observe {

namespace {
constexpr std::size_t kTail = 256; // steps that a report of the observed run can show

std::uint64_t weight(const Happening& happening) {
  return sizeof(RunStep) + happening.writes.size() * sizeof(VariableWrite);
}
} // namespace

ObservedRun::ObservedRun(const logic::PropertyFile& file, std::vector<std::uint64_t> values)
    : monitors_(file, {std::move(values), {}}), failed_(monitors_.monitors()) {
  state_.values.resize(monitors_.value_words());
  const explore::Letter letter = monitors_.begin(state_.values);
  tail_values_ = state_.values;
  for (std::size_t m = 0; m < monitors_.monitors(); ++m) {
    const explore::Move move = monitors_.start(m, letter);
    state_.states.push_back(move.state);
    if (move.violated) fail(m);
  }
}

void ObservedRun::fail(std::size_t monitor) {
  if (failed_[monitor]) return;
  failed_[monitor] = true;
  told_.push_back({monitor, {tail_.begin(), tail_.end()}, before_tail_, tail_values_});
}

bool ObservedRun::add(std::uint32_t thread, const Happening& happening) {
  if (happening.position <= position_ || waiting_.contains(happening.position)) return false;
  waiting_.emplace(happening.position, RunStep{thread, happening});
  waiting_bytes_ += weight(happening);
  while (!waiting_.empty() && waiting_.begin()->first == position_ + 1) {
    RunStep next = std::move(waiting_.begin()->second);
    waiting_.erase(waiting_.begin());
    waiting_bytes_ -= weight(next.happening);
    step(std::move(next));
  }
  return true;
}

void ObservedRun::step(RunStep step) {
  position_ = step.happening.position;
  if (step.happening.is_silent()) return;
  const explore::Letter letter = monitors_.apply(step.happening, state_.values);
  tail_.push_back(std::move(step));
  if (tail_.size() > kTail) {
    for (const VariableWrite& write : tail_.front().happening.writes) tail_values_[write.variable] = write.value;
    tail_.pop_front();
    ++before_tail_;
  }
  for (std::size_t m = 0; m < state_.states.size(); ++m) {
    const explore::Move move = monitors_.step(m, state_.states[m], letter);
    state_.states[m] = move.state;
    if (move.violated) fail(m);
  }
}

std::vector<ObservedRun::Failed> ObservedRun::take_failed() { return std::exchange(told_, {}); }

} // namespace sooth::observe
