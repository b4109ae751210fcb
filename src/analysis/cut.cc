#include "analysis/cut.h"

#include <algorithm>
#include <vector>

namespace sooth::analysis {
namespace {

bool stays_with_next(const trace::Event& e) {
  if (e.kind == trace::EventKind::ExternalWrite) return true; // it stands for what the next event found
  return (e.kind == trace::EventKind::Read || e.kind == trace::EventKind::Write) && e.has(trace::kGlued);
}

} // namespace

std::uint64_t cut(trace::Trace& trace, std::size_t most) {
  most = std::min(most, trace.events.size());
  std::size_t end = 0; // the last place up to `most` at which no thread is inside a block
  std::vector<std::uint8_t> inside(trace.threads.size(), 0);
  std::size_t open = 0;
  for (std::size_t i = 0; i < most; ++i) {
    const trace::Event& e = trace.events[i];
    const std::uint8_t glued = stays_with_next(e) ? 1 : 0;
    open = open + glued - inside[e.thread];
    inside[e.thread] = glued;
    if (open == 0) end = i + 1;
  }
  const std::uint64_t left_out = trace.events.size() - end;
  trace.events.resize(end);
  return left_out;
}

} // namespace sooth::analysis
