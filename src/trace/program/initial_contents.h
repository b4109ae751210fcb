// What memory held before the first event.
#pragma once

#include <cstdint>
#include <optional>

#include "trace/trace.h"

namespace sooth::trace {

// A byte of a global when the program began, from the program's file. Nothing for other memory.
std::optional<std::uint8_t> initial_byte(const Trace& trace, std::uint64_t address);

} // namespace sooth::trace
