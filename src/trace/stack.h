// Call stacks, from enter and exit events.
//
// An enter event's `site` is the function's, its `value` the index of the call's site; both index
// Trace::sites, 0 is unknown. An exit's `value` is the number of activations left (absolute, so
// that longjmp and exceptions need no care).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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

// The innermost calls of one thread, told apart: two calls of one function are two activations.
//
//     enter deposit     1
//       enter get       1 2     a read here is in 2, which 1 called
//       exit
//       enter set       1 3     a write here is in 3; what both have in common is 1
class ActivationStack {
public:
  struct Activation {
    std::uint32_t number = 0; // of this call; 0: there is none
    std::uint32_t site = 0;   // of the function
  };
  // The innermost activation and its caller.
  struct Nearest {
    Activation own, caller;
  };

  void see(const Event& e) {
    if (e.kind == EventKind::Enter) open_.push_back({++last_, e.site});
    if (e.kind == EventKind::Exit && e.value < open_.size()) open_.resize(e.value);
  }
  Nearest nearest() const {
    const std::size_t depth = open_.size();
    return {depth > 0 ? open_[depth - 1] : Activation(), depth > 1 ? open_[depth - 2] : Activation()};
  }
  // The activation that is both, or one of them and the other's caller, or the caller of both.
  // Nothing if there is none.
  static std::optional<Activation> common(const Nearest& a, const Nearest& b) {
    if (a.own.number == b.own.number || a.own.number == b.caller.number) return a.own;
    if (a.caller.number == b.own.number) return b.own;
    if (a.caller.number == b.caller.number && a.caller.number != 0) return a.caller;
    return {};
  }

private:
  std::vector<Activation> open_; // by depth
  std::uint32_t last_ = 0;
};

// The stack of the event's thread at that event, outermost first. Linear in what lies before it.
std::vector<Frame> stack_at(const Trace& trace, std::size_t event);

// The site to show for an event: its own, or, if that lies in a system header, the call site of the
// nearest frame that does not. Its own if there is none.
std::uint32_t user_site(const Trace& trace, const Event& event, std::span<const Frame> stack);

} // namespace sooth::trace
