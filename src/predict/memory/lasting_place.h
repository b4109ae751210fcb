// Does an address mean the same object until its memory is freed? It does in a global variable and
// in a heap block. On a stack, the place may become another variable without any event.
#pragma once

#include <cstdint>

#include "trace/trace.h"

namespace sooth::predict {

// At the event number `before`.
bool is_lasting_place(const trace::Trace& trace, std::uint64_t address, std::uint32_t before);

} // namespace sooth::predict
