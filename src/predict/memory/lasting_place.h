// Whether what lies at an address stays the same object until its memory is freed: in a global
// variable, or in a block of the heap. What is on a stack may have become another variable, without
// an event.
#pragma once

#include <cstdint>

#include "trace/trace.h"

namespace sooth::predict {

// At the event number `before`.
bool is_lasting_place(const trace::Trace& trace, std::uint64_t address, std::uint32_t before);

} // namespace sooth::predict
