// Keeps an analysis within its memory (--memory).
//
// Question: how much of this trace can be analysed in so many bytes? Nobody knows before: it depends on what the trace holds.
// Answer: it is tried. An attempt runs in a child process; this one stays small, looks at what the child occupies, and ends it
// if that is too much. Then the next attempt has fewer events, until one fits. Of attempts that are given up nothing is seen:
// complaints wait, and results are printed at the end, when an attempt is not ended any more.
// Why not inside one process: hash maps and threads do not survive an allocation that is refused in
// their midst, and much of what is occupied is not asked for in places of ours. Where an engine
// asks its budget (base/budget.h), it stops by itself a little before that, with what it has; the
// attempt is only the net behind. It also catches what the kernel or `ulimit -v` ends.
// Cost: a fork, and looks that are the rarer the more room there is. Each attempt that does not fit costs its time, from the same
// --budget. Between two looks the child may take a little more than it should: docs/report.md says how much.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>

#include "cli/allowance.h"
#include "cli/launch.h"

namespace sooth::cli {

class Attempt {
public:
  // What parent and child both see.
  struct Shared {
    enum State : int { Working, GivenUp, Telling };
    std::atomic<int> state{Working};
    std::atomic<std::uint64_t> events{0}; // that are being analysed; 0: still reading
  };

  std::uint64_t most_events = std::numeric_limits<std::uint64_t>::max();
  double part_for_reading = 0.5; // of the memory: no analysis of what is read needs less than that again
  bool last = false;             // nothing fits: no event is analysed, and nobody ends the attempt

  // How many events are analysed from now on.
  void works_on(std::uint64_t events) { shared_->events = events; }
  // Fewer events would be better.
  [[noreturn]] void give_up();
  // From here on results are printed, and the attempt is not ended.
  void tell();

private:
  friend Ended within_memory(const Allowance& allowance, const std::function<int(Attempt&)>& body);
  Shared* shared_ = nullptr;
};

// Runs `body`, whose result is an exit status, until an attempt fits into the allowance's memory. Where there could be no attempt
// at all, that is told.
Ended within_memory(const Allowance& allowance, const std::function<int(Attempt&)>& body);

} // namespace sooth::cli
