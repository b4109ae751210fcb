// A monitor watches one run, a state at a time, and says when it goes wrong. Every logic compiles
// to one of these.
//
//     property p: once x > 0     letters: bit 0 is `x > 0`
//     x = 0, 1, 0: fails in the first state, holds in the others. MonitorState: one bit, "yet?"
//
// A monitor is immutable and may be used by several threads at once. Its memory of a run is one
// MonitorState, a plain number, so that an explorer can keep sets of them: two runs that lead to
// the same cut with the same MonitorState have the same future.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace sooth::logic {

using MonitorState = std::uint64_t;

inline constexpr unsigned kMaxAtoms = 64;

// Which of the property's atoms hold in one state; bit i is Property::atoms[i].
struct Letter {
  std::uint64_t atoms = 0;
  friend bool operator==(const Letter&, const Letter&) = default;
};

// `violated`: the property fails in the state just taken. A formula may hold again later in the
// same run; a pattern or a machine that has failed stays failed, and keeps saying so.
struct Verdict {
  MonitorState next = 0;
  bool violated = false;
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

class Monitor {
public:
  virtual ~Monitor() = default;

  // The run's first state: before any event of it.
  virtual Verdict first(Letter letter) const = 0;
  // One more state, after one more event.
  virtual Verdict step(MonitorState state, Letter letter) const = 0;
  // The contents of `state`, for reports: `once(x > 0) = true`, `state 'open'`.
  virtual std::string describe(MonitorState state) const = 0;
};

using MonitorPointer = std::shared_ptr<const Monitor>;

} // namespace sooth::logic
