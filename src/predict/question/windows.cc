#include "predict/question/windows.h"

#include <algorithm>

#include "predict/question/closure.h"
#include "predict/question/execution.h"

namespace sooth::predict {

void Replay::run() const {
  const Computation& c = index_.computation;
  Execution execution(index_);
  const Question nothing;
  for (StepId step = 0; step < c.steps.size(); ++step) {
    if (step % stride_ == 0) positions_.emplace_back(execution.positions().begin(), execution.positions().end());
    if (execution.allows(step, nothing) && execution.sees_what_it_saw(step)) execution.take(step);
    else first_left_out_ = std::min(first_left_out_, step);
  }
}

const std::vector<std::uint32_t>& Replay::positions_at(std::size_t step) const {
  std::call_once(made_, [&] { run(); });
  return positions_[step / stride_];
}

StepId Replay::first_left_out() const {
  std::call_once(made_, [&] { run(); });
  return first_left_out_;
}

std::optional<Window> Windows::around(const Question& question) const {
  const Computation& c = index_.computation;
  const auto steps = static_cast<StepId>(c.steps.size());
  if (whole()) return everything();
  StepId first = steps, last = 0;
  const auto look_at = [&](StepId step, bool inside) {
    if (inside) first = std::min(first, step);
    last = std::max(last, step);
  };
  for (const StepId step : question.before) look_at(step, true);
  for (const StepId step : question.done) look_at(step, false);
  for (const causality::Order& order : question.sequence) {
    look_at(order.first, true);
    look_at(order.second, true);
  }
  for (const causality::Order& order : question.waived) look_at(order.second, true);
  const std::size_t end = std::min<std::size_t>(steps, last + 1 + stride());
  const std::size_t begin = (end < size_ ? 0 : (end - size_ + stride() - 1) / stride()) * stride();
  if (begin > first || begin > last) return {};
  if (begin < c.standing) return Window{c.standing, static_cast<StepId>(end), positions_behind_standing()};
  Window window{static_cast<StepId>(begin), static_cast<StepId>(end), replay_.positions_at(begin)};
  // A thread that stopped before the window, because its steps are not trusted, must not have to go
  // on in it.
  for (const StepId step : question.before)
    if (window.base[c.steps[step].thread] > c.steps[step].place) return {};
  return window;
}

Run Windows::run_before(const Window& window) const {
  const bool behind_standing = window.begin <= index_.computation.standing; // every run has these
  const StepId observed = behind_standing ? window.begin : std::min(window.begin, replay_.first_left_out());
  std::vector<std::uint32_t> base(window.base.size(), 0);
  for (std::uint32_t t = 0; t < base.size(); ++t) base[t] = index_.steps_before(t, observed);
  return {observed, observed_order(index_.computation, window.base, base)};
}

std::vector<std::uint32_t> Windows::positions_behind_standing() const {
  const Computation& c = index_.computation;
  std::vector<std::uint32_t> out(c.threads.size(), 0);
  for (StepId step = 0; step < c.standing; ++step) ++out[c.steps[step].thread];
  return out;
}

Window Windows::everything() const {
  const auto steps = static_cast<StepId>(index_.computation.steps.size());
  return {index_.computation.standing, steps, positions_behind_standing()};
}

} // namespace sooth::predict
