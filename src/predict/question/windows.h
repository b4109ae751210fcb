// Where a long trace is cut for the complete tier.
//
//     steps 0 ................ begin ....... question's last step .. end
//           run as observed    window: searched for a run
//
// Question: which part of the trace is searched for a question, and what has happened before it?
// A window has at most so many steps, ends a little behind the question's last step (a value may
// come from later writes) and begins after a run in the observed order. That run leaves out steps
// that no predicted run may have.
// Cost: one replay of the trace for windows of all sizes, when the first question needs it; memory
//   for positions every so many steps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "predict/question/constraints.h"
#include "predict/question/feasibility.h"
#include "predict/question/index.h"

namespace sooth::predict {

// How far the threads have come every so many steps of the observed run: where windows of all sizes
// begin.
class Replay {
public:
  Replay(const Index& index, std::size_t stride) : index_(index), stride_(std::max<std::size_t>(stride, 1)) {}

  std::size_t stride() const { return stride_; }
  // Before this step, a multiple of the stride.
  const std::vector<std::uint32_t>& positions_at(std::size_t step) const;
  // The first step that is not in the run.
  StepId first_left_out() const;

private:
  void run() const;

  const Index& index_;
  const std::size_t stride_;
  mutable std::once_flag made_;
  mutable StepId first_left_out_ = kNoStep;
  mutable std::vector<std::vector<std::uint32_t>> positions_;
};

class Windows {
public:
  Windows(const Index& index, std::size_t size, const Replay& replay) : index_(index), size_(size), replay_(replay) {}

  // Whether one window holds the whole trace; then answers are complete.
  bool whole() const { return index_.computation.standing == 0 && index_.computation.steps.size() <= size_; }
  // Everything that can be in another order: all of the trace, behind what stands at its beginning.
  Window everything() const;
  // Nothing if the question does not fit into a window.
  std::optional<Window> around(const Question& question) const;
  // The run before the window.
  Run run_before(const Window& window) const;

private:
  // A quarter of a window, as far as the replay knows such places.
  std::size_t stride() const { return std::max(size_ / 4 / replay_.stride() * replay_.stride(), replay_.stride()); }
  std::vector<std::uint32_t> positions_behind_standing() const;

  const Index& index_;
  const std::size_t size_;
  const Replay& replay_;
};

} // namespace sooth::predict
