// Call stacks, from enter and exit events.
//
// An enter event's `site` is the function's, its `value` the index of the call's site; both index
// Trace::sites, 0 is unknown. An exit's `value` is the number of activations left (absolute, so
// that longjmp and exceptions need no care).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/trace.h"

namespace sooth::trace {

struct Frame {
  std::uint32_t function = 0; // site of the function
  std::uint32_t call = 0;     // site of the call that entered it
  friend bool operator==(const Frame&, const Frame&) = default;
};

// Follows all threads' stacks along the trace; to show everything is linear.
class StackWalker {
public:
  explicit StackWalker(const Trace& trace) : trace_(trace), stacks_(trace.threads.size()) {}

  // Takes events up to and including `event`; it only goes forward.
  void advance_to(std::size_t event);
  // The thread's stack after the events taken so far, outermost first.
  std::span<const Frame> stack(std::uint32_t thread) const;

private:
  const Trace& trace_;
  std::vector<std::vector<Frame>> stacks_;
  std::size_t next_ = 0; // first event that was not taken
};

// The stack of the event's thread at that event, outermost first. Linear in what lies before it.
std::vector<Frame> stack_at(const Trace& trace, std::size_t event);

// The site to show for an event: its own, or, if that lies in a system header, the call site of the
// nearest frame that does not. Its own if there is none.
std::uint32_t user_site(const Trace& trace, const Event& event, std::span<const Frame> stack);

} // namespace sooth::trace
