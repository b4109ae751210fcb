#include "trace/stack.h"

#include <algorithm>

namespace sooth::trace {
namespace {

void take(const Event& e, std::vector<Frame>& stack) {
  if (e.kind == EventKind::Enter) {
    stack.push_back({e.site, static_cast<std::uint32_t>(e.value)});
  } else if (e.kind == EventKind::Exit) {
    stack.resize(static_cast<std::size_t>(std::min<std::uint64_t>(stack.size(), e.value)));
  }
}

} // namespace

void StackWalker::advance_to(std::size_t event) {
  const std::size_t end = event < trace_.events.size() ? event + 1 : trace_.events.size();
  for (; next_ < end; ++next_) {
    const Event& e = trace_.events[next_];
    if (e.thread < stacks_.size()) take(e, stacks_[e.thread]);
  }
}

std::span<const Frame> StackWalker::stack(std::uint32_t thread) const {
  return thread < stacks_.size() ? std::span<const Frame>(stacks_[thread]) : std::span<const Frame>();
}

std::vector<Frame> stack_at(const Trace& trace, std::size_t event) {
  std::vector<Frame> stack;
  if (event >= trace.events.size()) return stack;
  for (std::size_t i = 0; i <= event; ++i) {
    if (trace.events[i].thread == trace.events[event].thread) take(trace.events[i], stack);
  }
  return stack;
}

std::uint32_t user_site(const Trace& trace, const Event& event, std::span<const Frame> stack) {
  const auto is_system = [&](std::uint32_t site) {
    return site < trace.sites.size() && (trace.sites[site].flags & kSiteSystem);
  };
  if (!is_system(event.site)) return event.site;
  for (std::size_t i = stack.size(); i-- > 0;) {
    if (stack[i].call != 0 && !is_system(stack[i].call)) return stack[i].call;
  }
  return event.site;
}

} // namespace sooth::trace
