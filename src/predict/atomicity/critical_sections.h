// The critical sections that each step is in: which lock, and since which acquire.
//
//     1 T1 acquire m
//     2 T1 read  x         in (m, since 1)
//     3 T1 release m
//     4 T1 acquire m
//     5 T1 write x         in (m, since 4): another section of the same lock, so that others may
//                          come between 2 and 5
//
// Question: does the thread keep a lock from one step to another?
// Cost: one pass; a set for each acquire and release.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "causality/computation/computation.h"

namespace sooth::predict {

class CriticalSections {
public:
  struct Held {
    std::uint32_t lock = 0;
    causality::StepId since = causality::kNoStep;
    bool exclusive = false;
    friend bool operator==(const Held&, const Held&) = default;
  };

  explicit CriticalSections(const causality::Computation& computation);

  const std::vector<Held>& at(causality::StepId step) const { return sets_[set_of_[step]]; }
  bool has(causality::StepId step, const Held& section) const {
    return std::ranges::find(at(step), section) != at(step).end();
  }

private:
  std::vector<std::size_t> set_of_; // by step
  std::vector<std::vector<Held>> sets_;
};

} // namespace sooth::predict
