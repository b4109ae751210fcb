// The calls that a thread is in, as its `enter` and `exit` events show them.
//
//     enter deposit     (1)
//       enter get       (1 2)     the read of balance is in 2, which 1 called
//       exit
//       enter set       (1 3)     the write is in 3: both are near, because 1 called both
//       exit
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/trace.h"

namespace sooth::trace {

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

} // namespace sooth::trace
