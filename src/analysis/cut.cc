#include "analysis/cut.h"

#include "trace/pieces.h"

namespace sooth::analysis {
std::uint64_t cut(trace::Trace& trace, std::size_t most) {
  const std::size_t end = trace::last_boundary(trace.events, trace.threads.size(), most);
  const std::uint64_t left_out = trace.events.size() - end;
  trace.events.resize(end);
  return left_out;
}

} // namespace sooth::analysis
