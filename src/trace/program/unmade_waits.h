// Waits on condition variables that the program has, and that the run came by and did not make.
//
//     lock m ; while (!ready) wait(c, m) ; unlock m      the recorded run found it ready
//
// Question: at which calls did no thread wait, although their function ran? Nothing is known of
//   what such a wait would have done: if nobody signals, it never ends.
// Where we differ: waits with a time limit end by themselves. A function ran if one of its own
//   sites has an event. A call does not count if there was a wait on an object of the same name.
// Cost: nothing if the program has no such calls; else a lookup for each event.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace sooth::trace {

class UnmadeWaits {
public:
  UnmadeWaits() = default;
  explicit UnmadeWaits(const Trace& trace); // of its sites

  void see(const Event& e) {
    if (e.site < function_of_.size() && function_of_[e.site] != 0) see_site(e);
  }
  // The calls' sites, after all events were taken. If one is in a system header (a wait with a
  // predicate), where its function was called from.
  std::vector<std::uint32_t> all() const;

private:
  struct Call {
    std::uint32_t site = 0;
    std::uint32_t function = 0;
    std::string object;
    bool waited = false;
    bool hidden = false; // in a system header
    std::uint32_t shown = 0;
  };
  void see_site(const Event& e);

  std::vector<Call> calls_;
  std::vector<std::uint32_t> function_of_; // by site: 1 + number of a function that has such a call; 0: none
  std::vector<bool> ran_;                  // by that number
};

} // namespace sooth::trace
