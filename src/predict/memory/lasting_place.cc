#include "predict/memory/lasting_place.h"

#include <algorithm>

namespace sooth::predict {

bool is_lasting_place(const trace::Trace& trace, std::uint64_t address, std::uint32_t before) {
  const auto covers = [&](std::uint64_t begin, std::uint64_t bytes) { return address - begin < bytes; };
  if (std::ranges::any_of(trace.globals, [&](const auto& g) { return covers(g.address, g.bytes); })) return true;
  for (std::uint32_t i = before; i-- > 0;)
    if (trace.events[i].kind == trace::EventKind::Alloc && covers(trace.events[i].address, trace.events[i].value))
      return true;
  return false;
}

} // namespace sooth::predict
