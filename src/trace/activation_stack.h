// The calls that a thread is in, as its `enter` and `exit` events show them.
//
//     enter deposit     (1)
//       enter get       (1 2)     the read of balance is in 2, which 1 called
//       exit
//       enter set       (1 3)     the write is in 3: both are near, because 1 called both
//       exit
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace sooth::trace {

class ActivationStack {
public:
  // The innermost activation and its caller; 0: there is none.
  struct Nearest {
    std::uint32_t own = 0, caller = 0;
  };

  void see(const Event& e) {
    if (e.kind == EventKind::Enter) open_.push_back(++last_);
    if (e.kind == EventKind::Exit && e.value < open_.size()) open_.resize(e.value);
  }
  Nearest nearest() const {
    const std::size_t depth = open_.size();
    return {depth > 0 ? open_[depth - 1] : 0, depth > 1 ? open_[depth - 2] : 0};
  }
  // One activation is both, or called them.
  static bool are_near(const Nearest& a, const Nearest& b) {
    return a.own == b.own || a.own == b.caller || b.own == a.caller || (a.caller == b.caller && a.caller != 0);
  }

private:
  std::vector<std::uint32_t> open_; // by depth
  std::uint32_t last_ = 0;
};

} // namespace sooth::trace
