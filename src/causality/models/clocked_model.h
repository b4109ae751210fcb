// Base of models whose order is given by clocks: a step is enabled if the cut contains the steps of
// its clock.
#pragma once

#include <vector>

#include "causality/models/algorithm_a.h"
#include "causality/models/model.h"

namespace sooth::causality {

class ClockedModel : public Model {
public:
  explicit ClockedModel(std::size_t threads) : steps_(threads) { clocks_.of_step.resize(threads); }

  std::size_t threads() const final { return steps_.size(); }
  std::span<const ModelStep> steps(ThreadNumber thread) const final { return steps_[thread]; }
  bool enabled(Cut cut, ModelState, ThreadNumber thread) const final {
    const auto components = clocks_.of_step[thread][cut[thread]]->components();
    for (ThreadNumber t = 0; t < components.size(); ++t)
      if (t != thread && cut[t] < components[t]) return false;
    return true;
  }
  const Clocks* clocks() const final { return &clocks_; }

protected:
  // The thread's next step happens now.
  void add_step(ModelStep step, ThreadNumber thread, SharedClock now) {
    steps_[thread].push_back(step);
    clocks_.of_step[thread].push_back(std::move(now));
  }

  std::vector<std::vector<ModelStep>> steps_;

private:
  Clocks clocks_;
};

} // namespace sooth::causality
