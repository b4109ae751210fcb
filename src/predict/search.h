// The complete tier: looks for a run within a window, and for a reason why there is none.
#pragma once

#include <cstdint>
#include <vector>

#include "predict/feasibility.h"
#include "predict/index.h"

namespace sooth::predict {

Answer search(const Index& index, const Question& question, const std::vector<std::uint32_t>& limits,
              const Limits& budget);

} // namespace sooth::predict
