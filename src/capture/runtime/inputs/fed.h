// The beginning of a replay with inputs.
#pragma once

#include "capture/runtime/inputs/inputs.h"

namespace sooth::runtime {

// `inputs`: the part of the schedule behind its steps (replay/inputs.h). False: it makes no sense.
bool start_feeding(const std::uint8_t* inputs, std::uint64_t bytes);

} // namespace sooth::runtime
